// One runner for every kind of test; `npm test -- --project unit` runs one of them.
import { defineConfig } from 'vitest/config';

const database = 'test/support/global-database.ts';
const browser = 'test/support/global-browser.ts';
const project = (name: string, options: object = {}) => ({
  test: { name, include: [`test/${name}/**/*.test.{ts,tsx}`], testTimeout: 30_000, hookTimeout: 60_000, ...options },
});

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      project('unit'),
      project('api', { globalSetup: [database] }),
      project('race', { globalSetup: [database] }),
      project('faults', { globalSetup: [database], fileParallelism: false }),
      project('browser', { globalSetup: [database, browser], fileParallelism: false, testTimeout: 60_000 }),
    ].map((entry) => ({ extends: true as const, ...entry })),
  },
});
