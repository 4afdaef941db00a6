// One browser process for each worker, started by the first file that needs it: it ends with the worker.
import { chromium, type Browser } from 'playwright';
import { inject } from 'vitest';

let started: Promise<Browser> | undefined;

export const startBrowser = (): Promise<Browser> => (started ??= chromium.launch(inject('browser')));
