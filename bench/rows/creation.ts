// Creation and read of payments, compared with the same statements by plain pg.
import { DEMO } from '../../sandbox/seed.ts';
import type { Child } from '../kit/child.ts';
import type { BenchFixture } from '../kit/fixture.ts';
import { POOL_MAX } from '../kit/gateway.ts';
import type { Payment } from '../kit/processes/client.ts';
import type { Row } from '../kit/table.ts';

const ROUND_MS = 2_000;
const READ_PAYMENTS = 200;

export async function openCreation(fixture: BenchFixture): Promise<Row[]> {
  const { url, token } = fixture;
  const client = fixture.start('bench/kit/processes/client.ts');
  const floor = await openFloor(fixture);
  const rowAt = (concurrency: number, atLeast: number): Row => {
    const load = { concurrency, durationMs: ROUND_MS };
    return {
      name: `POST /api/payments, ${concurrency} concurrent ÷ BEGIN, 3 INSERT, COMMIT`,
      unit: '/s',
      target: { atLeast },
      measure: () => client.call('create', { url, token, ...load }),
      floor: () => floor.call('create', load),
    };
  };
  return [rowAt(16, 1), rowAt(64, 1.4)];
}

export async function openRead(fixture: BenchFixture): Promise<Row[]> {
  const { url, token } = fixture;
  const client = fixture.start('bench/kit/processes/client.ts');
  const floor = await openFloor(fixture);
  const creation = { url, token, concurrency: 16, count: READ_PAYMENTS };
  const ids = (await client.call<Payment[]>('createMany', creation)).map(({ id }) => id);
  const load = { concurrency: 16, durationMs: ROUND_MS, ids };
  return [
    {
      name: 'GET /api/payments/{id}, 16 concurrent ÷ a prepared SELECT',
      unit: '/s',
      target: { atLeast: 0.45 },
      measure: () => client.call('read', { url, token, ...load }),
      floor: () => floor.call('read', load),
    },
  ];
}

/** Starts the process of the floor, connected to the gateway's database. */
export async function openFloor({ start, databaseUrl }: BenchFixture): Promise<Child> {
  const floor = start('bench/kit/processes/floor.ts');
  await floor.call('open', { databaseUrl, poolMax: POOL_MAX, merchantId: DEMO.merchantId });
  return floor;
}
