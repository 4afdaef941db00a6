// Mutation runs: npm run mutate -- [group...] [--sample] [--score]; one PostgreSQL for all groups, and the scores in one table at the end.
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { printScores } from './scores.ts';
import { groups } from './groups.ts';
import setUpDatabase from '../support/global-database.ts';

const given = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const unknown = given.filter((name) => !(name in groups));
if (unknown.length > 0) {
  console.error(`No group ${unknown.join(', ')}. There are: ${Object.keys(groups).join(', ')}`);
  process.exit(2);
}

let failed = 0;
let isStopped = false;
if (!process.argv.includes('--score')) {
  let url = '';
  const project = { provide: (_: string, value: string) => void (url = value) };
  const tearDown = await setUpDatabase(project as unknown as Parameters<typeof setUpDatabase>[0]);
  for (const name of given.length > 0 ? given : Object.keys(groups))
    if (!isStopped) failed += await runGroup(name, url);
  await tearDown();
}
printScores();
process.exit(failed > 0 ? 1 : 0);

async function runGroup(name: string, databaseUrl: string): Promise<number> {
  const { sources, tests } = groups[name]!;
  console.log(`\n${name}: ${sources.join(' ')}\n${' '.repeat(name.length)}  by ${tests.join(' ')}`);
  const stryker = spawn(
    process.execPath,
    ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'test/mutate/stryker.config.mjs'],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        MUTATE_DATABASE_URL: databaseUrl,
        MUTATE_GROUP: name,
        MUTATE_SOURCES: process.argv.includes('--sample') ? takeSample(sources) : sources.join(' '),
        MUTATE_TESTS: tests.map((test) => `test/${test}.test.ts`).join(' '),
      },
    },
  );
  const stop = () => {
    isStopped = true;
    stryker.kill('SIGINT');
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const status = await new Promise<number | null>((resolve) => stryker.on('close', resolve));
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return status === 0 ? 0 : 1;
}

/** Ten of every thirty lines, always the same ones: for a machine that has no hour for it. */
function takeSample(sources: string[]): string {
  const bands = globSync(sources).flatMap((path) => {
    const count = readFileSync(path, 'utf8').split('\n').length;
    const starts = Array.from({ length: Math.ceil(count / 30) }, (_, index) => index * 30 + 16);
    return starts.filter((start) => start < count).map((start) => `${path}:${start}-${start + 9}`);
  });
  return bands.join(' ');
}
