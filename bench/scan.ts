// Many payments of one QR code at once, until all are recorded, beside the statements that add money to one row.
import { setTimeout as pause } from 'node:timers/promises';
import { DEMO } from '../sandbox/seed.ts';
import type { Child } from './child.ts';
import { medianOf, type Rate } from './load.ts';
import { writeMethodRequest } from './sample.ts';
import { POOL_MAX, type Stage } from './stage.ts';
import { showRate, type Row } from './table.ts';

const CONCURRENCY = 64;
const ROUNDS = 3;
const SCANS = 1_000;
const FLOOR_MS = 2_000;
/** What the sample sells for. */
const AMOUNT = '15250.50';

export async function benchScan(stage: Stage): Promise<Row[]> {
  const client = stage.start('bench/processes/client.ts');
  const floor = stage.start('bench/processes/floor.ts');
  const [code, bare] = [await createCode(stage, 2e9), await createCode(stage, 2e9 + 1)];
  const { databaseUrl } = stage;
  const onDatabase = { concurrency: CONCURRENCY, durationMs: FLOOR_MS, databaseUrl, poolMax: POOL_MAX };
  const rounds: { ours: number; row: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const { perSecond: row } = await floor.ask<Rate>('addMoney', {
      ...onDatabase,
      merchantId: DEMO.merchantId,
      ids: [bare.id],
    });
    const ours = await runScans(stage, client, code, (round + 1) * SCANS);
    // The first round warms up.
    if (round > 0) rounds.push({ ours, row });
  }
  await Promise.all([client.stop(), floor.stop()]);
  return [
    {
      name: `scans of one QR code recorded, ${CONCURRENCY} at once ÷ BEGIN, UPDATE of one row, 2 INSERT, COMMIT`,
      ours: showRate(medianOf(rounds.map(({ ours }) => ours))),
      floor: showRate(medianOf(rounds.map(({ row }) => row))),
      ratio: medianOf(rounds.map(({ ours, row }) => ours / row)),
      target: { atLeast: 0.4 },
    },
  ];
}

type Code = { id: string; attemptId: string };

async function createCode({ url, token, database }: Stage, nth: number): Promise<Code> {
  const reply = await fetch(`${url}/api/payments`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: writeMethodRequest(nth, { paymentMethod: 'qrcode', maxTransactions: 10_000 }),
  });
  const id = reply.headers.get('payment-id');
  if (reply.status !== 200 || !id) throw new Error(`no code: ${await reply.text()}`);
  const { rows } = await database.query<{ id: string }>('select id from attempts where payment_id = $1', [id]);
  return { id, attemptId: rows[0]?.id ?? '' };
}

/** From the first notification sent until the last payment is recorded, which comes after its answer. */
async function runScans({ url, rail, database }: Stage, client: Child, code: Code, upTo: number): Promise<number> {
  const startedAt = performance.now();
  const scans = { qrCodeId: code.attemptId, amount: AMOUNT, count: SCANS, concurrency: CONCURRENCY };
  await client.ask<void>('tellScans', { url, key: rail.key, ...scans });
  const recorded = 'select accepted_count as count from payments where id = $1';
  for (;;) {
    const { rows } = await database.query<{ count: number }>(recorded, [code.id]);
    if (rows[0]?.count === upTo) return (SCANS * 1000) / (performance.now() - startedAt);
    await pause(5);
  }
}
