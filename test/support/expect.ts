// What tests of pages expect, with the patience of a slow machine: a bound on hanging, no measure of speed.
import { expect as impatient } from 'playwright/test';

export const PATIENCE_MS = 15_000;

export const expect = impatient.configure({ timeout: PATIENCE_MS });
