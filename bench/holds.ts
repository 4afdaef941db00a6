// An authorization and its capture, beside two plain creations: what reserving at the rail and claiming a row cost.
import { medianOf, type Rate } from './load.ts';
import type { Stage } from './stage.ts';
import { showRate, type Row } from './table.ts';

const CONCURRENCY = 16;
const ROUNDS = 3;
const ROUND_MS = 2_500;

export async function benchHolds(stage: Stage): Promise<Row[]> {
  const client = stage.start('bench/processes/client.ts');
  const { url, token } = stage;
  const load = { concurrency: CONCURRENCY, durationMs: ROUND_MS, url, token };
  const rounds: { ours: number; creations: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const { perSecond: creations } = await client.ask<Rate>('createTwo', load);
    const { perSecond: ours } = await client.ask<Rate>('hold', load);
    // The first round warms up.
    if (round > 0) rounds.push({ ours, creations });
  }
  await client.stop();
  return [
    {
      name: `authorization and its capture, ${CONCURRENCY} at once ÷ two creations`,
      ours: showRate(medianOf(rounds.map(({ ours }) => ours))),
      floor: showRate(medianOf(rounds.map(({ creations }) => creations))),
      ratio: medianOf(rounds.map(({ ours, creations }) => ours / creations)),
      target: { atLeast: 0.35 },
    },
  ];
}
