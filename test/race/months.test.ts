// Months turn while everybody writes: no write waits for a part or fails for want of one, numbers only go on, and who reads by them
// misses nothing, whether a month has ended or thirteen.
import { beforeAll, expect, test } from 'vitest';
import { beginOf, makeParts, monthOf, openMonths } from '../../server/database/months.ts';
import { MONTH_SIZE } from '../../server/database/months.sql.ts';
import { inTransaction } from '../../server/database/orm.ts';
import { recordEvent } from '../../server/events/record.ts';
import { DEMO } from '../../sandbox/seed.ts';
import { startTestApp, until, type TestApp } from '../support/app.ts';
import { actAs, openEvents, readFeed } from '../support/events.ts';
import { untilLooked } from '../support/idle.ts';
import { foldLists } from '../../server/lists/fold.ts';
import { holdLock } from '../support/locks.ts';
import { create, webframe } from '../support/payments.ts';

let app: TestApp;
let twin: TestApp;
let seller: Awaited<ReturnType<TestApp['addMerchant']>>;
let shop: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  twin = await app.startTwin();
  seller = await app.addMerchant();
  shop = actAs(app, seller);
});

/** The month that an event is kept in, by where it is and by its number. */
async function monthsOf(paymentId: string): Promise<{ part: string; month: number }[]> {
  const rows = await app.sql(
    `select tableoid::regclass::text as part, seq from events where payment_id = $1 and type = 'payment.created' order by seq`,
    [paymentId],
  );
  return rows.map(({ part, seq }) => ({ part, month: Math.floor(seq / MONTH_SIZE) }));
}

const now = () => monthOf(app.clock.now());
const leapTo = (month: number) => app.clock.leap(beginOf(month).getTime() + 5_000 - app.clock.now().getTime());
const isTurned = async () =>
  (await app.sql('select last_value >= $1::bigint as yes from events_seq_seq', [now() * MONTH_SIZE]))[0].yes;
const untilTurned = () => until(isTurned, 'the month being opened');

test('what is written goes on while a part is not to be had, and into its month from then on', async () => {
  const { internalId: first } = await create(app, webframe());
  const before = now();
  const release = await holdLock(app.databaseUrl, 'lock table events in share update exclusive mode');
  leapTo(before + 13);
  const { internalId: late } = await create(app, webframe());
  expect(await isTurned()).toBe(false);
  await release();
  await untilTurned();
  const { internalId: next } = await create(app, webframe());
  expect(await monthsOf(first)).toEqual([{ part: 'parts.events_2026_03', month: before }]);
  expect(await monthsOf(late)).toEqual([{ part: 'parts.events_2026_03', month: before }]);
  expect(await monthsOf(next)).toEqual([{ part: 'parts.events_2027_04', month: before + 13 }]);
});

test('parts that a dead node has made are those that the next one begins, and are made once', async () => {
  const next = now() + 2;
  await inTransaction(app.node.core, (db) => makeParts(db, [next]));
  const { internalId } = await create(app, webframe());
  expect((await monthsOf(internalId))[0]!.month).toBe(now());
  leapTo(next);
  await Promise.all([openMonths(app.node.core), openMonths(twin.node.core), openMonths(app.node.core)]);
  expect(await isTurned()).toBe(true);
  const parts = `select inhrelid::regclass::text as part from pg_inherits where inhparent = 'deliveries'::regclass order by 1`;
  const names = (await app.sql(parts)).map(({ part }) => part);
  expect(names).toContain('parts.deliveries_2027_06');
  expect(new Set(names).size).toBe(names.length);
  // A clock that is set back gives no number again.
  await openMonths({ ...app.node.core, clock: { ...app.clock, now: () => beginOf(next - 3) } });
  expect(await isTurned()).toBe(true);
});

test('months turn under writers on two nodes: all are written, each writer’s numbers in its order', async () => {
  let isDone = false;
  const { merchantId } = DEMO;
  const writers = [app, twin, app, twin].map(async (node, who) => {
    for (let nth = 0; !isDone || nth < 3; nth++) {
      const occurredAt = app.clock.now();
      const event = { merchantId, paymentId: null, type: 'terminal.open', status: null, occurredAt };
      await recordEvent(node.node.core, { ...event, details: { who, nth } });
    }
  });
  for (let turn = 0; turn < 6; turn++) {
    leapTo(now() + 1);
    await Promise.all([openMonths(app.node.core), openMonths(twin.node.core)]);
    expect(await isTurned()).toBe(true);
  }
  isDone = true;
  await Promise.all(writers);
  for (const who of writers.keys()) {
    const rows = await app.sql(
      `select (details ->> 'nth')::int as nth from events where details ->> 'who' = $1 order by seq`,
      [who],
    );
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.map(({ nth }) => nth)).toEqual(rows.map((_, nth) => nth));
  }
});

test('a feed, its stream and the length of lists go on over the turn of a month as if there were none', async () => {
  await create(shop, webframe());
  const { next, data } = await readFeed(shop);
  // Unread on both sides of the turn.
  await create(shop, webframe());
  leapTo(now() + 13);
  await untilTurned();
  const made = [(await create(shop, webframe())).internalId, (await create(shop, webframe())).internalId];
  const page = await readFeed(shop, { after: next });
  const created = page.data.filter(({ type }) => type === 'payment.created').map(({ paymentId }) => paymentId);
  expect(created.slice(-2)).toEqual(made);
  expect((await readFeed(shop)).data).toEqual([...data, ...page.data]);
  expect(await readFeed(shop, { after: page.next })).toEqual({ data: [], next: page.next });
  // Whoever listens at the other node hears of what comes after the next turn too, by the numbers alone.
  const token = await twin.token(seller.clientId, seller.secret);
  const stream = await openEvents(twin, { token, lastEventId: page.next });
  const { internalId } = await create(shop, webframe());
  const isOfIt = ({ data: told }: { data: any }) => told?.paymentId === internalId;
  await until(async () => {
    await app.clock.advance(1_000);
    return stream.events.some(isOfIt);
  }, 'the stream telling of it');
  stream.close();
});

test('the end of a feed is behind all that is unread, and lists are counted, on both sides of a turn', async () => {
  await create(shop, webframe());
  await untilLooked(app);
  leapTo(now() + 1);
  await untilTurned();
  const due = 'select from payments where due_at <= $1';
  await until(async () => (await app.sql(due, [app.clock.now()])).length === 0, 'what was made before having expired');
  await create(shop, webframe());
  const { next } = await readFeed(shop, { after: 'now' });
  expect((await readFeed(shop, { after: next })).data).toEqual([]);
  const { merchantId } = seller;
  const unread = `select from events where merchant_id = $1 and position is null`;
  await until(async () => (await app.sql(unread, [merchantId])).length === 0, 'all being placed');
  const twice = `select from events where merchant_id = $1 group by position having count(*) > 1`;
  expect(await app.sql(twice, [merchantId])).toEqual([]);
  await foldLists(app.node.core);
  const [{ count }] = await app.sql(`select count(*)::int as count from payments where merchant_id = $1`, [merchantId]);
  expect((await shop.call('/api/payments?pageSize=1')).json.totalItems).toBe(count);
});
