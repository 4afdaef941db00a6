// Issues invoices: one per merchant and month, after the end of the month.
import { LockMode } from '@mikro-orm/postgresql';
import { sql, type Expression } from 'kysely';
import { v7 as uuid } from 'uuid';
import { addDays, endOf, monthAfter, monthOf, startOf } from '../../shared/luanda.ts';
import { addMinor, toMajor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordEvent } from '../events/record.ts';
import { dueQueue, type Claim, type DueQueue } from '../jobs/due.ts';
import { numberOf } from './documents.ts';
import { BillingAccount, Invoice, Plan, Subscription } from './entities.ts';
import { requestCertification } from './handover.ts';
import { takeNumber } from './numbers.ts';
import { paymentTermsOf } from './payment.ts';
import { sumInvoice, type Span } from './schemas.ts';

/** The most rows that one statement assigns. Millions of rows would exceed `statement_timeout`. */
const TAKEN_AT_ONCE = 20_000;

/**
 * Issues the invoice of the merchant's first month without an invoice. Returns false if that month has not ended.
 * A concurrent call waits for the lock of the billing account, and then finds the invoice.
 */
export function issueNext(core: Core, merchantId: string): Promise<boolean> {
  return inTransaction(core, async (db) => {
    const id = merchantId;
    const account = await em(db).findOne(BillingAccount, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!account) return false;
    const month = account.nextMonth;
    const isOver = month < monthOf(core.clock.now());
    const nextMonth = isOver ? monthAfter(month) : month;
    if (isOver) await issueInvoice(core, db, merchantId, month);
    await em(db).nativeUpdate(BillingAccount, { id }, { nextMonth, dueAt: endOf(nextMonth) });
    return isOver;
  });
}

async function issueInvoice(core: Core, db: Db, merchantId: string, month: string): Promise<void> {
  const { config } = core;
  const id = uuid();
  const { plan, since } = await findTerms(db, merchantId, month);
  const paymentCount = await takeUsage(db, { merchantId, invoiceId: id, since, until: endOf(month) });
  const { refundCount } = await countRefunds.one(db, { merchantId, from: startOf(month), before: endOf(month) });
  const merchant = await findMerchant.one(db, { merchantId });
  // The invoice number is taken last, because from here on the invoices of all other merchants wait for it.
  const numbered = await takeNumber(core, db, 'invoices');
  const sums = sumInvoice(plan, paymentCount, config.BILLING_TAX_BPS);
  const { currency } = plan;
  const row = {
    id,
    ...numbered,
    issuerName: config.BILLING_ISSUER,
    issuerTaxId: config.BILLING_TAX_ID,
    issuerAddress: config.BILLING_ADDRESS,
    payment: paymentTermsOf(config, numbered.issuedAt),
    merchantId,
    merchantName: merchant.name,
    merchantTaxId: merchant.taxId ?? null,
    planName: plan.name,
    month,
    paymentCount,
    refundCount,
    currency,
    ...sums,
  };
  await em(db).insert(Invoice, row);
  await requestCertification(core, db, id);
  const total = toMajor(sums.totalMinor, currency);
  const details = { invoiceId: id, number: numberOf(numbered), month, total, currency };
  const occurredAt = numbered.issuedAt;
  await recordEvent(db, { merchantId, paymentId: null, type: 'invoice.issued', status: null, occurredAt, details });
}

const findMerchant = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables.selectFrom('merchants').select(['name', 'taxId']).where('id', '=', merchantId),
);

type Time = { merchantId: string; from: Date; before: Date };

const countRefunds = prepared((tables, { merchantId, from, before }: Time) =>
  tables
    .selectFrom('refunds')
    .select((eb) => eb.fn.countAll<number>().as('refundCount'))
    .where('merchantId', '=', merchantId)
    .where('status', '=', 'Succeeded')
    .where('completedAt', '>=', from)
    .where('completedAt', '<', before),
);

/**
 * Returns the plan of a month, and the start of the merchant's first plan.
 * Usage before that start is never charged.
 */
async function findTerms(db: Db, merchantId: string, month: string): Promise<{ plan: Plan; since: Date }> {
  const upTo = { merchantId, month: { $lte: month } };
  const rows = await em(db).find(Subscription, upTo, { orderBy: { month: 'asc' } });
  const [first, last] = [rows[0], rows.at(-1)];
  const plan = last && (await em(db).findOne(Plan, { id: last.planId }));
  if (!first || !plan) throw new Error(`merchant ${merchantId} has no plan in ${month}`);
  return { plan, since: startOf(first.month) };
}

type Taken = { merchantId: string; invoiceId: string; since: Date; until: Date };

/** Assigns unbilled usage to the invoice, even late entries of earlier months. Returns the number of entries. */
async function takeUsage(db: Db, taken: Taken): Promise<number> {
  for (let total = 0; ;) {
    const count = await takeSome.run(db, taken);
    total += count;
    if (count < TAKEN_AT_ONCE) return total;
  }
}

const takeSome = prepared((tables, { merchantId, invoiceId, since, until }: Taken) =>
  tables
    .updateTable('usage_entries')
    .set({ invoiceId })
    .where('transactionId', 'in', (eb) =>
      eb
        .selectFrom('usage_entries')
        .select('transactionId')
        .where('merchantId', '=', merchantId)
        .where('invoiceId', 'is', null)
        .where('occurredAt', '>=', since)
        .where('occurredAt', '<', until)
        .limit(TAKEN_AT_ONCE),
    ),
);

type Amount = { currency: string; amount: number };
type Refunded = { count: number; amounts: Amount[] };
type Counted = { payments: number; gpo: number; ppr: number; amounts: Amount[]; refunds: Refunded };

/** The days of a span with payments or refunds, oldest first, and their totals. The span includes both end days. */
type Usage = Span & { data: ({ day: string } & Counted)[]; totals: Counted };

export async function readUsage(db: Db, merchantId: string, { from, to }: Span): Promise<Usage> {
  const time = { merchantId, from: startOf(from), before: startOf(addDays(to, 1)) };
  const [came, back] = [await sumDays.all(db, time), await sumRefunds.all(db, time)];
  const [cameOn, backOn] = [Map.groupBy(came, dayOfRow), Map.groupBy(back, dayOfRow)];
  const days = [...new Set([...cameOn.keys(), ...backOn.keys()])].toSorted();
  const data = days.map((day) => ({ day, ...countRows(cameOn.get(day) ?? [], backOn.get(day) ?? []) }));
  return { from, to, data, totals: countRows(came, back) };
}

const dayOfRow = ({ day }: { day: string }) => day;

const sumDays = prepared((tables, { merchantId, from, before }: Time) =>
  tables
    .selectFrom('usage_entries')
    .select((eb) => [
      dayIn(eb.ref('occurredAt')).as('day'),
      'currency',
      eb.fn.countAll<number>().filterWhere('paymentType', '=', 'GPO').as('gpo'),
      eb.fn.countAll<number>().filterWhere('paymentType', '=', 'PPR').as('ppr'),
      eb.cast<number>(eb.fn.sum('amountMinor'), 'float8').as('minor'),
    ])
    .where('merchantId', '=', merchantId)
    .where('occurredAt', '>=', from)
    .where('occurredAt', '<', before)
    .groupBy(['day', 'currency']),
);

const sumRefunds = prepared((tables, { merchantId, from, before }: Time) =>
  tables
    .selectFrom('refunds')
    .select((eb) => [
      dayIn(eb.ref('completedAt')).as('day'),
      'currency',
      eb.fn.countAll<number>().as('count'),
      eb.cast<number>(eb.fn.sum('amountMinor'), 'float8').as('minor'),
    ])
    .where('merchantId', '=', merchantId)
    .where('status', '=', 'Succeeded')
    .where('completedAt', '>=', from)
    .where('completedAt', '<', before)
    .groupBy(['day', 'currency']),
);

const dayIn = (time: Expression<Date | null>) =>
  sql<string>`to_char(${time} at time zone 'Africa/Luanda', 'YYYY-MM-DD')`;

type Came = Awaited<ReturnType<typeof sumDays.all>>;
type Back = Awaited<ReturnType<typeof sumRefunds.all>>;

function countRows(came: Came, back: Back): Counted {
  const [gpo, ppr] = [sum(came.map((row) => row.gpo)), sum(came.map((row) => row.ppr))];
  const refunds = { count: sum(back.map(({ count }) => count)), amounts: addAmounts(back) };
  return { payments: gpo + ppr, gpo, ppr, amounts: addAmounts(came), refunds };
}

function addAmounts(rows: { currency: string; minor: number }[]): Amount[] {
  const byCurrency = [...Map.groupBy(rows, ({ currency }) => currency)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return byCurrency.map(([currency, of]) => ({
    currency,
    amount: toMajor(addMinor(...of.map(({ minor }) => minor)), currency),
  }));
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);

/** The lease of a billing job. An invoice with millions of payments takes less time. */
const LEASE_MS = 120_000;

/** Concurrent invoices on a node. Each holds a connection while it waits, and payments need the others at midnight. */
const AT_ONCE = 2;

/** The queue of billing accounts with an invoice to issue. */
export function billingQueue(core: Core): DueQueue {
  const run = (claim: Claim) => issueAll(core, claim);
  return dueQueue(core, { table: 'billing_accounts', leaseMs: LEASE_MS, concurrency: AT_ONCE, run });
}

async function issueAll(core: Core, { id }: Claim): Promise<void> {
  while (!core.stopping.aborted && (await issueNext(core, id)));
}
