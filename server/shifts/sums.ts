// The sums of shifts. They always come from the movements and the cash that count in the shift, never from counters.
// Each query is planned at its call: a plan that was made while tables were small would later read whole tables.
import { sql } from 'kysely';
import { PAYMENT_STATUSES, isFinal } from '../../shared/status.ts';
import { addMinor } from '../../shared/money.ts';
import { SHIFT_CURRENCY, SHIFT_METHODS, SHIFT_METHOD_OF, type CashKind, type ShiftMethod } from '../../shared/shift.ts';
import { isAny, query, type Db } from '../database/db.ts';
import type { Shift } from './entities.ts';

/** Received money of one method in one currency. */
export type TakenSum = { method: ShiftMethod; currency: string; count: number; amountMinor: number; feesMinor: number };

/** Refunded money of one method in one currency. `manualMinor`: the part that people returned another way. */
export type RefundedSum = Omit<TakenSum, 'feesMinor'> & { manualMinor: number };

export type CountedSum = { count: number; amountMinor: number };

/** Payments of a shift without a movement: canceled ones, and open ones. */
export type UnpaidSums = { canceled: CountedSum; pending: CountedSum };

export type ShiftSums = UnpaidSums & {
  taken: TakenSum[];
  refunded: RefundedSum[];
  cash: Record<CashKind, number>;
};

/** Returns the sums of each shift, by its id. */
export async function sumShifts(db: Db, shifts: Shift[]): Promise<Map<string, ShiftSums>> {
  const ids = shifts.map(({ id }) => id);
  const open = shifts.filter(({ status }) => status === 'open').map(({ id }) => id);
  const taken = await sumTaken(ids).all(db);
  const refunded = await sumRefunded(ids).all(db);
  const cash = await sumCash(ids).all(db);
  const unpaid = await readUnpaid(db, open);
  return new Map(
    shifts.map((shift) => {
      const { id } = shift;
      const isOwn = ({ shiftId }: { shiftId: string | null }) => shiftId === id;
      return [
        id,
        {
          taken: merge(taken.filter(isOwn), ['amountMinor', 'feesMinor']),
          refunded: merge(refunded.filter(isOwn), ['amountMinor', 'manualMinor']),
          cash: { ...NO_CASH, ...Object.fromEntries(cash.filter(isOwn).map((one) => [one.kind, one.amountMinor])) },
          ...(unpaid.get(id) ?? unpaidAtClose(shift)),
        },
      ];
    }),
  );
}

const NO_CASH: Record<CashKind, number> = { sale: 0, in: 0, out: 0 };
const NOTHING: CountedSum = { count: 0, amountMinor: 0 };

/** Returns the canceled and open payments of each shift, by its id. */
export async function readUnpaid(db: Db, ids: string[]): Promise<Map<string, UnpaidSums>> {
  const rows = ids.length > 0 ? await sumUnpaid(ids).all(db) : [];
  const pick = (id: string, isCanceled: boolean): CountedSum => {
    const found = rows.find((row) => row.shiftId === id && row.isCanceled === isCanceled);
    return found ? { count: found.count, amountMinor: found.amountMinor } : NOTHING;
  };
  return new Map(ids.map((id) => [id, { canceled: pick(id, true), pending: pick(id, false) }]));
}

const OPEN_STATUSES = PAYMENT_STATUSES.filter((status) => !isFinal(status));

/** Returns the unpaid payments that a closed shift had at its close. */
function unpaidAtClose(shift: Shift): UnpaidSums {
  return {
    canceled: { count: shift.canceledCount ?? 0, amountMinor: shift.canceledMinor ?? 0 },
    pending: { count: shift.pendingCount ?? 0, amountMinor: shift.pendingMinor ?? 0 },
  };
}

type Grouped = { paymentMethod: keyof typeof SHIFT_METHOD_OF; currency: string; count: number };

/** Adds rows of payment methods that are one method of a shift. The result has the order of SHIFT_METHODS. */
function merge<Row extends Grouped & Record<Sum, number>, Sum extends 'amountMinor' | 'feesMinor' | 'manualMinor'>(
  rows: Row[],
  names: Sum[],
) {
  const groups = new Map<string, { method: ShiftMethod; currency: string; count: number } & Record<Sum, number>>();
  for (const row of rows) {
    const method = SHIFT_METHOD_OF[row.paymentMethod];
    const key = `${method} ${row.currency}`;
    const found = groups.get(key);
    const sums = Object.fromEntries(names.map((name) => [name, addMinor(found?.[name] ?? 0, row[name])]));
    const sum = { method, currency: row.currency, count: (found?.count ?? 0) + row.count, ...sums };
    groups.set(key, sum as typeof sum & Record<Sum, number>);
  }
  return [...groups.values()].toSorted(
    (one, other) =>
      SHIFT_METHODS.indexOf(one.method) - SHIFT_METHODS.indexOf(other.method) ||
      one.currency.localeCompare(other.currency),
  );
}

const sumTaken = (ids: string[]) =>
  query((tables) =>
    tables
      .selectFrom('transactions as t')
      .innerJoin('payments as p', 'p.id', 't.paymentId')
      .where('t.shiftId', ...isAny(ids))
      .groupBy(['t.shiftId', 'p.paymentMethod', 't.currency'])
      .select(['t.shiftId', 'p.paymentMethod', 't.currency'])
      .select((eb) => [
        eb.cast<number>(eb.fn.countAll(), 'int4').as('count'),
        eb.cast<number>(eb.fn.sum('t.amountMinor'), 'bigint').as('amountMinor'),
        eb.cast<number>(eb.fn.coalesce(eb.fn.sum('t.feeMinor'), eb.lit(0)), 'bigint').as('feesMinor'),
      ]),
  );

const sumRefunded = (ids: string[]) =>
  query((tables) =>
    tables
      .selectFrom('refunds as r')
      .innerJoin('payments as p', 'p.id', 'r.paymentId')
      .where('r.countedShiftId', ...isAny(ids))
      .groupBy(['r.countedShiftId', 'p.paymentMethod', 'r.currency'])
      .select(['r.countedShiftId as shiftId', 'p.paymentMethod', 'r.currency'])
      .select((eb) => [
        eb.cast<number>(eb.fn.countAll(), 'int4').as('count'),
        eb.cast<number>(eb.fn.sum('r.amountMinor'), 'bigint').as('amountMinor'),
        sql<number>`coalesce(sum(r.amount_minor) filter (where r.method = 'manual'), 0)::bigint`.as('manualMinor'),
      ]),
  );

const sumCash = (ids: string[]) =>
  query((tables) =>
    tables
      .selectFrom('cash_entries')
      .where('shiftId', ...isAny(ids))
      .groupBy(['shiftId', 'kind'])
      .select(['shiftId', 'kind'])
      .select((eb) => eb.cast<number>(eb.fn.sum('amountMinor'), 'bigint').as('amountMinor')),
  );

/** Leaves out a canceled payment with a replacement, because its payer was still to pay the replacement. */
const sumUnpaid = (ids: string[]) =>
  query((tables) =>
    tables
      .selectFrom('payments')
      .where('shiftId', ...isAny(ids))
      .where('currency', '=', SHIFT_CURRENCY)
      .where(sql<boolean>`(status = 'Canceled' and replaced_by_id is null or status = any(${OPEN_STATUSES}))`)
      .groupBy(['shiftId', sql`status = 'Canceled'`])
      .select('shiftId')
      .select((eb) => [
        sql<boolean>`bool_or(status = 'Canceled')`.as('isCanceled'),
        eb.cast<number>(eb.fn.countAll(), 'int4').as('count'),
        eb.cast<number>(eb.fn.sum('amountMinor'), 'bigint').as('amountMinor'),
      ]),
  );
