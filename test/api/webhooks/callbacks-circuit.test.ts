// What attempts say of their endpoint, on a real database: the failures in a row, the probe, and the news of a circuit that opens or closes.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../server/webhooks/claim.ts';
import { isNews, probeNow, settleCircuits, type Ended, type Failing } from '../../../server/webhooks/record.ts';
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
let failing: Failing;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase(fresh.url, { entities, poolMax: 2 });
  core = { ...database, clock: { now: () => NOW }, log: pino({ level: 'silent' }) } as unknown as Core;
});
afterAll(async () => {
  await database.orm.close(true);
  await fresh.drop();
});
beforeEach(() => {
  failing = new Set();
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
    `insert into endpoints (id, merchant_id, kind, url, access_key, failures, failing_since, probe_at, created_at, updated_at, deleted_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10)`,
    [id, merchantId, kind, url, accessKey, failures, since, probeAt, EARLIER, deletedAt],
  );
  return row;
}

/** An attempt that ended with this status; `claimed` is what its claim knew of the endpoint. */
function end(row: Row, status: number | null, claimed: Partial<ClaimedDelivery['endpoint']> = {}): Ended {
  const { id, kind, url, accessKey, failures } = row;
  const endpoint = { id, kind, url, accessKey, secrets: null, failures, ...claimed };
  return { claimed: { endpoint }, result: { status } } as Ended;
}

const settle = (...ended: Ended[]) => settleCircuits(core, ended, failing);

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

describe('failures in a row', () => {
  test.each<[string, before: number, statuses: (number | null)[], failures: number]>([
    ['one more', 0, [503], 1],
    ['no answer is a failure', 0, [null], 1],
    ['1xx and 3xx are failures', 0, [199, 300], 2],
    ['each counts until the circuit opens', 3, [500, 500], 5],
    ['at once no more than open it', 0, [500, 500, 500, 500, 500, 500, 500], 5],
    ['at once no more than open it, from where it stood', 3, [500, 500, 500, 500], 5],
    ['200 ends them', 4, [200], 0],
    ['299 ends them', 4, [299], 0],
    ['410 is about one delivery: somebody is there', 4, [410], 0],
    ['only those after the last success count', 4, [500, 200, 500, 500], 2],
    ['a success after them ends them', 0, [500, 500, 204], 0],
    ['once it is open each probe counts', 7, [500], 8],
    ['a probe that succeeds ends them', 9, [200], 0],
  ])('%s', async (_what, before, statuses, failures) => {
    const row = await insertEndpoint({ failures: before });
    await settle(...statuses.map((status) => end(row, status)));
    expect((await read(row)).failures).toBe(failures);
    expect(failing.has(row.id)).toBe(failures > 0);
  });

  test('once it is open, what had gone out before says nothing more', async () => {
    const row = await insertEndpoint({ failures: 5, probeAt: after(3) });
    await settle(end(row, 500, { failures: 4 }), end(row, 500, { failures: 0 }));
    expect(await read(row)).toEqual({ failures: 5, since: EARLIER, probeAt: after(3) });
    await settle(end(row, 500, { failures: 4 }), end(row, 500, { failures: 5 }));
    expect((await read(row)).failures).toBe(6);
  });

  test('each endpoint by its own', async () => {
    const [one, other] = [await insertEndpoint(), await insertEndpoint({ failures: 2 })];
    failing.add(other.id);
    await settle(end(one, 500), end(other, 200), end(one, 500));
    expect([(await read(one)).failures, (await read(other)).failures]).toEqual([2, 0]);
    expect([...failing]).toEqual([one.id]);
  });
});

describe('since when, and when it is tried again', () => {
  test.each<[string, before: number, statuses: number[], since: Date | null, probeS: number | null]>([
    ['the first failure', 0, [500], NOW, null],
    ['a later one leaves the beginning', 3, [500], EARLIER, null],
    ['the one that opens it', 4, [500], EARLIER, 5],
    ['all five at once', 0, [500, 500, 500, 500, 500], NOW, 5],
    ['a probe that failed', 5, [500], EARLIER, 10],
    ['a success', 6, [200], null, null],
    ['a failure after a success begins anew', 6, [200, 500], NOW, null],
  ])('%s', async (_what, before, statuses, since, probeS) => {
    const row = await insertEndpoint({ failures: before, ...(before >= 5 && { probeAt: NOW }) });
    await settle(...statuses.map((status) => end(row, status)));
    expect(await read(row)).toMatchObject({ since, probeAt: probeS === null ? null : after(probeS) });
  });

  test('somebody who asks for it has an open one tried now, and no other merchant’s', async () => {
    const [open, elsewhere] = [
      await insertEndpoint({ failures: 6, probeAt: after(40) }),
      await insertEndpoint({ failures: 6, probeAt: after(40) }),
    ];
    const closed = await insertEndpoint({ merchantId: open.merchantId, kind: 'webhook' });
    await inTransaction(core, (db) => probeNow(db, open.merchantId, NOW));
    expect((await read(open)).probeAt).toEqual(NOW);
    expect((await read(closed)).probeAt).toBeNull();
    expect((await read(elsewhere)).probeAt).toEqual(after(40));
  });
});

describe('news', () => {
  test.each(['callback', 'webhook'] as const)('of a %s: once when it opens, once when it works again', async (kind) => {
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
  });

  test('of one that was never failing: since now', async () => {
    const row = await insertEndpoint();
    await settle(...Array.from({ length: 5 }, () => end(row, 500)));
    expect((await readNews(row)).map(({ details }) => details.failingSince)).toEqual([NOW.toISOString()]);
  });

  test('none below the opening, in either direction', async () => {
    const row = await insertEndpoint({ failures: 2 });
    await settle(end(row, 500));
    await settle(end({ ...row, failures: 3 }, 200));
    expect(await readNews(row)).toEqual([]);
  });
});

describe('what says nothing of the endpoint as it is now', () => {
  test.each<[string, Partial<Row>, Partial<ClaimedDelivery['endpoint']>, counted: boolean]>([
    ['a call to a former url', {}, { url: 'https://shop.example/b' }, false],
    ['a call with a former key', {}, { accessKey: 'k0' }, false],
    ['a call without the key it has now', {}, { accessKey: null }, false],
    ['a call with the key it has', {}, {}, true],
    ['a call without a key where there is none', { accessKey: null }, {}, true],
    ['a webhook, which has no key', { kind: 'webhook', accessKey: null }, { accessKey: 'k0' }, true],
    ['a webhook at a former url', { kind: 'webhook', accessKey: null }, { url: 'https://shop.example/b' }, false],
  ])('%s: %o, %o', async (_what, given, claimed, counted) => {
    const row = await insertEndpoint({ failures: 2, ...given });
    await settle(end(row, 500, claimed));
    expect((await read(row)).failures).toBe(counted ? 3 : 2);
    expect(failing.has(row.id)).toBe(true);
  });

  test('an endpoint that was removed is not written, and no longer failing', async () => {
    const row = await insertEndpoint({ failures: 4, isDeleted: true });
    failing.add(row.id);
    await settle(end(row, 500));
    expect((await read(row)).failures).toBe(4);
    expect(failing.size).toBe(0);
    expect(await readNews(row)).toEqual([]);
  });

  test('what could not be counted is asked again by the next attempt', async () => {
    const pool = new pg.Pool({ connectionString: fresh.url });
    await pool.end();
    const row = await insertEndpoint();
    await settleCircuits({ ...core, pool }, [end(row, 200)], failing);
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
])('%s of an endpoint with %i failures, failing as far as known: %s: news %s', (status, failures, known, news) => {
  const row = makeRow({ failures });
  expect(isNews(end(row, status), new Set(known ? [row.id] : []))).toBe(news);
});
