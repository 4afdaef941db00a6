// Playwright's `expect` with a long timeout, which only ends tests that hang. It is no measure of speed.
import { expect as impatient } from 'playwright/test';

export const PATIENCE_MS = 45_000;

export const expect = impatient.configure({ timeout: PATIENCE_MS });
