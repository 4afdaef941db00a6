// GET /api/payments/{id} with everything on, beside a prepared select of the same row.
import { DEMO } from '../sandbox/seed.ts';
import { medianOf, type Rate } from './load.ts';
import { createPayments } from './payments.ts';
import { POOL_MAX, type Stage } from './stage.ts';
import { showRate, type Row } from './table.ts';

const CONCURRENCY = 16;
const ROUNDS = 3;
const ROUND_MS = 2_000;
const PAYMENTS = 500;

export async function benchRead(stage: Stage): Promise<Row[]> {
  const client = stage.start('bench/processes/client.ts');
  const floor = stage.start('bench/processes/floor.ts');
  const ids = (await createPayments(stage, PAYMENTS)).map(({ id }) => id);
  const { databaseUrl, url, token } = stage;
  const load = { concurrency: CONCURRENCY, durationMs: ROUND_MS, ids };
  const rounds: { ours: number; select: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const onDatabase = { ...load, databaseUrl, poolMax: POOL_MAX, merchantId: DEMO.merchantId };
    const { perSecond: select } = await floor.ask<Rate>('select', onDatabase);
    const { perSecond: ours } = await client.ask<Rate>('read', { ...load, url, token });
    // The first round warms up.
    if (round > 0) rounds.push({ ours, select });
  }
  await Promise.all([client.stop(), floor.stop()]);
  return [
    {
      name: `GET /api/payments/{id}, ${CONCURRENCY} at once ÷ a prepared SELECT`,
      ours: showRate(medianOf(rounds.map(({ ours }) => ours))),
      floor: showRate(medianOf(rounds.map(({ select }) => select))),
      ratio: medianOf(rounds.map(({ ours, select }) => ours / select)),
      target: { atLeast: 0.45 },
    },
  ];
}
