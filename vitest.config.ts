// One runner for every kind of test; `npm test -- --project unit` runs one of them (docs/testing.md).
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const database = 'test/support/global-database.ts';
const browser = 'test/support/global-browser.ts';
const server = 'test/support/global-server.ts';
const project = (name: string, options: object = {}) => ({
  extends: true as const,
  test: {
    name,
    include: [`{test,sandbox/test}/${name}/**/*.test.{ts,tsx}`],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    ...options,
  },
});

/** Files of one kind share their worker's modules, which Node loads as it does in production: the server is loaded once a worker, not once a file. */
const shared = {
  isolate: false,
  setupFiles: ['test/support/setup.ts'],
  experimental: { viteModuleRunner: false },
  env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
};

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    // One more than two cores: part of a worker's time is waiting, for databases, rails and browsers that do the work.
    maxWorkers: Math.max(3, Math.min(4, availableParallelism())),
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      // Components are JSX, which Node does not read.
      project('unit', { isolate: false }),
      project('api', { ...shared, globalSetup: [database] }),
      project('race', { ...shared, globalSetup: [database] }),
      project('faults', { ...shared, globalSetup: [database, server] }),
      project('browser', { ...shared, globalSetup: [database, browser], testTimeout: 180_000 }),
    ],
  },
});
