// Claims due deliveries on a real database: each once while its lease stands.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cancelForRemoved, claimDeliveries, findDueEndpoints } from '../../../server/webhooks/claim.ts';
import { LEASE_MS } from '../../../server/webhooks/schedule.ts';
import type { Core } from '../../../server/core.ts';
import { openDatabase, type Database } from '../../../server/database/orm.ts';
import { entities } from '../../../server/entities.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';

const START = new Date('2026-03-02T09:00:00.000Z');
const SINCE = new Date('2026-03-01T09:00:00.000Z');

let fresh: FreshDatabase;
let database: Database;
let core: Core;
let now: Date;
let endpointId: string;
const merchantId = randomUUID();

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase(fresh.url, { entities, poolMax: 2 });
  core = { ...database, clock: { now: () => now } } as unknown as Core;
});
afterAll(async () => {
  await database.orm.close(true);
  await fresh.drop();
});
beforeEach(async () => {
  now = START;
  endpointId = randomUUID();
  await database.pool.query(
    `insert into endpoints (id, merchant_id, kind, url, access_key, failures, created_at, updated_at)
     values ($1, $2, 'webhook', 'https://shop.example/', null, 2, $3, $3)`,
    [endpointId, merchantId, SINCE],
  );
});

async function insertDelivery(given: { dueAt?: Date; triesSince?: Date; tries?: number } = {}): Promise<string> {
  const { dueAt = START, triesSince = null, tries = 0 } = given;
  const id = randomUUID();
  await database.pool.query(
    `insert into deliveries (id, merchant_id, endpoint_id, kind, type, status, tries, tries_since, due_at, created_at)
     values ($1, $2, $3, 'webhook', 'payment.paid', 'Pending', $4, $5, $6, $7)`,
    [id, merchantId, endpointId, tries, triesSince, dueAt, SINCE],
  );
  return id;
}

const claim = (room = 16, busy = 0) =>
  claimDeliveries(core, {
    keys: [endpointId],
    busy: new Map(busy > 0 ? [[endpointId, busy]] : []),
    room,
  });
const later = (ms: number) => void (now = new Date(now.getTime() + ms));

test('what is claimed says which attempt it is, since when, and where it goes', async () => {
  const [first, again] = [await insertDelivery(), await insertDelivery({ triesSince: SINCE, tries: 3 })];
  const claims = await claim();
  expect(claims).toMatchObject([
    { id: first, merchantId, kind: 'webhook', type: 'payment.paid', number: 1, tries: 0, createdAt: SINCE },
    { id: again, number: 1, tries: 3, triesSince: SINCE },
  ]);
  expect(claims[0]).toMatchObject({ triesSince: null, paymentId: null, eventSeq: null, money: null });
  const endpoint = { id: endpointId, kind: 'webhook', url: 'https://shop.example/', accessKey: null, failures: 2 };
  expect(claims[0]?.endpoint).toMatchObject(endpoint);
});

test('it is nobody else’s until its lease ends, and then another attempt', async () => {
  const id = await insertDelivery();
  expect(await claim()).toHaveLength(1);
  later(LEASE_MS - 1);
  expect(await claim()).toEqual([]);
  later(1);
  expect(await claim()).toMatchObject([{ id, number: 2 }]);
});

test.each([
  [16, 0, 3],
  [2, 0, 2],
  [3, 2, 1],
  [2, 2, 0],
  [1, 2, 0],
])('with room for %i and %i under way, %i are claimed', async (room, busy, claimed) => {
  for (let n = 0; n < 3; n++) await insertDelivery();
  expect(await claim(room, busy)).toHaveLength(claimed);
});

test('claims a delivery of another payment behind a long queue of one payment', async () => {
  const { rows } = await database.pool.query(
    `insert into deliveries (id, merchant_id, endpoint_id, kind, type, payment_id, status, due_at, created_at)
     select gen_random_uuid(), $1, $2, 'callback', 'callback.qrcode', $3, 'Pending', $4, $5 from generate_series(1, 300)
     returning id, seq`,
    [merchantId, endpointId, randomUUID(), START, SINCE],
  );
  const [{ id: head }] = rows.toSorted((one, two) => one.seq - two.seq);
  const other = await insertDelivery();
  expect((await claim()).map(({ id }) => id)).toEqual([head, other]);
});

test('an endpoint is found when something is due there, not before', async () => {
  await insertDelivery({ dueAt: new Date(START.getTime() + 1) });
  expect(await findDueEndpoints(core)).not.toContain(endpointId);
  later(1);
  expect(await findDueEndpoints(core)).toContain(endpointId);
});

test('what was written while its endpoint was being removed is skipped', async () => {
  await insertDelivery();
  await cancelForRemoved(core, [endpointId]);
  expect(await findDueEndpoints(core)).toContain(endpointId);
  await database.pool.query('update endpoints set deleted_at = $2 where id = $1', [endpointId, START]);
  await cancelForRemoved(core, [endpointId]);
  expect(await findDueEndpoints(core)).not.toContain(endpointId);
  expect(await claim()).toEqual([]);
});
