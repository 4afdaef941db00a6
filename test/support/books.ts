// Inserts transactions and refunds as rows, and reads the settlements that sum them up.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect } from 'vitest';
import { clearingDayOf } from '../../shared/clearing.ts';
import { until, type TestApp } from './app.ts';
import type { CallbackFixture } from './callbacks.ts';
import { creepUntil } from './payments.ts';

let nth = 0;

type Books = Pick<TestApp, 'sql'> & { clock: { now(): Date } };

type MoneyRow = {
  id: string;
  paymentId: string;
  rail: string;
  period: string;
  at: string;
};

type NewMoney = {
  at?: string;
  /** When the gateway recorded the row. The default is the time of the payment. */
  recordedAt?: string;
  minor?: number;
  feeMinor?: number | null;
  currency?: string;
  rail?: string;
  period?: string;
  method?: string;
  reference?: string;
  number?: string;
};

/** Inserts everything in one transaction, so that a closing includes all or nothing. */
export async function inOneTransaction<T>(
  { databaseUrl, clock }: { databaseUrl: string; clock: Books['clock'] },
  write: (client: Books) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    const written = await write({ clock, sql: async (text, values) => (await client.query(text, values)).rows });
    await client.query('commit');
    return written;
  } finally {
    await client.end();
  }
}

/** Waits until every notification of the rails is applied. */
export function untilInboxEmpty(app: Pick<Books, 'sql'>): Promise<boolean> {
  const isEmpty = async () => (await app.sql('select from inbox where applied_at is null')).length === 0;
  return until(isEmpty, 'every notification applied');
}

/** Inserts a transaction with its own paid payment. */
export async function addMoney(
  app: Books,
  { merchantId }: { merchantId: string },
  money: NewMoney = {},
): Promise<MoneyRow> {
  const { at = app.clock.now().toISOString(), minor = 150_000, feeMinor = null } = money;
  const { currency = 'AOA', rail = 'gpo', recordedAt = at } = money;
  const { method = 'onetimepurchase', reference = `M${++nth}`, number = null } = money;
  const period = money.period ?? clearingDayOf(new Date(at));
  const [id, paymentId] = [randomUUID(), randomUUID()];
  const details = number === null ? {} : { transactionNumber: number };
  const common = { merchant_id: merchantId, amount_minor: minor, currency };
  const paid = { status: 'Paid', revision: 2, amount_paid_minor: minor, created_at: at };
  const way = { reference, payment_method: method, payment_type: method === 'reference' ? 'PPR' : 'GPO' };
  await insert(app, 'payments', { id: paymentId, ...common, ...way, ...paid });
  const known = { status: 'Accepted', late: false, occurred_at: at, created_at: recordedAt };
  const provider = { payment_id: paymentId, rail, provider_ref: `rail ${id}`, period, fee_minor: feeMinor, details };
  await insert(app, 'transactions', { id, ...common, ...provider, ...known });
  return { id, paymentId, rail, period, at };
}

async function insert({ sql }: Pick<Books, 'sql'>, table: string, row: Record<string, unknown>): Promise<void> {
  const places = Object.keys(row).map((_, nth) => `$${nth + 1}`);
  await sql(`insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')})`, Object.values(row));
}

type NewRefund = {
  at?: string;
  minor?: number;
  method?: 'rail' | 'manual';
  status?: string;
  period?: string;
  currency?: string;
};

/** Inserts a refund. A manual one has the period of its transaction. */
export async function addRefund(
  app: Pick<Books, 'sql'>,
  { merchantId }: { merchantId: string },
  of: MoneyRow,
  refund: NewRefund = {},
): Promise<string> {
  const { at = of.at, minor = 50_000, method = 'rail', status = 'Succeeded', currency = 'AOA' } = refund;
  const period = refund.period ?? (method === 'manual' ? of.period : clearingDayOf(new Date(at)));
  const id = randomUUID();
  const isDone = status === 'Succeeded';
  const common = { merchant_id: merchantId, amount_minor: minor, currency, status, revision: 1, method, details: {} };
  const money = { payment_id: of.paymentId, transaction_id: of.id, created_at: at };
  const provider = { provider_ref: method === 'rail' ? `back ${id}` : null };
  const requester = { requested_by_kind: 'client', requested_by_id: 'test' };
  const completion = isDone && { completed_at: at, period };
  await insert(app, 'refunds', { id, ...common, ...money, ...provider, ...requester, ...completion });
  if (isDone)
    await app.sql('update transactions set refunded_minor = refunded_minor + $2 where id = $1', [of.id, minor]);
  return id;
}

export const SETTLEMENTS = '/api/settlements';

type Reader = Pick<CallbackFixture, 'call'>;

export function untilSettlements(
  app: TestApp,
  fixture: Reader,
  check: (found: any[]) => unknown,
  what: string,
): Promise<any[]> {
  const find = async () => {
    const { data } = (await fixture.call(SETTLEMENTS)).json;
    return check(data) ? (data as any[]) : null;
  };
  return creepUntil(app, find, what);
}

export function untilClosed(app: TestApp, fixture: Reader): Promise<any[]> {
  return untilSettlements(
    app,
    fixture,
    (found) => found.length > 0 && found.every(({ closedAt }) => closedAt),
    'all being closed',
  );
}

/** Reads all pages of a list of the API. */
export async function readAll(read: (path: string) => Promise<{ json: any }>, path: string): Promise<any[]> {
  const found: any[] = [];
  for (let next: string | null = ''; next !== null;) {
    const { json } = await read(next === '' ? path : `${path}${path.includes('?') ? '&' : '?'}after=${next}`);
    found.push(...json.data);
    next = json.next ?? null;
  }
  return found;
}

export const readSettlements = (app: Reader, query: string): Promise<any[]> =>
  readAll((path) => app.call(path), SETTLEMENTS + query);

/** Reads an amount of the API exactly: the nearest number of cêntimos. */
export const cents = (amount: number | string) => Math.round(Number(amount) * 100);

const REPORT = `
  select s.closed_minor::int as "closedMinor", s.closed_count as "closedCount", coalesce(m.taken, 0)::int as taken,
    coalesce(m.fees, 0)::int as fees, coalesce(m.refunded, 0)::int as refunded, coalesce(m.manual, 0)::int as manual,
    coalesce(m.ids, '{}') as ids,
    coalesce(m.known_minor, 0)::int as "knownMinor", coalesce(m.known_count, 0)::int as "knownCount"
  from settlements s left join lateral (
    select sum(taken) as taken, sum(fee) as fees, sum(back) as refunded, sum(by_hand) as manual,
      array_agg(id::text order by at desc, id desc) as ids,
      sum(taken - fee - back) filter (where recorded_at <= s.closed_at) as known_minor,
      count(*) filter (where recorded_at <= s.closed_at and by_hand = 0) as known_count
    from (
      select id, occurred_at as at, created_at as recorded_at, amount_minor as taken, coalesce(fee_minor, 0) as fee,
        0 as back, 0 as by_hand
      from transactions t
      where t.merchant_id = s.merchant_id and t.rail = s.rail and t.period = s.period and t.currency = s.currency
      union all
      select r.id, r.completed_at, r.completed_at, 0, 0, case r.method when 'rail' then r.amount_minor else 0 end,
        case r.method when 'manual' then r.amount_minor else 0 end
      from refunds r join transactions t on t.id = r.transaction_id
      where r.status = 'Succeeded' and r.merchant_id = s.merchant_id and t.rail = s.rail and r.period = s.period
        and r.currency = s.currency
    ) of_period
  ) m on true
  where s.id = $1`;

/** Returns a settlement without its reconciliation. */
function bookedOf(settlement: any): any {
  const { reconciledAt: _, differenceCount: __, differences: ___, reasons: ____, ...booked } = settlement;
  return booked;
}

/**
 * Expects that a repeated report of a closed period is the same, and that it equals the sum of the period's rows.
 * Expects that the closing included all rows recorded before it. Returns the movements of the report.
 */
export async function expectReproducible(app: Reader & Pick<Books, 'sql'>, listed: any): Promise<{ movements: any[] }> {
  const read = async () => (await app.call(`${SETTLEMENTS}/${listed.id}?limit=100000`)).json;
  const [report, again] = [await read(), await read()];
  expect(bookedOf(again)).toEqual(bookedOf(report));
  const { movements, credits: _, bankFeeEntries: __, ...summary } = bookedOf(report);
  expect(summary).toEqual(bookedOf(listed));
  const [sums] = await app.sql(REPORT, [listed.id]);
  const { taken, fees, refunded, refundedByHand, expectedCredit, count } = report;
  expect({
    taken: cents(taken),
    fees: cents(fees),
    refunded: cents(refunded),
    manual: cents(refundedByHand),
    expected: cents(expectedCredit),
    net: movements.data.reduce((sum: number, { net }: any) => sum + cents(net), 0),
    ids: movements.data.map(({ id }: any) => id),
    count,
    closed: [sums.closedMinor, sums.closedCount],
  }).toEqual({
    taken: sums.taken,
    fees: sums.fees,
    refunded: sums.refunded,
    manual: sums.manual,
    expected: sums.taken - sums.fees - sums.refunded,
    net: sums.taken - sums.fees - sums.refunded,
    ids: sums.ids,
    count: sums.ids.length,
    closed: [sums.knownMinor, sums.knownCount],
  });
  return { movements: movements.data };
}

const DAY_FIELDS = 'taken fees bankFees refunded refundedByHand expectedCredit credited count'.split(' ');
const MOVEMENT_FIELDS = 'taken fees refunded refundedByHand count'.split(' ');

/**
 * Expects that the close of each day equals the sums of its settlements, to the cêntimo, by account, method and
 * cashier. Returns the number of days.
 */
export async function expectDaysAgree(app: Reader, settlements: any[]): Promise<number> {
  const sumOf = (rows: any[], field: string) => rows.reduce((sum, row) => sum + cents(row[field]), 0);
  const sumsOf = (rows: any[], fields: string[]) => fields.map((field) => [field, sumOf(rows, field)]);
  const byDay = Map.groupBy(settlements, ({ day }) => day);
  for (const [day, own] of byDay) {
    const { json } = await app.call(`/api/days/${day}`);
    for (const currency of new Set(own.map((each) => each.currency))) {
      const of = (rows: any[]) => rows.filter((row) => row.currency === currency);
      expect(sumsOf(of(json.sums), DAY_FIELDS)).toEqual(sumsOf(of(own), DAY_FIELDS));
      for (const rows of [json.settlements, json.methods, json.cashiers])
        expect(sumsOf(of(rows), MOVEMENT_FIELDS)).toEqual(sumsOf(of(own), MOVEMENT_FIELDS));
      const [sums] = of(json.sums);
      const inCents = (field: string) => cents(sums[field]);
      const difference = inCents('difference');
      expect(inCents('explainedDifference') + inCents('unexplainedDifference')).toBe(difference);
      expect(inCents('credited') - inCents('expectedCredit') + inCents('awaitedCredit')).toBe(difference);
    }
  }
  const listed = await app.call(`/api/days?limit=100&from=${[...byDay.keys()].toSorted()[0] ?? ''}`);
  for (const { day, sums } of listed.json.data) expect(sums).toEqual((await app.call(`/api/days/${day}`)).json.sums);
  return byDay.size;
}
