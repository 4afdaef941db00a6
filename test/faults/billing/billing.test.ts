import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { monthOf, startOf } from '../../../shared/luanda.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { addPlan, choose, endMonth, untilIssued, use } from '../../support/billing.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { killChildren, startChild } from '../../support/child.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../../support/database.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';

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

test('an invoice that fails at its last step uses up no invoice number and is issued later', async () => {
  const fixtures = await Promise.all([1, 2, 3].map(() => openCallbackFixture(app)));
  const [broken] = fixtures as [CallbackFixture];
  const planId = await addPlan(app);
  for (const fixture of fixtures) {
    await choose(fixture, planId);
    await use(app, fixture, app.clock.now().toISOString(), { count: 2 });
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
  // The claim's lease ends.
  app.clock.leap(120_000);
  const rows = await untilIssued(app, 4);
  expect(rows.map(({ serial }) => serial)).toEqual([1, 2, 3, 4]);
  expect(rows[3]).toMatchObject({ merchant_id: broken.merchantId, month: '2026-03', payment_count: 2 });
});

test('a node that is killed before it numbers an invoice issues one invoice with all usage later', async () => {
  const sql = (text: string, values?: unknown[]) => querySql(database.url, text, values);
  const env = { DATABASE_URL: database.url, LOG_LEVEL: 'error' };
  const release = await holdLock(database.url, `select pg_advisory_xact_lock(hashtextextended('invoices', 0))`);
  const child = await startChild({ env });
  // The demo merchant must be a month old to receive an invoice.
  const start = startOf(monthOf(new Date()));
  const month = monthOf(new Date(start.getTime() - 1));
  await sql(
    `insert into usage_entries (transaction_id, merchant_id, amount_minor, currency, payment_type, occurred_at)
     select gen_random_uuid(), id, 100, 'AOA', 'GPO', $1::timestamptz from billing_accounts, generate_series(1, 7)`,
    [new Date(start.getTime() - 3_600_000)],
  );
  await sql('update subscriptions set month = $1', [month]);
  await sql('update billing_accounts set next_month = $1, due_at = $2::timestamptz', [month, start]);
  await until(() => countWaiting(database.url, 'pg_advisory_xact_lock'), 'the invoice being half-way');
  await child.kill();
  await release();
  expect(await sql('select from invoices')).toEqual([]);
  expect(await sql('select from usage_entries where invoice_id is not null')).toEqual([]);
  // The claim's lease ends.
  await startChild({ env, port: child.port, lateMs: 125_000 });
  await until(async () => (await sql('select from invoices')).length > 0, 'the invoice');
  const rows = await sql('select id, serial, payment_count from invoices where month = $1', [month]);
  expect(rows).toEqual([{ id: expect.any(String), serial: 1, payment_count: 7 }]);
  const { id } = rows[0];
  expect(await sql('select count(*)::int from usage_entries where invoice_id = $1', [id])).toEqual([{ count: 7 }]);
  const told = `select count(*)::int from events where details ->> 'invoiceId' = $1`;
  expect(await sql(told, [id])).toEqual([{ count: 1 }]);
});

test('a node that is killed during its request to the certifying program repeats the same request', async () => {
  const fresh = await freshDatabase();
  const told: string[] = [];
  const silent = createServer((req) => {
    // The node is killed while it waits for the response of the certifying program.
    told.push(String(req.headers['webhook-id']));
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const env = {
    DATABASE_URL: fresh.url,
    LOG_LEVEL: 'error',
    BILLING_CERTIFIER_URL: `http://127.0.0.1:${port}/certify`,
    BILLING_CERTIFIER_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
  };
  const child = await startChild({ env });
  const sql = (text: string, values?: unknown[]) => querySql(fresh.url, text, values);
  const id = '0199a1b2-0000-7000-8000-000000000007';
  await sql(
    `insert into invoices (id, year, serial, merchant_id, issuer_name, issuer_tax_id, merchant_name, plan_name, month, lines,
       payment_count, currency, subtotal_minor, tax_bps, tax_minor, total_minor, issued_at)
     select $1, 2020, 1, id, 'x', '', name, 'x', '2020-01', '[]', 0, 'AOA', 100, 0, 0, 100, now() from merchants limit 1`,
    [id],
  );
  await sql('insert into certification_requests (id, asked_at, due_at) values ($1, now(), now())', [id]);
  await until(() => told.length > 0, 'its being told');
  await child.kill();
  expect(await sql('select told_at, tries from certification_requests')).toEqual([{ told_at: null, tries: 0 }]);
  // The claim of the killed node must end first.
  await sql('update certification_requests set due_at = now()');
  silent.removeAllListeners('request');
  silent.on('request', (req, res) => {
    told.push(String(req.headers['webhook-id']));
    res.writeHead(204).end();
  });
  await startChild({ env });
  await until(async () => (await sql('select from certification_requests where told_at is not null')).length > 0, 'it');
  expect(new Set(told)).toEqual(new Set([id]));
  expect(told).toHaveLength(2);
  silent.closeAllConnections();
  silent.close();
  await killChildren();
  await fresh.drop();
});
