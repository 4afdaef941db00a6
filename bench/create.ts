// POST /api/payments with everything on, beside its rows written by Node pg: in a transaction, and in one statement.
import { DEMO } from '../sandbox/seed.ts';
import type { Child } from './child.ts';
import { medianOf, type Rate } from './load.ts';
import { POOL_MAX, type Stage } from './stage.ts';
import { showRate, type Row } from './table.ts';

const ROUNDS = 5;
const ROUND_MS = 2_500;
const WARM_MS = 3_000;

export async function benchCreate(stage: Stage): Promise<Row[]> {
  const client = stage.start('bench/processes/client.ts');
  const floor = stage.start('bench/processes/floor.ts');
  const rows: Row[] = [];
  for (const [concurrency, atLeast] of [
    [16, 1],
    [64, 1.4],
  ] as const) {
    const measure = { stage, client, floor, concurrency };
    await runRound(measure, WARM_MS);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await runRound(measure, ROUND_MS));
    const name = `POST /api/payments, ${concurrency} at once ÷ `;
    rows.push(
      compare(`${name}BEGIN, 3 INSERT, COMMIT`, rounds, 'transaction', { atLeast }),
      compare(`${name}the same rows in one statement`, rounds, 'statement', null),
    );
  }
  await Promise.all([client.stop(), floor.stop()]);
  return rows;
}

type Round = { ours: number; transaction: number; statement: number };
type Measure = { stage: Stage; client: Child; floor: Child; concurrency: number };

/** One after another, so that each has the machine for itself; close together, since the machine's speed wanders. */
async function runRound({ stage, client, floor, concurrency }: Measure, durationMs: number): Promise<Round> {
  const load = { concurrency, durationMs };
  const { databaseUrl, url, token } = stage;
  const onDatabase = { ...load, databaseUrl, poolMax: POOL_MAX, merchantId: DEMO.merchantId };
  const { perSecond: transaction } = await floor.ask<Rate>('insertInTransaction', onDatabase);
  const { perSecond: ours } = await client.ask<Rate>('create', { ...load, url, token });
  const { perSecond: statement } = await floor.ask<Rate>('insertAtOnce', onDatabase);
  return { ours, transaction, statement };
}

function compare(name: string, rounds: Round[], floor: 'transaction' | 'statement', target: Row['target']): Row {
  return {
    name,
    ours: showRate(medianOf(rounds.map((round) => round.ours))),
    floor: showRate(medianOf(rounds.map((round) => round[floor]))),
    ratio: medianOf(rounds.map((round) => round.ours / round[floor])),
    target,
  };
}
