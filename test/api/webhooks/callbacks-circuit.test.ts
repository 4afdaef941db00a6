import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../server/webhooks/claim.ts';
import { skipForRemoved, claimDeliveries, findDueEndpoints } from '../../../server/webhooks/claim.ts';
import { LEASE_MS } from '../../../server/webhooks/schedule.ts';
import {
  changesHealth,
  probeEndpointsNow,
  updateCircuits,
  type FinishedAttempt,
  type FailingEndpoints,
} from '../../../server/webhooks/record.ts';
import type { Core } from '../../../server/core.ts';
import { inTransaction, openDatabase, type Database } from '../../../server/database/orm.ts';
import { entities } from '../../../server/entities.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';

const NOW = new Date('2026-03-02T09:00:00.000Z');
const EARLIER = new Date('2026-03-02T08:30:00.000Z');
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

type Row = {
  id: string;
  merchantId: string;
  kind: 'callback' | 'webhook';
  url: string;
  accessKey: string | null;
  failures: number;
};

let fresh: FreshDatabase;
let database: Database;
let core: Core;
let failing: FailingEndpoints;
let now: Date;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase(fresh.url, { entities, poolMax: 2 });
  core = { ...database, clock: { now: () => now }, log: pino({ level: 'silent' }) } as unknown as Core;
});
afterAll(async () => {
  await database.orm.close(true);
  await fresh.drop();
});
beforeEach(() => {
  failing = new Set();
  now = NOW;
});

function makeRow(given: Partial<Row> = {}): Row {
  const ids = { id: randomUUID(), merchantId: randomUUID() };
  return { ...ids, kind: 'callback', url: 'https://shop.example/a', accessKey: 'k1', failures: 0, ...given };
}

async function insertEndpoint(given: Partial<Row> & { probeAt?: Date; isDeleted?: boolean } = {}): Promise<Row> {
  const { probeAt = null, isDeleted = false, ...changes } = given;
  const row = makeRow(changes);
  const { id, merchantId, kind, url, accessKey, failures } = row;
  const [since, deletedAt] = [failures > 0 ? EARLIER : null, isDeleted ? EARLIER : null];
  await database.pool.query(
    `insert into endpoints
      (id, merchant_id, kind, url, access_key, failures, failing_since, probe_at, created_at, updated_at, deleted_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10)`,
    [id, merchantId, kind, url, accessKey, failures, since, probeAt, EARLIER, deletedAt],
  );
  return row;
}

/** Returns an attempt with this response status. `claimed` has the endpoint's values from the time of the claim. */
function end(row: Row, status: number | null, claimed: Partial<ClaimedDelivery['endpoint']> = {}): FinishedAttempt {
  const { id, kind, url, accessKey, failures } = row;
  const endpoint = { id, kind, url, accessKey, secrets: null, failures, ...claimed };
  return { claimed: { endpoint }, result: { status } } as FinishedAttempt;
}

const settle = (...ended: FinishedAttempt[]) => updateCircuits(core, ended, failing);

async function read({ id }: Row) {
  const { rows } = await database.pool.query('select failures, failing_since, probe_at from endpoints where id = $1', [
    id,
  ]);
  const date = (text: unknown) => (text === null ? null : new Date(String(text)));
  return { failures: rows[0].failures, since: date(rows[0].failing_since), probeAt: date(rows[0].probe_at) };
}

async function readNews({ merchantId }: Row) {
  const { rows } = await database.pool.query('select * from events where merchant_id = $1 order by seq', [merchantId]);
  return rows.map(({ type, details, status, payment_id }) => ({ type, details, status, paymentId: payment_id }));
}

describe('settleCircuits', () => {
  test.each<[string, before: number, statuses: (number | null)[], failures: number]>([
    ['one more failure', 0, [503], 1],
    ['no answer is a failure', 0, [null], 1],
    ['1xx and 3xx are failures', 0, [199, 300], 2],
    ['every failure until the circuit opens', 3, [500, 500], 5],
    ['seven at the same time count as the five that open it', 0, [500, 500, 500, 500, 500, 500, 500], 5],
    ['concurrent failures after three stop at five', 3, [500, 500, 500, 500], 5],
    ['200 resets them', 4, [200], 0],
    ['299 resets them', 4, [299], 0],
    ['410 resets them', 4, [410], 0],
    ['only failures after the last success count', 4, [500, 200, 500, 500], 2],
    ['a later success resets them', 0, [500, 500, 204], 0],
    ['every probe of an open circuit counts', 7, [500], 8],
    ['a successful probe resets them', 9, [200], 0],
  ])('counts failures without a success in between: %s', async (_what, before, statuses, failures) => {
    const row = await insertEndpoint({ failures: before });
    await settle(...statuses.map((status) => end(row, status)));
    expect((await read(row)).failures).toBe(failures);
    expect(failing.has(row.id)).toBe(failures > 0);
  });

  test('ignores attempts that started before the circuit opened', async () => {
    const row = await insertEndpoint({ failures: 5, probeAt: after(3) });
    await settle(end(row, 500, { failures: 4 }), end(row, 500, { failures: 0 }));
    expect(await read(row)).toEqual({ failures: 5, since: EARLIER, probeAt: after(3) });
    await settle(end(row, 500, { failures: 4 }), end(row, 500, { failures: 5 }));
    expect((await read(row)).failures).toBe(6);
  });

  test('counts failures for each endpoint separately', async () => {
    const [one, other] = [await insertEndpoint(), await insertEndpoint({ failures: 2 })];
    failing.add(other.id);
    await settle(end(one, 500), end(other, 200), end(one, 500));
    expect([(await read(one)).failures, (await read(other)).failures]).toEqual([2, 0]);
    expect([...failing]).toEqual([one.id]);
  });
});

describe('the time of the next probe', () => {
  test.each<[string, before: number, statuses: number[], since: Date | null, probeS: number | null]>([
    ['none after the first failure', 0, [500], NOW, null],
    ['a later failure keeps failing_since', 3, [500], EARLIER, null],
    ['5 s after the failure that opens the circuit', 4, [500], EARLIER, 5],
    ['5 s after five concurrent failures', 0, [500, 500, 500, 500, 500], NOW, 5],
    ['10 s after a failed probe', 5, [500], EARLIER, 10],
    ['none after a success', 6, [200], null, null],
    ['none after a success and a failure', 6, [200, 500], NOW, null],
  ])('depends on the number of failures: %s', async (_what, before, statuses, since, probeS) => {
    const row = await insertEndpoint({ failures: before, ...(before >= 5 && { probeAt: NOW }) });
    await settle(...statuses.map((status) => end(row, status)));
    expect(await read(row)).toMatchObject({ since, probeAt: probeS === null ? null : after(probeS) });
  });

  test('is now after probeNow, only for endpoints of the given merchant', async () => {
    const [open, elsewhere] = [
      await insertEndpoint({ failures: 6, probeAt: after(40) }),
      await insertEndpoint({ failures: 6, probeAt: after(40) }),
    ];
    const closed = await insertEndpoint({ merchantId: open.merchantId, kind: 'webhook' });
    await inTransaction(core, (db) => probeEndpointsNow(db, open.merchantId, NOW));
    expect((await read(open)).probeAt).toEqual(NOW);
    expect((await read(closed)).probeAt).toBeNull();
    expect((await read(elsewhere)).probeAt).toEqual(after(40));
  });
});

describe('the events of a circuit', () => {
  test.each(['callback', 'webhook'] as const)(
    'are one %s.endpoint_failing per opening and one endpoint_recovered per closing',
    async (kind) => {
      const row = await insertEndpoint({ kind, failures: 4, ...(kind === 'webhook' && { accessKey: null }) });
      await settle(end(row, 500));
      await settle(end({ ...row, failures: 5 }, 500));
      const news = { status: null, paymentId: null };
      const details = { endpointId: row.id, failingSince: EARLIER.toISOString() };
      const opened = { ...news, type: `${kind}.endpoint_failing`, details: { ...details, failures: 5 } };
      expect(await readNews(row)).toEqual([opened]);
      await settle(end({ ...row, failures: 6 }, 200));
      const closed = { ...news, type: `${kind}.endpoint_recovered`, details: { ...details, failures: 0 } };
      expect(await readNews(row)).toEqual([opened, closed]);
      await settle(...Array.from({ length: 5 }, () => end(row, 500, { failures: 0 })));
      expect((await readNews(row)).map(({ type }) => type)).toEqual([opened.type, closed.type, opened.type]);
    },
  );

  test('contain the time of the first failure', async () => {
    const row = await insertEndpoint();
    await settle(...Array.from({ length: 5 }, () => end(row, 500)));
    expect((await readNews(row)).map(({ details }) => details.failingSince)).toEqual([NOW.toISOString()]);
  });

  test('are not written while the failures are below the threshold', async () => {
    const row = await insertEndpoint({ failures: 2 });
    await settle(end(row, 500));
    await settle(end({ ...row, failures: 3 }, 200));
    expect(await readNews(row)).toEqual([]);
  });
});

describe('the result of an attempt', () => {
  test.each<[string, Partial<Row>, Partial<ClaimedDelivery['endpoint']>, counted: boolean]>([
    ['a call to a former URL', {}, { url: 'https://shop.example/b' }, false],
    ['a call with a former access key', {}, { accessKey: 'k0' }, false],
    ['a call without the present access key', {}, { accessKey: null }, false],
    ['a call with the present access key', {}, {}, true],
    ['a call without a key to an endpoint without a key', { accessKey: null }, {}, true],
    ['a webhook, which has no access key', { kind: 'webhook', accessKey: null }, { accessKey: 'k0' }, true],
    ['a webhook at a former URL', { kind: 'webhook', accessKey: null }, { url: 'https://shop.example/b' }, false],
  ])(
    'counts only if the endpoint still has the called URL and access key: %s',
    async (_what, given, claimed, counted) => {
      const row = await insertEndpoint({ failures: 2, ...given });
      await settle(end(row, 500, claimed));
      expect((await read(row)).failures).toBe(counted ? 3 : 2);
      expect(failing.has(row.id)).toBe(true);
    },
  );

  test('does not change a removed endpoint', async () => {
    const row = await insertEndpoint({ failures: 4, isDeleted: true });
    failing.add(row.id);
    await settle(end(row, 500));
    expect((await read(row)).failures).toBe(4);
    expect(failing.size).toBe(0);
    expect(await readNews(row)).toEqual([]);
  });

  test('leaves the endpoint marked as failing if the database does not count the failure', async () => {
    const pool = new pg.Pool({ connectionString: fresh.url });
    await pool.end();
    const row = await insertEndpoint();
    await updateCircuits({ ...core, pool }, [end(row, 200)], failing);
    expect(failing.has(row.id)).toBe(true);
  });
});

test.each<[status: number | null, failures: number, isFailing: boolean, news: boolean]>([
  [200, 0, false, false],
  [299, 0, false, false],
  [410, 0, false, false],
  [199, 0, false, true],
  [300, 0, false, true],
  [409, 0, false, true],
  [411, 0, false, true],
  [null, 0, false, true],
  [200, 1, false, true],
  [200, 0, true, true],
])(
  'with the status %s after %i failures, known as failing: %s, changes the health: %s',
  (status, failures, known, news) => {
    const row = makeRow({ failures });
    expect(changesHealth(end(row, status), new Set(known ? [row.id] : []))).toBe(news);
  },
);

describe('the delivery engine', () => {
  let endpointId: string;
  let merchantId: string;
  beforeEach(async () => {
    ({ id: endpointId, merchantId } = await insertEndpoint({ kind: 'webhook', accessKey: null, failures: 2 }));
  });

  async function insertDelivery(given: { dueAt?: Date; triesSince?: Date; tries?: number } = {}): Promise<string> {
    const { dueAt = NOW, triesSince = null, tries = 0 } = given;
    const id = randomUUID();
    await database.pool.query(
      `insert into deliveries (id, merchant_id, endpoint_id, kind, type, status, tries, tries_since, due_at, created_at)
       values ($1, $2, $3, 'webhook', 'payment.paid', 'Pending', $4, $5, $6, $7)`,
      [id, merchantId, endpointId, tries, triesSince, dueAt, EARLIER],
    );
    return id;
  }

  const claim = (slotsPerKey = 16, busy = 0) =>
    claimDeliveries(core, {
      keys: [endpointId],
      busy: new Map(busy > 0 ? [[endpointId, busy]] : []),
      slotsPerKey,
    });
  const later = (ms: number) => void (now = new Date(now.getTime() + ms));

  test('claims a delivery with the number of its attempt, the start of its schedule and its endpoint', async () => {
    const [first, again] = [await insertDelivery(), await insertDelivery({ triesSince: EARLIER, tries: 3 })];
    const claims = await claim();
    expect(claims).toMatchObject([
      { id: first, merchantId, kind: 'webhook', type: 'payment.paid', number: 1, tries: 0, createdAt: EARLIER },
      { id: again, number: 1, tries: 3, triesSince: EARLIER },
    ]);
    expect(claims[0]).toMatchObject({ triesSince: null, paymentId: null, eventSeq: null, money: null });
    const endpoint = { id: endpointId, kind: 'webhook', url: 'https://shop.example/a', accessKey: null, failures: 2 };
    expect(claims[0]?.endpoint).toMatchObject(endpoint);
  });

  test('claims a delivery once until the lease ends', async () => {
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
  ])('with %i slots and %i running attempts claims %i deliveries', async (slotsPerKey, busy, claimed) => {
    for (let n = 0; n < 3; n++) await insertDelivery();
    expect(await claim(slotsPerKey, busy)).toHaveLength(claimed);
  });

  test('claims a delivery of another payment although one payment has a long queue', async () => {
    const { rows } = await database.pool.query(
      `insert into deliveries (id, merchant_id, endpoint_id, kind, type, payment_id, status, due_at, created_at)
       select gen_random_uuid(), $1, $2, 'callback', 'callback.qrcode', $3, 'Pending', $4, $5
       from generate_series(1, 300)
       returning id, seq`,
      [merchantId, endpointId, randomUUID(), NOW, EARLIER],
    );
    const [{ id: head }] = rows.toSorted((one, two) => one.seq - two.seq);
    const other = await insertDelivery();
    expect((await claim()).map(({ id }) => id)).toEqual([head, other]);
  });

  test('finds an endpoint by findDueEndpoints as soon as a delivery of the endpoint is due', async () => {
    await insertDelivery({ dueAt: new Date(NOW.getTime() + 1) });
    expect(await findDueEndpoints(core)).not.toContain(endpointId);
    later(1);
    expect(await findDueEndpoints(core)).toContain(endpointId);
  });

  test('cancels by cancelForRemoved a delivery that was written while its endpoint was being removed', async () => {
    await insertDelivery();
    await skipForRemoved(core, [endpointId]);
    expect(await findDueEndpoints(core)).toContain(endpointId);
    await database.pool.query('update endpoints set deleted_at = $2 where id = $1', [endpointId, NOW]);
    await skipForRemoved(core, [endpointId]);
    expect(await findDueEndpoints(core)).not.toContain(endpointId);
    expect(await claim()).toEqual([]);
  });
});
