// POST /api/payments/{id}/refunds through the rail, beside creations of payments in the same run.
import { medianOf, type Rate } from './load.ts';
import { fillReceived } from './received.ts';
import type { Stage } from './stage.ts';
import { showRate, type Row } from './table.ts';

const CONCURRENCY = 16;
const PAYMENTS = 2_000;
const ROUNDS = 5;
const ROUND_MS = 2_500;

export async function benchRefunds(stage: Stage): Promise<Row[]> {
  const { url, token } = stage;
  const client = stage.start('bench/processes/client.ts');
  const ids = await fillReceived(stage.database, '90001', PAYMENTS);
  const load = { url, token, ids, concurrency: CONCURRENCY, durationMs: ROUND_MS };
  const rounds: { ours: number; creations: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const { perSecond: creations } = await client.ask<Rate>('create', load);
    const { perSecond: ours } = await client.ask<Rate>('refund', load);
    // The first round warms up.
    if (round > 0) rounds.push({ ours, creations });
  }
  await client.stop();
  return [
    {
      name: `POST /api/payments/{id}/refunds, ${CONCURRENCY} at once ÷ POST /api/payments`,
      ours: showRate(medianOf(rounds.map(({ ours }) => ours))),
      floor: showRate(medianOf(rounds.map(({ creations }) => creations))),
      ratio: medianOf(rounds.map(({ ours, creations }) => ours / creations)),
      target: { atLeast: 0.5 },
    },
  ];
}
