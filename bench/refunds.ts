// POST /api/payments/{id}/refunds through the rail, and until it has given the money back, beside creations of payments in the same run.
import { setTimeout as pause } from 'node:timers/promises';
import { medianOf, type Rate } from './load.ts';
import { fillReceived } from './received.ts';
import type { Stage } from './stage.ts';
import { showRate, type Row } from './table.ts';

const CONCURRENCY = 16;
const PAYMENTS = 2_000;
const ROUNDS = 5;
const ROUND_MS = 2_500;
const GIVEN_MS = 60_000;

export async function benchRefunds(stage: Stage): Promise<Row[]> {
  const { url, token } = stage;
  const client = stage.start('bench/processes/client.ts');
  const ids = await fillReceived(stage.database, '90001', PAYMENTS);
  const load = { url, token, ids, concurrency: CONCURRENCY, durationMs: ROUND_MS };
  const rounds: { ours: number; given: number; creations: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const { perSecond: creations } = await client.ask<Rate>('create', load);
    const before = await countGiven(stage);
    const startedAt = performance.now();
    const { perSecond: ours } = await client.ask<Rate>('refund', load);
    // What is left to do of them belongs to them, not to the next creations.
    await untilGiven(stage);
    const given = (((await countGiven(stage)) - before) * 1_000) / (performance.now() - startedAt);
    // The first round warms up.
    if (round > 0) rounds.push({ ours, given, creations });
  }
  await client.stop();
  const median = (read: (round: (typeof rounds)[number]) => number) => medianOf(rounds.map(read));
  const floor = showRate(median(({ creations }) => creations));
  return [
    {
      name: `POST /api/payments/{id}/refunds, ${CONCURRENCY} at once ÷ POST /api/payments`,
      ours: showRate(median(({ ours }) => ours)),
      floor,
      ratio: median(({ ours, creations }) => ours / creations),
      target: { atLeast: 0.15 },
    },
    {
      name: `the same until the rail has given all of them back ÷ POST /api/payments`,
      ours: showRate(median(({ given }) => given)),
      floor,
      ratio: median(({ given, creations }) => given / creations),
      target: null,
    },
  ];
}

async function countGiven({ database }: Stage): Promise<number> {
  const { rows } = await database.query("select count(*)::int as count from refunds where status = 'Succeeded'");
  return rows[0].count;
}

/** @throws Error where the rail gave one not back, or nobody learns that it did */
async function untilGiven({ database }: Stage): Promise<void> {
  const end = performance.now() + GIVEN_MS;
  while (performance.now() < end) {
    const { rows } = await database.query("select from refunds where status <> 'Succeeded' limit 1");
    if (rows.length === 0) return;
    await pause(20);
  }
  throw new Error('refunds are not given back');
}
