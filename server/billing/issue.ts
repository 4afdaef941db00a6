// Issuing invoices: one for each month that is over, with what was used and is on no invoice yet; all of it or nothing.
import { v7 as uuid } from 'uuid';
import { toMajor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import { findRow, findRows, insertRow, updateRows, type Db } from '../database/rows.ts';
import { recordEvent } from '../events/record.ts';
import { Merchant } from '../merchants/entities.ts';
import { BillingAccount, Invoice, Plan, Subscription } from './entities.ts';
import { numberOf, sumInvoice } from './invoice.ts';
import { endOf, monthAfter, monthOf, startOf } from '../../shared/luanda.ts';

/** A statement takes so many at most: millions in one would run into the database's time for a statement. */
const TAKEN_AT_ONCE = 20_000;

/**
 * Issues the invoice of the first month without one, if it is over; false: none is. Whoever comes at the same time waits
 * for the account and finds it done.
 */
export function issueNext(core: Core, merchantId: string): Promise<boolean> {
  return inTransaction(core, async (db) => {
    const account = await findRow(db, BillingAccount, 'id = $1 for update', [merchantId]);
    if (!account) return false;
    const month = account.nextMonth;
    const isOver = month < monthOf(core.clock.now());
    const nextMonth = isOver ? monthAfter(month) : month;
    if (isOver) await issueInvoice(core, db, merchantId, month);
    await updateRows(db, BillingAccount, { set: { nextMonth, dueAt: endOf(nextMonth) } }, 'id = $1', [merchantId]);
    return isOver;
  });
}

async function issueInvoice(core: Core, db: Db, merchantId: string, month: string): Promise<void> {
  const { config } = core;
  const id = uuid();
  const { plan, since } = await findTerms(db, merchantId, month);
  const paymentCount = await takeUsage(db, { merchantId, invoiceId: id, since, until: endOf(month) });
  const merchant = (await findRow(db, Merchant, 'id = $1', [merchantId])) as Merchant;
  // The last thing before the invoice: all merchants' wait for this one from here on.
  const numbered = await takeNumber(core, db);
  const sums = sumInvoice(plan, paymentCount, config.BILLING_TAX_BPS);
  const { currency } = plan;
  await insertRow(db, Invoice, {
    id,
    ...numbered,
    issuerName: config.BILLING_ISSUER,
    issuerTaxId: config.BILLING_TAX_ID,
    merchantId,
    merchantName: merchant.name,
    planName: plan.name,
    month,
    paymentCount,
    currency,
    ...sums,
    lines: JSON.stringify(sums.lines) as unknown as Invoice['lines'],
  });
  const total = toMajor(sums.totalMinor, currency);
  const details = { invoiceId: id, number: numberOf(numbered), month, total, currency };
  const occurredAt = numbered.issuedAt;
  await recordEvent(db, { merchantId, paymentId: null, type: 'invoice.issued', status: null, occurredAt, details });
}

/** The plan in force in a month, and when the merchant's first one came into force: what was used before is nobody's. */
async function findTerms(db: Db, merchantId: string, month: string): Promise<{ plan: Plan; since: Date }> {
  const rows = await findRows(db, Subscription, 'merchant_id = $1 and month <= $2 order by month', [merchantId, month]);
  const [first, last] = [rows[0], rows.at(-1)];
  const plan = last && (await findRow(db, Plan, 'id = $1', [last.planId]));
  if (!first || !plan) throw new Error(`merchant ${merchantId} has no plan in ${month}`);
  return { plan, since: startOf(first.month) };
}

type Taken = { merchantId: string; invoiceId: string; since: Date; until: Date };

/** Usage of the time that is on no invoice yet becomes this one's, late entries of earlier months too; answers how many. */
async function takeUsage(db: Db, { merchantId, invoiceId, since, until }: Taken): Promise<number> {
  for (let taken = 0; ;) {
    const { rowCount } = await db.pool.query(
      `update usage_entries set invoice_id = $2::uuid where transaction_id in (
         select transaction_id from usage_entries where merchant_id = $1::uuid and invoice_id is null
           and occurred_at >= $3::timestamptz and occurred_at < $4::timestamptz limit ${TAKEN_AT_ONCE})`,
      [merchantId, invoiceId, since, until],
    );
    taken += rowCount ?? 0;
    if ((rowCount ?? 0) < TAKEN_AT_ONCE) return taken;
  }
}

/** The next number of the year, without a gap: held until the transaction ends, given back when it fails. */
async function takeNumber(core: Core, db: Db): Promise<Pick<Invoice, 'year' | 'serial' | 'issuedAt'>> {
  // A statement of its own: the next one must see what the last holder of the lock committed.
  await db.pool.query(`select pg_advisory_xact_lock(hashtextextended('invoices', 0))`);
  const last = await findRow(db, Invoice, 'true order by year desc, serial desc limit 1', []);
  // Numbers and dates grow together, though nodes' clocks differ.
  const now = core.clock.now();
  const issuedAt = last && last.issuedAt > now ? last.issuedAt : now;
  const year = Number(monthOf(issuedAt).slice(0, 4));
  return { year, serial: last?.year === year ? last.serial + 1 : 1, issuedAt };
}
