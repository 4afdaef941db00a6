// The length of lists while everybody writes: at every look what is told is what a count row by row finds in the same moment, whoever
// counts ahead meanwhile, however late a transaction commits, and wherever a count breaks off.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { inSnapshot } from '../../server/database/orm.ts';
import { foldLists, type Mark } from '../../server/lists/fold.ts';
import { countAsked, type Listing } from '../../server/lists/page.ts';
import { LISTS } from '../../server/lists/table.ts';
import { DEMO } from '../../sandbox/seed.ts';
import { startTestApp, until, type TestApp } from '../support/app.ts';
import { holdLock } from '../support/locks.ts';
import { create, webframe } from '../support/payments.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  twin = await app.startTwin();
});

const PAYMENTS = LISTS[0]!;
const HOUR_MS = 3_600_000;

type Asked = { status?: string; paymentType?: string };
type Span = { from?: Date; to?: Date };

/** By the counts, and row by row, in one moment. */
async function look(keys: Asked, span: Span = {}) {
  const { merchantId } = DEMO;
  const rows: Listing['rows'] = (tables, { from, to }) => {
    let found = tables.selectFrom('payments').where('merchantId', '=', merchantId);
    if (keys.status) found = found.where('status', '=', keys.status as 'Paid');
    if (from) found = found.where('createdAt', '>=', from);
    if (to) found = found.where('createdAt', '<', to);
    return found;
  };
  const listing = { list: PAYMENTS, merchantId, keys, rows, isSelective: false } as unknown as Listing;
  return inSnapshot(app.node.core, async (db) => {
    const counted = await countAsked(db, listing, span);
    const sent = [merchantId, keys.status ?? null, span.from ?? null, span.to ?? null];
    const { rows: found } = await db.pool.query<{ n: number }>(
      `select count(*)::int as n from payments where merchant_id = $1 and ($2::text is null or status = $2)
        and ($3::timestamptz is null or created_at >= $3) and ($4::timestamptz is null or created_at < $4)`,
      sent,
    );
    return { counted, found: found[0]!.n };
  });
}

async function expectExact(keys: Asked = {}, span: Span = {}): Promise<void> {
  const { counted, found } = await look(keys, span);
  expect({ keys, span, counted }).toEqual({ keys, span, counted: found });
}

/** A payment and its event in a transaction of its own, which commits when it is told to. */
async function beginLate(): Promise<() => Promise<void>> {
  const client = new pg.Client(app.databaseUrl);
  client.on('error', () => {});
  await client.connect();
  const id = randomUUID();
  await client.query('begin');
  await client.query(
    `insert into payments select (json_populate_record(p, json_build_object('id', $1::uuid, 'reference_claim', null))).*
      from payments p where status = 'Pending' limit 1`,
    [id],
  );
  await client.query(
    `insert into events (id, merchant_id, payment_id, type, status, occurred_at, details, state)
      select gen_random_uuid(), merchant_id, id, 'payment.created', status, created_at, '{}', '{}' from payments where id = $1`,
    [id],
  );
  return async () => {
    await client.query('commit');
    await client.end();
  };
}

const folded = async () => (await app.sql(`select upto from list_folds where list = 'payments'`))[0]?.upto ?? 0;
const newest = async () => (await app.sql('select max(seq) as seq from events'))[0].seq;
/** All that is certain is counted. */
const foldAll = () => foldLists(app.node.core, new Map());

const FOLDING = `datname = current_database() and query like '%with folded as (%' and pid <> pg_backend_pid()`;

test('at every look the length is exact, whoever writes, counts and breaks off meanwhile', async () => {
  let isDone = false;
  const started = app.clock.now().getTime();
  await create(app, webframe());
  const writers = Array.from({ length: 4 }, async (_, who) => {
    for (let nth = 0; nth < 8; nth++) {
      const on = (who + nth) % 2 ? app : twin;
      const { internalId } = await create(on, webframe());
      if (nth % 5 === 0) await app.clock.pass(HOUR_MS / 20);
      if (nth % 2) await on.call(`/api/payments/${internalId}/cancel`, { method: 'POST', body: {} });
      if (nth % 4 === 3) await (await beginLate())();
    }
  });
  const ended = Promise.all(writers).finally(() => {
    isDone = true;
  });
  const folders = [app, twin].map(async ({ node }) => {
    const marks = new Map<string, Mark>();
    while (!isDone) await foldLists(node.core, marks).catch(() => {});
  });
  const killing = (async () => {
    while (!isDone)
      await app.sql(`select pg_terminate_backend(pid) from pg_stat_activity where ${FOLDING} and state <> 'idle'`);
  })();
  let looks = 0;
  while (!isDone) {
    await expectExact();
    await expectExact({ status: looks % 2 ? 'Pending' : 'Canceled' });
    await expectExact({ status: 'Pending' }, { from: new Date(started - 5), to: new Date(started + HOUR_MS / 10) });
    looks++;
  }
  await Promise.all([ended, ...folders, killing]);
  await foldAll();
  expect(await folded()).toBe(await newest());
  for (const status of [undefined, 'Pending', 'Canceled', 'Paid']) await expectExact(status ? { status } : {});
  expect(looks).toBeGreaterThan(3);
});

test('what commits late below a number that others took is counted when it is there, and waited for by nobody else', async () => {
  const commit = await beginLate();
  await create(app, webframe());
  const marks = new Map<string, Mark>();
  const before = await folded();
  await foldLists(app.node.core, marks);
  expect(await folded()).toBe(before);
  await expectExact();
  await commit();
  await expectExact();
  await foldLists(app.node.core, marks);
  expect(await folded()).toBe(await newest());
  await expectExact();
});

test('a count that is killed in its middle has counted nothing, and another node goes on', async () => {
  await create(app, webframe());
  const letGo = await holdLock(app.databaseUrl, `update list_counts set n = n where list = 'payments'`);
  const before = await folded();
  const broken = foldAll().catch((error: unknown) => error);
  const isWaiting = `${FOLDING} and wait_event_type = 'Lock'`;
  await until(
    async () => (await app.sql(`select pg_terminate_backend(pid) from pg_stat_activity where ${isWaiting}`)).length > 0,
    'the count waiting',
  );
  expect(await broken).toBeInstanceOf(Error);
  await letGo();
  expect(await folded()).toBe(before);
  await expectExact();
  await foldLists(twin.node.core, new Map());
  expect(await folded()).toBe(await newest());
  await expectExact();
  await expectExact({ status: 'Pending' });
});
