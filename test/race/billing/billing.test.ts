import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { certifyDocument } from '../../../server/billing/certify.ts';
import { creditInvoice } from '../../../server/billing/credit.ts';
import { issueNext } from '../../../server/billing/issue.ts';
import { sumInvoice } from '../../../server/billing/schemas.ts';
import { monthOf } from '../../../shared/luanda.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { creepUntil } from '../../support/payments.ts';
import { addPlan, choose, endMonth, SUBSCRIPTION, untilInvoices, use } from '../../support/billing.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';

const LOCK = `select pg_advisory_xact_lock(hashtextextended('invoices', 0))`;

let app: TestApp;
let twin: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  const clock = testClock();
  app = await startTestApp({ clock });
  twin = await app.startTwin();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
});

const untilDone = () => {
  const open = 'select from billing_accounts where next_month < $1';
  const isDone = async () => (await app.sql(open, [monthOf(app.clock.now())])).length === 0;
  return creepUntil(app, isDone, 'every invoice');
};

/** Expects consecutive invoice numbers in each year, and each payment on exactly one invoice. */
async function expectWhole(): Promise<void> {
  await untilDone();
  const invoices = await app.sql('select * from invoices order by year, serial');
  const byYear = Map.groupBy(invoices, ({ year }) => year);
  for (const [, ofYear] of byYear) expect(ofYear.map(({ serial }) => serial)).toEqual(ofYear.map((_, nth) => nth + 1));
  const months = invoices.map(({ merchant_id, month }) => `${merchant_id} ${month}`);
  expect(new Set(months).size).toBe(months.length);
  const used = await app.sql('select invoice_id, count(*)::int as count from usage_entries group by 1');
  for (const { id, payment_count } of invoices)
    expect(payment_count).toBe(used.find(({ invoice_id }) => invoice_id === id)?.count ?? 0);
  const told = await app.sql(`select details ->> 'invoiceId' as id from events where type = 'invoice.issued'`);
  expect(told.map(({ id }) => id).toSorted()).toEqual(invoices.map(({ id }) => id).toSorted());
  const notes = await app.sql(`select details ->> 'invoiceId' as id from notifications where type = 'invoice.issued'`);
  expect(notes.map(({ id }) => id).toSorted()).toEqual(invoices.map(({ id }) => id).toSorted());
}

test('two nodes issue each invoice once', async () => {
  const fixtures = await Promise.all(Array.from({ length: 12 }, () => openCallbackFixture(app)));
  const planId = await addPlan(app);
  for (const [nth, fixture] of fixtures.entries()) {
    await choose(fixture, planId);
    await use(app, fixture, app.clock.now().toISOString(), { count: nth });
  }
  const release = await holdLock(app.databaseUrl, LOCK);
  endMonth(app);
  // The transactions of the invoices hold their usage and wait for the lock of the invoice number.
  const areWaiting = async () => {
    await app.clock.advance(100);
    return (await countWaiting(app.databaseUrl, 'pg_advisory_xact_lock')) >= 2;
  };
  await until(areWaiting, 'invoices waiting for their number').finally(release);
  await expectWhole();
  const rows = await app.sql('select * from invoices where merchant_id = any($1)', [
    fixtures.map((fixture) => fixture.merchantId),
  ]);
  const [plan] = await app.sql('select * from plans where id = $1', [planId]);
  const terms = {
    name: plan.name,
    monthlyFeeMinor: Number(plan.monthly_fee_minor),
    includedPayments: plan.included_payments,
    paymentFeeMinor: Number(plan.payment_fee_minor),
  };
  for (const [nth, fixture] of fixtures.entries()) {
    const row = rows.find(({ merchant_id }) => merchant_id === fixture.merchantId);
    const { subtotalMinor, taxMinor, totalMinor } = sumInvoice(terms as never, nth, 1_400);
    expect([row.subtotal_minor, row.tax_minor, row.total_minor].map(Number)).toEqual([
      subtotalMinor,
      taxMinor,
      totalMinor,
    ]);
  }
});

test('concurrent requests to invoice one account create one invoice, and each payment is on one invoice', async () => {
  await choose(fixture, await addPlan(app));
  const middle = app.clock.now().toISOString();
  await use(app, fixture, middle, { count: 5 });
  endMonth(app);
  const many = Array.from({ length: 12 }, (_, nth) => issueNext((nth % 2 ? app : twin).node.core, fixture.merchantId));
  const late = Array.from({ length: 12 }, () => use(app, fixture, middle));
  const issued = await Promise.all(many);
  await Promise.all(late);
  // The nodes may have issued the invoice automatically before.
  expect(issued.filter(Boolean).length).toBeLessThanOrEqual(1);
  const ofFixture = () => app.sql('select * from invoices where merchant_id = $1', [fixture.merchantId]);
  expect(await ofFixture()).toHaveLength(1);
  endMonth(app);
  await untilDone();
  expect(await ofFixture()).toHaveLength(2);
  expect((await ofFixture()).reduce((sum, { payment_count }) => sum + payment_count, 0)).toBe(17);
  await expectWhole();
});

test('concurrent first subscriptions of a merchant are applied one after the other', async () => {
  const plans = [await addPlan(app), await addPlan(app)];
  const put = async (nth: number) => {
    const node = nth % 2 ? app : twin;
    const body = { planId: plans[nth % 2] };
    return node.call(SUBSCRIPTION, { method: 'PUT', body, token: await fixture.tokenFor({ node }) });
  };
  const replies = await Promise.all(Array.from({ length: 10 }, (_, nth) => put(nth)));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const rows = await app.sql('select month, plan_id from subscriptions where merchant_id = $1 order by month', [
    fixture.merchantId,
  ]);
  const [current, planned, ...others] = rows;
  expect(others).toEqual([]);
  const changes = await app.sql('select changes from audit_entries where merchant_id = $1 order by seq', [
    fixture.merchantId,
  ]);
  // Each subscription begins where the previous one ended.
  const chain = changes.map(({ changes: { planId } }) => planId);
  expect(chain[0]).toEqual({ before: null, after: current.plan_id });
  for (const [nth, { before }] of chain.entries()) if (nth > 0) expect(before).toBe(chain[nth - 1].after);
  expect(chain.at(-1).after).toBe((planned ?? current).plan_id);
});

describe('concurrent requests about one invoice', () => {
  const actor = { kind: 'operator', id: 'ana', address: null } as const;
  const coreOf = (nth: number) => (nth % 2 ? twin : app).node.core;
  let invoiceId: string;
  beforeEach(async () => {
    await choose(fixture, await addPlan(app));
    endMonth(app);
    [{ id: invoiceId }] = (await untilInvoices(app, fixture, 1)) as [{ id: string }];
  });

  test('do not credit more than the invoice amount, and credit notes have consecutive numbers', async () => {
    // Seven of these credit notes fit into 15 000 Kz.
    const credit = (nth: number) =>
      creditInvoice(coreOf(nth), { invoiceId, input: { amount: '2000', reason: `Vez ${nth}` }, actor });
    const results = (await Promise.all(Array.from({ length: 12 }, (_, nth) => credit(nth)))).map(
      ({ result }) => result,
    );
    expect(results.filter((result) => result === 'new')).toHaveLength(7);
    expect(results.filter((result) => result === 'too_much')).toHaveLength(5);
    const notes = await app.sql('select serial, subtotal_minor, tax_minor from credit_notes order by serial');
    expect(notes.map(({ serial }) => serial)).toEqual(notes.map((_, nth) => nth + 1));
    const own = await app.sql(
      'select sum(subtotal_minor)::int as net, sum(tax_minor)::int as tax from credit_notes where invoice_id = $1',
      [invoiceId],
    );
    expect(own).toEqual([{ net: 1_400_000, tax: 196_000 }]);
  });

  test('create one credit note per reason', async () => {
    const input = { amount: 'all', reason: 'Anulado' };
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, nth) => creditInvoice(coreOf(nth), { invoiceId, input, actor })),
    );
    expect(results.map(({ result }) => result).toSorted()).toEqual([...Array(7).fill('credited'), 'new']);
    expect(await app.sql('select from credit_notes where invoice_id = $1', [invoiceId])).toHaveLength(1);
  });

  test('store the first certificate only, and write one event', async () => {
    const certify = (nth: number) =>
      certifyDocument(coreOf(nth), {
        documentId: invoiceId,
        input: {
          number: `${invoiceId} ${nth}`,
          series: 'FT',
          url: null,
          hash: 'x',
          issuedAt: null,
          file: Buffer.from('%PDF-'),
        },
        actor,
      });
    const results = await Promise.all(Array.from({ length: 8 }, (_, nth) => certify(nth)));
    expect(results.map(({ result }) => result).toSorted()).toEqual([...Array(7).fill('different'), 'new']);
    const told = `select from events where type = 'invoice.certified' and details ->> 'invoiceId' = $1`;
    expect(await app.sql(told, [invoiceId])).toHaveLength(1);
  });
});
