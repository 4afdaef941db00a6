// What a mutation run needs of Vitest: unit and API tests in one project, in a worker that is kept, the database from outside.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { keptPool } from './kept-worker.ts';

const tests = (process.env['MUTATE_TESTS'] ?? '').split(' ');

/** As the group lists them, the cheapest first: the first failure ends a mutant's run. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => tests.findIndex((test) => moduleId.endsWith(test));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  plugins: [
    {
      name: 'kept-worker',
      // Stryker names a pool of Vitest's own on the command line, which is stronger than the configuration.
      configureVitest({ project }) {
        project.config.pool = keptPool.name as 'forks';
        project.config.poolRunner = keptPool;
      },
    },
  ],
  test: {
    include: tests,
    globalSetup: ['test/mutate/database.ts'],
    setupFiles: ['test/mutate/setup.ts', 'test/support/setup.ts'],
    isolate: false,
    experimental: { viteModuleRunner: false },
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('../../.data/compiled', import.meta.url)) },
    sequence: { sequencer: AsListed },
    testTimeout: 12_000,
    hookTimeout: 30_000,
  },
});
