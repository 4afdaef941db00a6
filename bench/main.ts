// `npm run bench` measures twelve rows that a user feels, each with a floor of the same run.
import { parseArgs } from 'node:util';
import { openBenchFixture, type BenchFixture } from './kit/fixture.ts';
import { closeScopes, openScope } from './kit/scope.ts';
import {
  describeMachine,
  isMet,
  runRow,
  showMarkdown,
  showResult,
  showTable,
  type Result,
  type Row,
} from './kit/table.ts';
import { openBytes } from './rows/bytes.ts';
import { openCallbacks } from './rows/callbacks.ts';
import { openCreation, openRead } from './rows/creation.ts';
import { openJourney } from './rows/journey.ts';
import { openList } from './rows/list.ts';
import { openMemory, openStart } from './rows/node.ts';
import { openPage } from './rows/page.ts';
import { openScan } from './rows/scan.ts';
import { openLatency, openStreams } from './rows/streams.ts';
import { runFailover } from './trials/failover.ts';
import { runKills } from './trials/kills.ts';

/** The rows in the order in which they run. `memory` and `start` do not see the million payments that `list` leaves. */
const ROWS: Record<string, (fixture: BenchFixture) => Promise<Row[]>> = {
  creation: openCreation,
  read: openRead,
  journey: openJourney,
  scan: openScan,
  callbacks: openCallbacks,
  streams: openStreams,
  latency: openLatency,
  page: openPage,
  bytes: openBytes,
  list: openList,
  memory: openMemory,
  start: openStart,
};

/** The trials of the bench. They take minutes, so each runs only if its name is given. */
const TRIALS: Record<string, () => Promise<string>> = { failover: runFailover, kills: runKills };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { markdown: { type: 'boolean' }, profile: { type: 'string' } },
});

const unknown = positionals.filter((name) => !ROWS[name] && !TRIALS[name]);
if (unknown.length > 0) {
  const names = [...Object.keys(ROWS), ...Object.keys(TRIALS)].join('] [');
  console.error(`npm run bench -- [${names}] [--markdown] [--profile folder]`);
  process.exit(2);
}
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isStopping = true;
    void closeScopes().finally(() => process.exit(130));
  });
}
try {
  await runAll(positionals);
} catch (error) {
  // A row fails if its processes are stopped. The signal's handler exits after the last process has ended.
  if (!isStopping) throw error;
}

async function runAll(names: string[]): Promise<void> {
  const rows = names.length === 0 ? Object.keys(ROWS) : names.filter((name) => ROWS[name]);
  if (rows.length > 0) await runRows(rows);
  for (const name of names) {
    const trial = TRIALS[name];
    if (trial) console.log(await trial());
  }
}

async function runRows(names: string[]): Promise<void> {
  const fixture = await openBenchFixture(values.profile);
  const results: Result[] = [];
  try {
    for (const name of names) {
      const scope = openScope();
      console.error(`${name} …`);
      try {
        const opened = (await ROWS[name]?.({ ...fixture, ...scope })) ?? [];
        for (const row of opened) {
          const result = await runRow(row);
          console.error(showResult(result));
          results.push(result);
        }
      } finally {
        await scope.close();
      }
    }
  } finally {
    await fixture.close();
    // The finished rows are printed even if a row failed.
    printResults(results);
  }
}

function printResults(results: Result[]): void {
  console.log(values.markdown ? showMarkdown(results) : showTable(results));
  console.log(`\n${describeMachine()}`);
  const missed = results.filter((result) => !isMet(result)).length;
  if (missed > 0) console.log(`${missed} of ${results.length} below target`);
}
