import { beforeAll, expect, test } from 'vitest';
import { nightlyErasures } from '../../../server/privacy/retention.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import { findTraces, insertPerson, TRACES } from '../../support/personal-data.ts';
import { readScrape } from '../../support/scrape.ts';
import { DAY_MS } from '../../../shared/durations.ts';

let app: TestApp;
let shop: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
  shop = await openCallbackFixture(app);
  // The node cleans at its start. A rule that the node runs is skipped elsewhere.
  await until(() => app.clock.waits().some(({ ms }) => ms === DAY_MS), 'the end of the first cleaning');
});

const tracesIn = () => findTraces(app, TRACES);
const addPerson = (createdAt: Date) => insertPerson(app, shop.merchantId, createdAt);

const clean = async (at: Date) => {
  const core = { ...app.node.core, clock: testClock(at.toISOString()) };
  for (const { run } of nightlyErasures(core)) while ((await run()) !== null);
};

const moneyOf = (paymentId: string) =>
  app.sql(
    `select p.reference, p.amount_minor, p.amount_paid_minor, p.status, t.amount_minor as taken, t.provider_ref, t.period,
       t.details ->> 'transactionNumber' as number, r.amount_minor as given, f.reference as digits, e.details ->> 'via' as via
     from payments p join transactions t on t.payment_id = p.id join refunds r on r.payment_id = p.id
       join payment_references f on f.payment_id = p.id join events e on e.payment_id = p.id where p.id = $1`,
    [paymentId],
  );

test('the retention removes every person and keeps the money, and removes nothing a day earlier', async () => {
  // The ids contain the real time.
  const made = new Date();
  const { paymentId } = await addPerson(made);
  const money = await moneyOf(paymentId);
  expect(money).toHaveLength(1);
  const held = [
    'attempts',
    'delivery_attempts',
    'events',
    'inbox',
    'link_payments',
    'notifications',
    'payment_references',
    'payment_search',
    'payments',
    'refunds',
    'sms_batches',
    'sms_ledger',
    'sms_messages',
    'transactions',
  ];
  const tables = async () => [...new Set(await tracesIn())].toSorted();
  expect(await tables()).toEqual(held);
  const after = (days: number) => new Date(made.getTime() + days * DAY_MS + 60_000);
  await clean(after(89));
  expect(await tables()).toEqual(held);
  await clean(after(91));
  expect(await tables()).toEqual(held.filter((table) => table !== 'delivery_attempts'));
  await clean(after(366));
  expect((await tables()).filter((table) => table.startsWith('sms_'))).toEqual([]);
  await clean(after(732));
  expect((await tables()).filter((table) => table === 'inbox' || table === 'notifications')).toEqual([]);
  await clean(after(3_652));
  expect(await tables()).toContain('payments');
  await clean(after(3_654));
  expect(await tables()).toEqual([]);
  expect(await moneyOf(paymentId)).toEqual(money);
  const read = await shop.call(`/api/payments/${paymentId}`);
  expect(read.status, read.text).toBe(200);
  expect(read.json).toMatchObject({ amount: 1500, customMetadata: null });
});

test('the retention removes the phone from a ledger entry of SMS units and keeps the rest', async () => {
  await app.sql(
    `insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, created_at)
     values (gen_random_uuid(), $1, 'credit', 5, 5, 'Factura 12', now())`,
    [shop.merchantId],
  );
  for (const change of [`quantity = 6`, `description = 'other'`, `balance_after = 0, description = 'erased'`])
    await expect(app.sql(`update sms_ledger set ${change} where description = 'Factura 12'`)).rejects.toThrow(
      'append-only',
    );
  await expect(app.sql('delete from sms_ledger')).rejects.toThrow('append-only');
});

test('the retention keeps the phone of a message that is still being sent', async () => {
  const made = new Date();
  await app.sql(
    `insert into sms_messages (id, merchant_id, batch_id, phone, parts, status, listed_at, due_at)
     values (uuidv7(), $1, gen_random_uuid(), '+244911000111', 1, 'Sent', $2, 'infinity')`,
    [shop.merchantId, made],
  );
  await clean(new Date(made.getTime() + 400 * DAY_MS));
  expect(await app.sql(`select count(*)::int as count from sms_messages where phone = '+244911000111'`)).toEqual([
    { count: 1 },
  ]);
});

test('the retention erases scheduled and cancelled messages after a separate period', async () => {
  const made = new Date();
  const sent = new Date(made.getTime() + 300 * DAY_MS);
  await app.sql(
    `insert into sms_messages (id, merchant_id, batch_id, phone, parts, status, listed_at)
     values (uuidv7(), $1, gen_random_uuid(), '+244911000222', 1, 'Delivered', $2), (uuidv7(), $1, gen_random_uuid(), '+244911000222', 1, 'Pending', null)`,
    [shop.merchantId, sent],
  );
  const left = async () =>
    (await app.sql(`select count(*)::int as count from sms_messages where phone = '+244911000222'`))[0].count;
  await app.sql('delete from retention_marks');
  await clean(new Date(made.getTime() + 400 * DAY_MS));
  expect(await left()).toBe(2);
  await clean(new Date(made.getTime() + 735 * DAY_MS));
  expect(await left()).toBe(0);
});

test('a node runs the retention automatically and counts the erased rows', async () => {
  const made = new Date();
  await app.sql('delete from retention_marks');
  await addPerson(made);
  const clock = testClock(new Date(made.getTime() + 3_700 * DAY_MS).toISOString());
  const later = await startTestApp({ databaseUrl: app.databaseUrl, clock });
  await until(async () => (await tracesIn()).every((table) => table.startsWith('sms_batches')), 'the nightly erasing');
  const { samples } = await readScrape(later.url);
  const rows = samples.filter(
    ({ name, labels }) => name === 'balcao_retention_rows_total' && labels['table'] === 'payments',
  );
  expect(rows).toHaveLength(1);
});
