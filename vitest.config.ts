// Each kind of test is a project. `npm test -- --project unit` runs one kind (docs/testing.md).
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
    testTimeout: 240_000,
    hookTimeout: 240_000,
    ...options,
  },
});

/**
 * Files of one kind share the modules of their worker, so a worker loads the server once.
 * Node loads these modules, as in production.
 */
const shared = {
  isolate: false,
  setupFiles: ['test/support/setup.ts'],
  experimental: { viteModuleRunner: false },
  env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
};

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    // Workers outnumber two cores, because they often wait for databases, rails and browsers.
    maxWorkers: Math.max(3, Math.min(4, availableParallelism())),
    // Limits of time only end tests that hang. Two busy cores take a minute for the work of some seconds.
    expect: { poll: { timeout: 90_000 } },
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      // Vite transforms these files, because Node cannot read the JSX of components.
      project('unit', { isolate: false }),
      project('api', { ...shared, globalSetup: [database] }),
      project('race', { ...shared, globalSetup: [database] }),
      project('faults', { ...shared, globalSetup: [database, server] }),
      project('browser', { ...shared, globalSetup: [database, browser] }),
    ],
  },
});
