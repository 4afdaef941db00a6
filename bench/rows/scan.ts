// Concurrent scans of one QR code, compared with the SQL statements that add money to one row.
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchFixture } from '../kit/fixture.ts';
import type { Row } from '../kit/table.ts';
import { createCode } from './code.ts';
import { openFloor } from './creation.ts';

const CONCURRENCY = 64;
const SCANS = 500;

export async function openScan(fixture: BenchFixture): Promise<Row[]> {
  const { url, token, database } = fixture;
  const client = fixture.start('bench/kit/processes/client.ts');
  const floor = await openFloor(fixture);
  const [code, bare] = [await createCode(fixture, token), await createCode(fixture, token)];
  const scans = { url, attemptIds: [code.attemptId], concurrency: CONCURRENCY, count: SCANS };
  let expected = 0;
  /** Sends the scans and waits until all are recorded, because the gateway records a scan after its response. */
  const recordScans = async () => {
    const startedAt = performance.now();
    expected += SCANS;
    await client.call('scan', scans);
    for (;;) {
      const { rows } = await database.query<{ count: number }>(COUNT_ACCEPTED, [code.paymentId]);
      if (rows[0]?.count === expected) return (SCANS * 1000) / (performance.now() - startedAt);
      await pause(5);
    }
  };
  return [
    {
      name: `scans of one QR code, ${CONCURRENCY} concurrent ÷ BEGIN, UPDATE of one row, 2 INSERT, COMMIT`,
      unit: '/s',
      target: { atLeast: 1 },
      measure: recordScans,
      floor: () => floor.call('scan', { concurrency: CONCURRENCY, durationMs: 2_000, ids: [bare.paymentId] }),
    },
  ];
}

const COUNT_ACCEPTED = 'select accepted_count as count from payments where id = $1';
