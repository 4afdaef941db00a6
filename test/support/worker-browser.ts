// One browser process for each worker, started by the first file that needs it.
import { chromium, type Browser } from 'playwright';
import { inject } from 'vitest';

let started: Promise<Browser> | undefined;

export const startBrowser = (): Promise<Browser> => (started ??= chromium.launch(inject('browser')));
