// Totals of lists during writes, folds of counts, open transactions and broken connections.
// Each read compares a total with count(*) in one snapshot.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inSnapshot } from '../../../server/database/orm.ts';
import { foldLists } from '../../../server/lists/fold.ts';
import { countList, type Listing } from '../../../server/lists/page.ts';
import { recountLists } from '../../../server/lists/recount.ts';
import {
  DELIVERIES,
  NOTIFICATIONS,
  PAYMENTS,
  type CountedList,
} from '../../../server/database/functions/counted-lists.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { expectCounted, foldWhole } from '../../support/lists.ts';
import { holdLock } from '../../support/locks.ts';
import { create, webframe } from '../../support/payments.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  twin = await app.startTwin();
});
beforeEach(() => create(app, webframe()));

const { merchantId } = DEMO;

type Span = { from?: Date; to?: Date };
type TotalRequest = { list?: CountedList; status?: string; span?: Span };

/** Reads the stored total and the number of matching rows in one snapshot. */
function readBoth({ list = PAYMENTS, status, span = {} }: TotalRequest, on = app) {
  const at = list.at ?? 'created_at';
  const rows: Listing['rows'] = (tables, { from, to }) => {
    let found = (tables as any).selectFrom(list.table).where('merchantId', '=', merchantId);
    if (status) found = found.where('status', '=', status);
    if (from) found = found.where('createdAt', '>=', from);
    if (to) found = found.where('createdAt', '<', to);
    return found;
  };
  const listing = { list, merchantId, keys: { status }, rows } as unknown as Listing;
  return inSnapshot(on.node.core, async (db) => {
    const total = await countList(db, listing, span);
    const { rows: found } = await db.pool.query<{ n: number }>(
      `select count(*)::int as n from ${list.table} where merchant_id = $1
        and ($2::text is null or ${list.keys['status'] ?? 'null'} = $2)
        and ($3::timestamptz is null or ${at} >= $3) and ($4::timestamptz is null or ${at} < $4)`,
      [merchantId, status ?? null, span.from ?? null, span.to ?? null],
    );
    return { total, found: found[0]!.n };
  });
}

async function expectExact(asked: TotalRequest = {}, on = app): Promise<void> {
  const { total, found } = await readBoth(asked, on);
  expect({ ...asked, total }).toEqual({ ...asked, total: found });
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(app.databaseUrl);
  client.on('error', () => {});
  await client.connect();
  return client;
}

const COPY_PAYMENT = `insert into payments select (json_populate_record(p, json_build_object('id', $1::uuid,
  'reference_claim', null))).*
  from payments p where status = 'Pending' limit 1`;

/** Inserts a payment in an open transaction. The returned function commits the transaction. */
async function beginPayment(): Promise<() => Promise<void>> {
  const client = await connect();
  await client.query('begin');
  await client.query(COPY_PAYMENT, [randomUUID()]);
  return async () => {
    await client.query('commit');
    await client.end();
  };
}

const foldAll = () => foldLists(app.node.core);
const countDeltas = async () => (await app.sql('select count(*)::int as n from list_deltas'))[0].n as number;
const FOLDING = `datname = current_database() and query like '%with held as%' and pid <> pg_backend_pid()`;

const insertDeliveries = (n: number, createdAt: Date, status = 'Delivered') =>
  app.sql(
    `insert into deliveries (id, merchant_id, kind, type, status, created_at, attempts, tries)
      select gen_random_uuid(), $1, 'callback', 'callback.ppr', $4, $2, 1, 1 from generate_series(1, $3::int)`,
    [merchantId, createdAt, n, status],
  );

describe('the total of a list', () => {
  test('equals count(*) in its snapshot while two nodes write and fold counts, and folds are killed', async () => {
    let isDone = false;
    const started = app.clock.now().getTime();
    const writers = Array.from({ length: 4 }, async (_, who) => {
      for (let nth = 0; nth < 8; nth++) {
        const on = (who + nth) % 2 ? app : twin;
        const { internalId } = await create(on, webframe());
        if (nth % 5 === 0) await app.clock.pass(HOUR_MS / 20);
        if (nth % 2) await on.call(`/api/payments/${internalId}/cancel`, { method: 'POST', body: {} });
        if (nth % 4 === 3) await (await beginPayment())();
        await insertDeliveries(3, new Date(started + nth * 1_000));
        await app.sql(
          `delete from deliveries where seq in (select seq from deliveries where status = 'Delivered' limit 1)`,
        );
      }
    });
    const ended = Promise.all(writers).finally(() => {
      isDone = true;
    });
    // These folds have connections of their own. A connection of a node may serve another request when it is killed.
    const settings = { connectionString: app.databaseUrl, application_name: 'folds', max: 1 };
    const pools = [1, 2].map(() => new pg.Pool(settings).on('error', () => {}));
    const folders = pools.map(async (pool) => {
      while (!isDone) await foldLists({ pool }).catch(() => {});
      await pool.end();
    });
    const killed = `${FOLDING} and application_name = 'folds' and state <> 'idle'`;
    const killing = (async () => {
      while (!isDone) await app.sql(`select pg_terminate_backend(pid) from pg_stat_activity where ${killed}`);
    })();
    const early = { from: new Date(started - 5), to: new Date(started + HOUR_MS / 10) };
    let reads = 0;
    while (!isDone) {
      const on = reads % 2 ? app : twin;
      await expectExact({}, on);
      await expectExact({ status: reads % 2 ? 'Pending' : 'Canceled' }, on);
      await expectExact({ status: 'Pending', span: early }, on);
      await expectExact({ list: DELIVERIES }, on);
      await expectExact({ list: DELIVERIES, status: 'Delivered', span: early }, on);
      await expectExact({ list: NOTIFICATIONS }, on);
      reads++;
    }
    await Promise.all([ended, ...folders, killing]);
    expect(reads).toBeGreaterThan(3);
    await expectCounted(app);
  });

  test('excludes the payment of an open transaction until the commit, and then includes it', async () => {
    await foldAll();
    const commit = await beginPayment();
    await create(app, webframe());
    await expectExact();
    await foldAll();
    expect(await countDeltas()).toBeGreaterThan(0);
    await expectExact();
    await commit();
    await expectExact();
    await foldWhole(app);
    await expectExact();
  });

  test('does not change in a snapshot that is older than a fold', async () => {
    const before = await readBoth({});
    await inSnapshot(twin.node.core, async (db) => {
      const count = () =>
        countList(db, { list: PAYMENTS, merchantId, keys: {}, rows: () => null } as unknown as Listing, {});
      expect(await count()).toBe(before.total);
      await create(app, webframe());
      await foldAll();
      expect(await count()).toBe(before.total);
    });
    expect(await readBoth({})).toEqual({ total: before.total + 1, found: before.total + 1 });
  });

  test('does not change if the connection of a fold breaks, and another node folds', async () => {
    await foldAll();
    await create(app, webframe());
    const letGo = await holdLock(app.databaseUrl, `update list_counts set n = n where list = 'payments'`);
    // A fold skips counts that an open transaction may change, also one in the database of another test.
    let isBroken = false;
    const folding = (async () => {
      while (!isBroken) await foldAll().catch(() => (isBroken = true));
    })();
    const isWaiting = `${FOLDING} and wait_event_type = 'Lock'`;
    try {
      await until(
        async () =>
          (await app.sql(`select pg_terminate_backend(pid) from pg_stat_activity where ${isWaiting}`)).length > 0,
        'the fold waiting',
      );
      await folding;
    } finally {
      isBroken = true;
      await letGo();
    }
    expect(await countDeltas()).toBeGreaterThan(0);
    await expectExact();
    await foldWhole(twin);
    await expectExact();
    await expectExact({ status: 'Pending' });
  });

  test('decreases by the rows that the retention deletes', async () => {
    const at = new Date('2025-01-01T10:30:00Z');
    await insertDeliveries(20, at);
    await foldAll();
    const { total } = await readBoth({ list: DELIVERIES });
    await app.sql(`delete from deliveries where created_at < '2025-01-02'`);
    expect(await readBoth({ list: DELIVERIES })).toEqual({ total: total - 20, found: total - 20 });
    await foldAll();
    await expectExact({ list: DELIVERIES });
    await expectExact({ list: DELIVERIES, span: { from: new Date('2025-01-01T10:10:00Z') } });
  });

  test("is exact if transaction ids come from another cluster and are higher than this cluster's", async () => {
    const ahead = '4611686018427387904';
    await create(app, webframe());
    await app.sql(`update list_folds set upto = $1`, [ahead]);
    await app.sql(`update list_deltas set xid = $1 where id = (select max(id) from list_deltas)`, [ahead]);
    await create(app, webframe());
    await expectExact();
    await foldAll();
    await expectExact();
    await create(app, webframe());
    await expectExact();
    await recountLists(app.node.core);
    expect(await countDeltas()).toBe(0);
    await expectExact();
  });
});

describe("a recount of the list's total", () => {
  test('replaces wrong stored counts while a node writes', async () => {
    await app.sql(`update list_counts set n = n + 7`);
    await app.sql(
      `insert into list_deltas (list, merchant_id, at, keys, n)
        values ('payments', $1, '2026-01-01', '{Paid,GPO,AOA}', 5)`,
      [merchantId],
    );
    const commit = await beginPayment();
    let isDone = false;
    const writing = (async () => {
      while (!isDone) await create(twin, webframe());
    })();
    await recountLists(app.node.core).finally(() => {
      isDone = true;
    });
    await expectExact();
    await writing;
    await commit();
    await expectExact();
    await expectCounted(app);
  });
});
