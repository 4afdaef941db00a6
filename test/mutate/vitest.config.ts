// The tests of the mutated files. Unit tests run first, because the first failure ends the run of a mutant.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const shared = {
  isolate: false,
  experimental: { viteModuleRunner: false },
  env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)) },
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: [
            'test/unit/{jobs,payments,shared}/**/*.test.ts',
            'test/unit/http/idempotency.test.ts',
            'test/unit/webhooks/signature.test.ts',
            'test/unit/providers/gpo*.test.ts',
          ],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'api',
          include: ['test/api/payments/{apply-outcome,states}.test.ts', 'test/api/http/idempotency.test.ts'],
          globalSetup: ['test/support/global-database.ts'],
          setupFiles: ['test/support/setup.ts'],
          sequence: { groupOrder: 1 },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
