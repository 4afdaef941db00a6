// Invoices that fail or are killed half-way: nothing of them stays, no number is lost, and they are issued once it works.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { monthOf, startOf } from '../../shared/luanda.ts';
import { startTestApp, until, type TestApp } from '../support/app.ts';
import { addPlan, choose, endMonth, untilIssued, use } from '../support/billing.ts';
import { openShop, type Shop } from '../support/callbacks.ts';
import { killChildren, startChild } from '../support/child.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../support/database.ts';
import { countWaiting, holdLock } from '../support/locks.ts';

let app: TestApp;
let database: FreshDatabase;
beforeAll(async () => {
  [app, database] = [await startTestApp(), await freshDatabase()];
});
afterAll(async () => {
  await app?.stop();
  await killChildren();
  await database?.drop();
});

test('one that fails at its last step takes neither usage nor a number, and is issued later, with none left out', async () => {
  const shops = await Promise.all([1, 2, 3].map(() => openShop(app)));
  const [broken] = shops as [Shop];
  const planId = await addPlan(app);
  for (const shop of shops) {
    await choose(shop, planId);
    await use(app, shop, app.clock.now().toISOString(), { count: 2 });
  }
  await app.sql(`alter table invoices add constraint broken check (merchant_id <> '${broken.merchantId}') not valid`);
  endMonth(app);
  await untilIssued(app, 3);
  const claimed = () =>
    app.sql('select due_count, next_month from billing_accounts where id = $1', [broken.merchantId]);
  await until(async () => (await claimed())[0].due_count > 0, 'its being tried');
  expect((await claimed())[0].next_month).toBe('2026-03');
  const taken = await app.sql('select invoice_id from usage_entries where merchant_id = $1', [broken.merchantId]);
  expect(taken).toEqual([{ invoice_id: null }, { invoice_id: null }]);
  await app.sql('alter table invoices drop constraint broken');
  // The claim's lease.
  app.clock.leap(120_000);
  const rows = await untilIssued(app, 4);
  expect(rows.map(({ serial }) => serial)).toEqual([1, 2, 3, 4]);
  expect(rows[3]).toMatchObject({ merchant_id: broken.merchantId, month: '2026-03', payment_count: 2 });
});

test('kill -9 between taking the usage and the number: after a restart there is one invoice, with all of it', async () => {
  const sql = (text: string, values?: unknown[]) => querySql(database.url, text, values);
  const env = { DATABASE_URL: database.url, LOG_LEVEL: 'error' };
  const release = await holdLock(database.url, `select pg_advisory_xact_lock(hashtextextended('invoices', 0))`);
  const child = await startChild({ env });
  // The demo merchant's account, as if it had begun a month ago.
  const start = startOf(monthOf(new Date()));
  const month = monthOf(new Date(start.getTime() - 1));
  await sql(
    `insert into usage_entries (transaction_id, merchant_id, amount_minor, currency, payment_type, occurred_at)
     select gen_random_uuid(), id, 100, 'AOA', 'GPO', $1::timestamptz from billing_accounts, generate_series(1, 7)`,
    [new Date(start.getTime() - 3_600_000)],
  );
  await sql('update subscriptions set month = $1', [month]);
  await sql('update billing_accounts set next_month = $1, due_at = $2::timestamptz', [month, start]);
  await until(() => countWaiting(database.url, 'pg_advisory_xact_lock%invoices'), 'the invoice being half-way');
  await child.kill();
  await release();
  expect(await sql('select from invoices')).toEqual([]);
  expect(await sql('select from usage_entries where invoice_id is not null')).toEqual([]);
  // Past the lease.
  await startChild({ env, port: child.port, lateMs: 125_000 });
  await until(async () => (await sql('select from invoices')).length > 0, 'the invoice');
  const rows = await sql('select id, serial, payment_count from invoices where month = $1', [month]);
  expect(rows).toEqual([{ id: expect.any(String), serial: 1, payment_count: 7 }]);
  const { id } = rows[0];
  expect(await sql('select count(*)::int from usage_entries where invoice_id = $1', [id])).toEqual([{ count: 7 }]);
  const told = `select count(*)::int from events where details ->> 'invoiceId' = $1`;
  expect(await sql(told, [id])).toEqual([{ count: 1 }]);
}, 60_000);
