// Expectations of pages. The long timeout ends tests that hang and measures no speed.
import { expect as impatient } from 'playwright/test';

export const PATIENCE_MS = 15_000;

export const expect = impatient.configure({ timeout: PATIENCE_MS });
