// Plans, usage, refunds and invoices of a merchant.
import { createPlan, type NewPlan } from '../../server/billing/plans.ts';
import { endOf, monthOf } from '../../shared/luanda.ts';
import type { TestApp } from './app.ts';
import type { CallbackFixture } from './callbacks.ts';
import { creepUntil } from './payments.ts';

export const SUBSCRIPTION = '/api/billing/subscription';

let nth = 0;

/** Adds a plan of 15 000 Kz with 2 payments and 50 Kz per further one, and returns its id. */
export async function addPlan(app: TestApp, changes: Partial<NewPlan> = {}): Promise<string> {
  const terms = { currency: 'AOA', monthlyFee: '15000.00', includedPayments: 2, paymentFee: '50.00' };
  return (await createPlan(app.node.core, { name: `Plano ${++nth}`, ...terms, ...changes })).id;
}

export function choose(fixture: Pick<CallbackFixture, 'call'>, planId: string, headers: Record<string, string> = {}) {
  return fixture.call(SUBSCRIPTION, { method: 'PUT', body: { planId }, headers });
}

type Used = { count?: number; minor?: number; currency?: string; type?: 'GPO' | 'PPR' };

export async function use(
  app: TestApp,
  fixture: Pick<CallbackFixture, 'merchantId'>,
  at: string,
  used: Used = {},
): Promise<void> {
  const { count = 1, minor = 150_000, currency = 'AOA', type = 'GPO' } = used;
  await app.sql(
    `insert into usage_entries (transaction_id, merchant_id, amount_minor, currency, payment_type, occurred_at)
     select gen_random_uuid(), $1, $2, $3, $4, $5::timestamptz from generate_series(1, $6)`,
    [fixture.merchantId, minor, currency, type, at, count],
  );
}

/** Inserts refunds of the merchant's first payment. */
export async function refund(app: TestApp, fixture: CallbackFixture, at: string, made: Refunded = {}): Promise<void> {
  const { count = 1, minor = 50_000, currency = 'AOA', status = 'Succeeded', method = 'rail' } = made;
  await app.sql(
    `insert into refunds (id, merchant_id, payment_id, transaction_id, amount_minor, currency, status, revision, method,
       requested_by_kind, requested_by_id, details, period, created_at, completed_at)
     select gen_random_uuid(), $1, t.payment_id, t.id, $2, $3, $4, 1, $5, 'client', 'bc', '{}', t.period,
       $6::timestamptz, $6::timestamptz
     from generate_series(1, $7), (
       select t.id, t.payment_id, t.period from transactions t join payments p on p.id = t.payment_id
       where p.merchant_id = $1 limit 1) t`,
    [fixture.merchantId, minor, currency, status, method, at, count],
  );
}

type Refunded = { count?: number; minor?: number; currency?: string; status?: string; method?: string };

/** Moves the test clock to the end of the current month in Luanda. */
export function endMonth(app: TestApp, afterMs = 0): void {
  const now = app.clock.now();
  app.clock.leap(endOf(monthOf(now)).getTime() - now.getTime() + afterMs);
}

/** Waits until the merchant has `count` invoices, and returns them newest first. */
export function untilInvoices(app: TestApp, fixture: Pick<CallbackFixture, 'call'>, count: number): Promise<any[]> {
  const find = async () => {
    const { data } = (await fixture.call('/api/billing/invoices')).json;
    return data.length >= count ? (data as any[]) : null;
  };
  return creepUntil(app, find, `${count} invoices`);
}

/** Waits until all merchants together have `count` invoices, and returns them in the order of their numbers. */
export function untilIssued(app: TestApp, count: number): Promise<any[]> {
  const find = async () => {
    const rows = await app.sql('select * from invoices order by year, serial');
    return rows.length >= count ? rows : null;
  };
  return creepUntil(app, find, `${count} invoices of all merchants`);
}
