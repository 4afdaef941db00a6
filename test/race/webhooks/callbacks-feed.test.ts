import { beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../server/database/orm.ts';
import { recordEvent } from '../../../server/events/record.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import { openReference } from '../../support/deliveries.ts';
import { listTexts } from '../../support/statements.ts';

const WRITERS = 32;
const EVENTS_EACH = 15;
const PAYMENTS = 8;

let app: TestApp;
let twin: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  const clock = testClock();
  // Each writer needs a database connection, and the readers need some too.
  const env = { DATABASE_POOL: '24' };
  app = await startTestApp({ clock, env });
  twin = await app.startTwin();
});

type ListedEvent = { id: string; cursor: string; type: string; paymentId: string | null; details: any };

const openQuiet = async () => {
  fixture = await openCallbackFixture(app);
  return fixture;
};
const eventOf = (paymentId: string | null, details: Record<string, unknown>) => ({
  merchantId: fixture.merchantId,
  paymentId,
  type: 'payment.amount_mismatch',
  status: null,
  occurredAt: app.clock.now(),
  details,
});

async function readPage(node: TestApp, after: string, limit: number): Promise<{ data: ListedEvent[]; next: string }> {
  const { status, text, json } = await node.call(`/api/events?after=${after}&limit=${limit}`, {
    token: await fixture.tokenFor({ node }),
  });
  expect(status, text).toBe(200);
  return json;
}

/** Reads pages until one is empty and `isOver` was true before the request. */
async function readAll(node: TestApp, limit: number, isOver: () => boolean): Promise<ListedEvent[]> {
  const events: ListedEvent[] = [];
  for (let after = '0'; ;) {
    const wasOver = isOver();
    const { data, next } = await readPage(node, after, limit);
    expect(data.length).toBeLessThanOrEqual(limit);
    expect(next).toBe(data.at(-1)?.cursor ?? after);
    events.push(...data);
    after = next;
    if (data.length === 0 && wasOver) return events;
  }
}

type Db = Parameters<Parameters<typeof inTransaction>[1]>[0];

/** Delays commits, so that transactions commit in another order than they began. */
const lastFor = async (db: Db, trips: number) => {
  for (let nth = 0; nth < trips; nth++) await db.pool.query('select 1');
};

/** Writes one or two events per transaction, rolls some back, and returns the number of committed events. */
async function write(writer: number, payments: string[], counts: Map<string, number>): Promise<number> {
  let written = 0;
  for (let nth = 0; nth < EVENTS_EACH; nth++) {
    const node = (writer + nth) % 2 ? app : twin;
    const paymentId = nth % 3 === 0 ? null : (payments[(writer * 7 + nth) % PAYMENTS] as string);
    const isLost = (writer + nth) % 11 === 0;
    const size = nth % 5 === 0 ? 2 : 1;
    await inTransaction(node.node.core, async (db) => {
      if (paymentId) await db.pool.query('select from payments where id = $1 for update', [paymentId]);
      for (let part = 0; part < size; part++) {
        // The lock of the payment orders this count.
        const order = paymentId ? (counts.get(paymentId) ?? 0) + part : null;
        await recordEvent(db, eventOf(paymentId, { writer, nth, part, order, isLost }));
        await lastFor(db, (writer * 13 + nth * 5) % 17);
      }
      if (isLost) throw new Error('back');
      if (paymentId) counts.set(paymentId, (counts.get(paymentId) ?? 0) + size);
      written += size;
    }).catch((error: Error) => expect(error.message).toBe('back'));
  }
  return written;
}

test(`the feed returns each event once and in order to 4 readers, with ${WRITERS} writers on two nodes`, async () => {
  await openQuiet();
  const sold = await Promise.all(Array.from({ length: PAYMENTS }, () => openReference(app, fixture)));
  const isRegistered = `select from payment_references where registered_at is null`;
  await until(async () => (await app.sql(isRegistered)).length === 0, 'the references being known');
  const payments = sold.map(({ internalId }) => internalId);
  const counts = new Map<string, number>();
  let isOver = false;
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, nth) => write(nth, payments, counts))).then(
    (sums) => {
      isOver = true;
      return sums.reduce((sum, one) => sum + one, 0);
    },
  );
  const readers = await Promise.all(
    [1, 7, 50, 500].map((limit, nth) => readAll(nth % 2 ? app : twin, limit, () => isOver)),
  );
  const written = await writing;

  const [first] = readers as [ListedEvent[]];
  const ids = first.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const committed = await app.sql('select id from events where merchant_id = $1', [fixture.merchantId]);
  expect(ids.toSorted()).toEqual(committed.map(({ id }) => id).toSorted());
  const own = first.filter(({ details }) => details.writer !== undefined);
  expect(own).toHaveLength(written);
  expect(own.filter(({ details }) => details.isLost)).toEqual([]);
  const cursors = first.map(({ cursor }) => Number(cursor));
  expect(cursors).toEqual(cursors.toSorted((a, b) => a - b));
  for (const payment of payments) {
    const order = own.filter(({ paymentId }) => paymentId === payment).map(({ details }) => details.order);
    expect(order).toEqual(order.map((_, nth) => nth));
    expect(order).toHaveLength(counts.get(payment) ?? 0);
  }
  // A reader with any page size gets the same events.
  for (const reader of readers.slice(1)) expect(reader.map(({ id }) => id)).toEqual(ids);
  expect((await readAll(app, 100, () => true)).map(({ id }) => id)).toEqual(ids);
});

describe('an event that commits late', () => {
  test('has a position after every event that a reader has received', async () => {
    await openQuiet();
    let cursor = '0';
    await inTransaction(app.node.core, async (db) => {
      await recordEvent(db, eventOf(null, { who: 'late' }));
      await recordEvent(twin.node.core, eventOf(null, { who: 'early' }));
      for (const node of [app, twin]) {
        const { data, next } = await readPage(node, '0', 10);
        expect(data.map(({ details }) => details.who)).toEqual(['early']);
        cursor = next;
      }
      expect(await readPage(app, cursor, 10)).toEqual({ data: [], next: cursor });
    });
    for (const node of [app, twin]) {
      const { data } = await readPage(node, cursor, 10);
      expect(data.map(({ details }) => details.who)).toEqual(['late']);
      expect((await readPage(node, '0', 10)).data.map(({ details }) => details.who)).toEqual(['early', 'late']);
    }
  });

  test('is returned after a cursor that was requested by after=now before the commit', async () => {
    await openQuiet();
    let cursor = '';
    await inTransaction(app.node.core, async (db) => {
      await recordEvent(db, eventOf(null, { who: 'late' }));
      await recordEvent(app.node.core, eventOf(null, { who: 'early' }));
      const { data, next } = await readPage(twin, 'now', 10);
      expect(data).toEqual([]);
      cursor = next;
    });
    expect((await readPage(app, cursor, 10)).data.map(({ details }) => details.who)).toEqual(['late']);
  });

  test('has a position in the order of writing if no reader came before', async () => {
    await openQuiet();
    await inTransaction(app.node.core, async (db) => {
      await recordEvent(db, eventOf(null, { who: 'first' }));
      await recordEvent(app.node.core, eventOf(null, { who: 'second' }));
    });
    expect((await readPage(app, '0', 10)).data.map(({ details }) => details.who)).toEqual(['first', 'second']);
  });
});

describe('the end of a feed that has many unread events', () => {
  async function fill(count: number): Promise<void> {
    await openQuiet();
    await app.sql(
      `insert into events (id, merchant_id, type, occurred_at, details)
       select gen_random_uuid(), $1, 'payment.amount_mismatch', $2, jsonb_build_object('who', nth)
       from generate_series(1, $3::int) nth`,
      [fixture.merchantId, app.clock.now(), count],
    );
  }

  const numbers = (count: number) => Array.from({ length: count }, (_, nth) => nth + 1);
  const whoOf = (data: ListedEvent[]) => data.map(({ details }) => details.who);

  test('is after each of these events and before an open transaction', async () => {
    await fill(2_500);
    let end = '';
    await inTransaction(app.node.core, async (db) => {
      await recordEvent(db, eventOf(null, { who: 'late' }));
      const { data, next } = await readPage(app, 'now', 10);
      expect(data).toEqual([]);
      end = next;
      await recordEvent(twin.node.core, eventOf(null, { who: 'early' }));
    });
    for (const node of [twin, app]) expect(whoOf((await readPage(node, end, 10)).data)).toEqual(['late', 'early']);
    const listed = await readAll(twin, 500, () => true);
    expect(whoOf(listed)).toEqual([...numbers(2_500), 'late', 'early']);
    expect(listed[2_500 - 1]?.cursor).toBe(end);
    expect((await readPage(twin, 'now', 10)).next).toBe(listed.at(-1)?.cursor);
  });

  test('is the same in concurrent requests on two nodes', async () => {
    await fill(2_500);
    const ends = await Promise.all([app, twin, app].map((node) => readPage(node, 'now', 10)));
    const listed = await readAll(app, 500, () => true);
    expect(whoOf(listed)).toEqual(numbers(2_500));
    for (const { next } of ends) expect(next).toBe(listed.at(-1)?.cursor);
  });

  async function holdSecondStep() {
    const holder = await app.node.core.pool.connect();
    await holder.query('begin');
    const second = 'select seq from events where merchant_id = $1 order by seq offset 1500 limit 1';
    await holder.query(`select from events where seq = (${second}) for update`, [fixture.merchantId]);
    return holder;
  }

  test('is computed for 40 requests with one connection, so that other merchants are served', async () => {
    await fill(2_500);
    const holder = await holdSecondStep();
    const token = await fixture.tokenFor({});
    const ends = Array.from({ length: 40 }, () => app.call('/api/events?after=now', { token }));
    await until(async () => app.node.core.pool.waitingCount === 0 && (await countFeedLocks()) === 1, 'one step');
    expect((await app.call('/api/payments')).status).toBe(200);
    await holder.query('rollback');
    holder.release();
    const nexts = (await Promise.all(ends)).map(({ json }) => json.next);
    expect(new Set(nexts).size).toBe(1);
  });

  const countFeedLocks = async () => {
    const locks = `select count(*)::int as count from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`;
    return (await app.sql(locks))[0].count;
  };

  test('is found by the next request if a request stopped halfway', async () => {
    await fill(2_500);
    const holder = await holdSecondStep();
    const pendingEnd = app.call('/api/events?after=now', { token: await fixture.tokenFor({}) });
    const isWaiting = `select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%update "events"%'`;
    const [{ pid }] = await until(async () => {
      const found = await app.sql(isWaiting);
      return found.length > 0 ? found : null;
    }, 'the second step waiting for a row');
    await app.sql('select pg_terminate_backend($1)', [pid]);
    expect((await pendingEnd).status).toBe(503);
    await holder.query('rollback');
    holder.release();
    const stamped = 'select count(position)::int as count from events where merchant_id = $1';
    expect(await app.sql(stamped, [fixture.merchantId])).toEqual([{ count: 1_000 }]);
    const { next } = await readPage(twin, 'now', 10);
    const listed = await readAll(app, 500, () => true);
    expect(whoOf(listed)).toEqual(numbers(2_500));
    expect(next).toBe(listed.at(-1)?.cursor);
  });

  test('is found by reading at most as many index entries as one step has events', async () => {
    await fill(1);
    const { texts } = await listTexts(() => readPage(app, 'now', 10));
    const stamp = texts.find((text) => text.startsWith('with recursive')) as string;
    // Fifty merchants have few unread events in random order. One merchant has many.
    await app.sql(
      `insert into events (id, merchant_id, type, occurred_at, details, position)
       select gen_random_uuid(),
         case n % 50 when 0 then $1 else overlay($1::text placing lpad((n % 50)::text, 8, '0') from 1) end::uuid,
         'payment.amount_mismatch', $2, '{}', case when n > 2500 then n end
       from generate_series(1, 40000) n order by random()`,
      [fixture.merchantId, app.clock.now()],
    );
    await app.sql('analyze events');
    await app.sql(
      `insert into events (id, merchant_id, type, occurred_at, details)
       select gen_random_uuid(), $1, 'payment.amount_mismatch', $2, '{}' from generate_series(1, 20000)`,
      [fixture.merchantId, app.clock.now()],
    );
    const own = stamp.replaceAll(/("nth" < )\$\d+/g, '$11000').replaceAll(/\$\d+/g, `'${fixture.merchantId}'`);
    const plan = JSON.stringify(await app.sql(`explain (analyze, costs off, timing off) ${own}`));
    const read = [...plan.matchAll(/rows=(\d+)/g)].map(([, rows]) => Number(rows));
    expect(Math.max(...read)).toBe(1_000);
  });
});

test('the cursor of an empty feed leads to the first event', async () => {
  await openQuiet();
  const { next } = await readPage(app, 'now', 10);
  expect(await readPage(twin, next, 10)).toEqual({ data: [], next });
  await recordEvent(app.node.core, eventOf(null, { who: 'first' }));
  expect((await readPage(twin, next, 10)).data.map(({ details }) => details.who)).toEqual(['first']);
});
