// What is past its time: payments and messages lose their person, and keep their money; younger ones stay as they are.
import { beforeAll, expect, test } from 'vitest';
import { erasedNightly } from '../../server/privacy/retention.ts';
import { startTestApp, until, type TestApp } from '../support/app.ts';
import { openShop, type Shop } from '../support/callbacks.ts';
import { testClock } from '../support/clock.ts';
import { readScrape } from '../support/scrape.ts';

const DAY_MS = 24 * 3_600_000;
/** Their spellings: as digits, as people write them, as a name. */
const TRACES = ['923456789', '923 456 789', 'Domingas Kiala', 'domingas@correio.example', 'AO06000600000100037131174'];

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp();
  shop = await openShop(app);
});

/** All that is kept, of all tables, as text. */
async function dump(): Promise<Map<string, string>> {
  const names = await app.sql<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const rows = await Promise.all(
    names.map(async ({ name }) => [
      name,
      (await app.sql(`select coalesce(string_agg(t::text, e'\\n'), '') as all from "${name}" t`))[0].all as string,
    ]),
  );
  return new Map(rows as [string, string][]);
}

const tracesIn = async () =>
  [...(await dump())].flatMap(([table, text]) => TRACES.filter((trace) => text.includes(trace)).map(() => table));

/** A payment with all that may tell of its payer, and a message; ids are of the moment, as the house makes them. */
async function addPerson(createdAt: Date): Promise<{ paymentId: string }> {
  const [{ id: paymentId }] = await app.sql(
    `insert into payments (id, merchant_id, reference, amount_minor, amount_paid_minor, currency, payment_type, payment_method, status,
       revision, description, custom_metadata, phone, return_url, search_terms, created_at)
     values (uuidv7(), $1, 'ENC-1', 150000, 150000, 'AOA', 'GPO', 'push', 'Paid', 3, 'Para Domingas Kiala',
       '{"nome":"Domingas Kiala"}', '+244923456789', 'https://loja.example/?c=domingas@correio.example', '{"nome=Domingas Kiala"}', $2)
     returning id`,
    [shop.merchantId, createdAt],
  );
  const of = [paymentId, createdAt];
  await app.sql(
    `insert into attempts (id, payment_id, phone, status, created_at, sent_at) values (uuidv7(), $1, '+244923456789', 'Approved', $2, $2)`,
    of,
  );
  await app.sql(
    `insert into payment_references (id, payment_id, merchant_id, entity, reference, type, contract, status, customer_name,
       customer_email, customer_telephone, document_number, created_at, expires_at)
     values (uuidv7(), $1, $3, '00888', '017756991', 'Dynamic', 'current', 'Paid', 'Domingas Kiala', 'domingas@correio.example',
       '923456789', '923456789LA', $2, $2)`,
    [...of, shop.merchantId],
  );
  await app.sql(
    `insert into link_payments (payment_id, link_id, merchant_id, status, customer_name, customer_email, customer_telephone,
       document_number, created_at)
     values ($1, gen_random_uuid(), $3, 'paid', 'Domingas Kiala', 'domingas@correio.example', '923456789', '923456789LA', $2)`,
    [...of, shop.merchantId],
  );
  const [{ id: transactionId }] = await app.sql(
    `insert into transactions (id, merchant_id, payment_id, rail, provider_ref, amount_minor, currency, status, late, occurred_at,
       created_at, period, details)
     values (uuidv7(), $3, $1, 'gpo', gen_random_uuid()::text, 150000, 'AOA', 'Accepted', false, $2, $2, 'p1',
       '{"transactionNumber":"77","nib":"AO06000600000100037131174"}') returning id`,
    [...of, shop.merchantId],
  );
  await app.sql(
    `insert into refunds (id, merchant_id, payment_id, transaction_id, amount_minor, currency, status, revision, method, rail, period, reason, proof,
       requested_by_kind, requested_by_id, details, created_at)
     values (uuidv7(), $3, $1, $4, 100, 'AOA', 'Succeeded', 1, 'rail', 'gpo', 'p1', 'Domingas Kiala pediu', 'talão de 923 456 789', 'client', 'c',
       '{"nib":"AO06000600000100037131174"}', $2)`,
    [...of, shop.merchantId, transactionId],
  );
  await app.sql(
    `insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
     values (gen_random_uuid(), $3, $1, 'payment.paid', 'Paid', $2, '{"via":"query","nib":"AO06000600000100037131174"}')`,
    [...of, shop.merchantId],
  );
  await app.sql(
    `with told as (insert into deliveries (id, merchant_id, kind, type, payment_id, status, created_at)
       values (gen_random_uuid(), $3, 'callback', 'callback.ppr', $1, 'Delivered', $2) returning id)
     insert into delivery_attempts (delivery_id, number, started_at, outcome, status, answer)
     select id, 1, $2, 'delivered', 200, '{"Success":true,"Obs":"Domingas Kiala"}' from told`,
    [...of, shop.merchantId],
  );
  await app.sql(
    `insert into notifications (id, merchant_id, type, payment_id, details, subject, created_at)
     values (gen_random_uuid(), $3, 'payment.late', $1::uuid, '{"nib":"AO06000600000100037131174"}', 'payment.late ' || $1::uuid, $2)`,
    [...of, shop.merchantId],
  );
  await app.sql(
    `insert into inbox (id, rail, notification_id, body, received_at, applied_at, outcome)
     values (uuidv7(), 'ppr', gen_random_uuid()::text, '{"phone":"+244923456789"}', $1, $1, 'applied')`,
    [createdAt],
  );
  await app.sql(
    `with sent as (insert into sms_batches (id, merchant_id, sender, content, recipients, units, status, created_at, released_at)
       values (uuidv7(), $1::uuid, 'LOJA', 'Olá Domingas Kiala', 1, 1, 'Released', $2::timestamptz, $2::timestamptz) returning id),
     message as (insert into sms_messages (id, merchant_id, batch_id, phone, content, parts, status, listed_at, sent_at)
       select uuidv7(), $1::uuid, id, '+244923456789', 'Olá Domingas Kiala', 1, 'Failed', $2::timestamptz, $2::timestamptz from sent)
     insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, batch_id, created_at)
     select uuidv7(), $1::uuid, 'refund', 1, 1, 'SMS não entregue a 923 456 789', id, $2::timestamptz from sent`,
    [shop.merchantId, createdAt],
  );
  return { paymentId };
}

const clean = async (at: Date) => {
  const core = { ...app.node.core, clock: testClock(at.toISOString()) };
  for (const { run } of erasedNightly(core)) while ((await run()) !== null);
};

const moneyOf = (paymentId: string) =>
  app.sql(
    `select p.reference, p.amount_minor, p.amount_paid_minor, p.status, t.amount_minor as taken, t.provider_ref, t.period,
       t.details ->> 'transactionNumber' as number, r.amount_minor as given, f.reference as digits, e.details ->> 'via' as via
     from payments p join transactions t on t.payment_id = p.id join refunds r on r.payment_id = p.id
       join payment_references f on f.payment_id = p.id join events e on e.payment_id = p.id where p.id = $1`,
    [paymentId],
  );

test('after their times a dump names nobody any more, and the money is as it was; a day before all of it is there', async () => {
  // Ids tell the machine's own time.
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

test('the ledger of units lets a number go, and nothing else', async () => {
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

test('a message that is still under way keeps its phone', async () => {
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

test('what was scheduled long before it was sent is erased when its own time is over, and what was withdrawn too', async () => {
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

test('a node does it by itself, and counts it', async () => {
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
