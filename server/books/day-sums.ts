// Sums a clearing day: its movements by settlement, method, cashier and shift, from one grouped query.
import { sql } from 'kysely';
import { addMinor } from '../../shared/money.ts';
import type { PaymentMethod } from '../../shared/methods.ts';
import { prepared, type Db } from '../database/db.ts';
import { differenceOf, expectedOf, latestOf, type SettlementSums } from './close.ts';
import type { Settlement } from './entities.ts';

/** Movements with the same settlement, type, method, cashier and shift. */
export type Group = {
  settlementId: string;
  /** `taken`: received money. Else the method of the refunds. */
  type: 'taken' | 'rail' | 'manual';
  currency: string;
  method: PaymentMethod;
  /** The person or API client who charged or refunded. Null for a payer. */
  byKind: 'user' | 'client' | null;
  byId: string | null;
  /** The shift that counts the movements. Null without one. */
  shiftId: string | null;
  /** True if the movements were recorded after the close of their shift. */
  isAfterShift: boolean;
  count: number;
  minor: number;
  feesMinor: number;
};

/** A payment or refund of a shift whose movement counts in no shift: its money arrived after the close. */
const afterReceived = sql<boolean>`(p.shift_id is not null and t.shift_id is null)`;
const afterReturned = sql<boolean>`(r.shift_id is not null and r.counted_shift_id is null)`;

export const groupDay = prepared((tables, { merchantId, day }: { merchantId: string; day: string }) => {
  const settlements = tables
    .selectFrom('settlements as s')
    .where('s.merchantId', '=', merchantId)
    .where('s.day', '=', day);
  const received = settlements
    .innerJoin('transactions as t', (on) =>
      on
        .onRef('t.merchantId', '=', 's.merchantId')
        .onRef('t.rail', '=', 's.rail')
        .onRef('t.period', '=', 's.period')
        .onRef('t.currency', '=', 's.currency'),
    )
    .innerJoin('payments as p', 'p.id', 't.paymentId')
    .select((eb) => [
      's.id as settlementId',
      sql
        .lit('taken' as const)
        .$castTo<Group['type']>()
        .as('type'),
      's.currency',
      'p.paymentMethod as method',
      'p.createdByKind as byKind',
      'p.createdById as byId',
      't.shiftId',
      afterReceived.as('isAfterShift'),
      eb.fn.countAll<number>().as('count'),
      eb.cast<number>(eb.fn.sum('t.amountMinor'), 'float8').as('minor'),
      eb.cast<number>(eb.fn.coalesce(eb.fn.sum('t.feeMinor'), eb.lit(0)), 'float8').as('feesMinor'),
    ])
    .groupBy(['s.id', 's.currency', 'p.paymentMethod', 'p.createdByKind', 'p.createdById', 't.shiftId', afterReceived]);
  const returned = settlements
    .innerJoin('refunds as r', (on) =>
      on
        .onRef('r.merchantId', '=', 's.merchantId')
        .onRef('r.period', '=', 's.period')
        .onRef('r.currency', '=', 's.currency')
        .on('r.status', '=', 'Succeeded'),
    )
    .innerJoin('transactions as t', (on) => on.onRef('t.id', '=', 'r.transactionId').onRef('t.rail', '=', 's.rail'))
    .innerJoin('payments as p', 'p.id', 'r.paymentId')
    .select((eb) => [
      's.id as settlementId',
      eb.ref('r.method').$castTo<Group['type']>().as('type'),
      's.currency',
      'p.paymentMethod as method',
      eb.ref('r.requestedByKind').$castTo<Group['byKind']>().as('byKind'),
      eb.ref('r.requestedById').$castTo<string | null>().as('byId'),
      'r.countedShiftId as shiftId',
      afterReturned.as('isAfterShift'),
      eb.fn.countAll<number>().as('count'),
      eb.cast<number>(eb.fn.sum('r.amountMinor'), 'float8').as('minor'),
      eb.cast<number>(eb.lit(0), 'float8').as('feesMinor'),
    ])
    .groupBy(['s.id', 'r.method', 's.currency', 'p.paymentMethod', 'r.requestedByKind', 'r.requestedById'])
    .groupBy(['r.countedShiftId', afterReturned]);
  return received.unionAll(returned);
});

/** The sums of some movements, in minor units. */
export type MovementSums = {
  count: number;
  takenMinor: number;
  feesMinor: number;
  refundedMinor: number;
  manualMinor: number;
};

/** Adds up all groups. */
export function sumGroups(groups: readonly Group[]): MovementSums {
  const sumOf = (type: Group['type']) =>
    addMinor(...groups.filter((each) => each.type === type).map(({ minor }) => minor));
  return {
    count: groups.reduce((sum, { count }) => sum + count, 0),
    takenMinor: sumOf('taken'),
    feesMinor: addMinor(...groups.map(({ feesMinor }) => feesMinor)),
    refundedMinor: sumOf('rail'),
    manualMinor: sumOf('manual'),
  };
}

/** The sums of groups with equal keys. `one` is a group of those. */
export type SumOf = { one: Group; sums: MovementSums };

export const sumByMethod = (groups: readonly Group[]) => sumBy(groups, ({ currency, method }) => [currency, method]);

export const sumByCashier = (groups: readonly Group[]) =>
  sumBy(groups, ({ currency, byKind, byId }) => [currency, byKind, byId]);

/** Sums by shift. Movements outside of a shift are apart, by their cashier. */
export const sumByShift = (groups: readonly Group[]) =>
  sumBy(groups, ({ currency, byKind, byId, shiftId, isAfterShift }) => [currency, shiftId, isAfterShift, byKind, byId]);

/** Sums groups with equal keys, the largest taken amount first. */
function sumBy(groups: readonly Group[], keyOf: (group: Group) => unknown[]): SumOf[] {
  const byKey = Map.groupBy(groups, (group) => JSON.stringify(keyOf(group)));
  return [...byKey.values()]
    .map((own) => ({ one: own[0] as Group, sums: sumGroups(own) }))
    .toSorted((a, b) => addMinor(b.sums.takenMinor, -a.sums.takenMinor));
}

/** Returns the sums of one settlement, from the groups of its day. */
export function sumsOfSettlement(groups: readonly Group[], { id }: Pick<Settlement, 'id'>): SettlementSums {
  const own = groups.filter(({ settlementId }) => settlementId === id);
  const manualCount = sumGroups(own.filter(({ type }) => type === 'manual')).count;
  const { count, ...sums } = sumGroups(own);
  return { ...sums, manualCount, movementCount: count - manualCount };
}

/** Returns the time of a day's last close. Null until all settlements are closed. */
export function closeOf(settlements: readonly Pick<Settlement, 'closedAt'>[]): Date | null {
  const times = settlements.map(({ closedAt }) => closedAt ?? null);
  return times.includes(null) ? null : latestOf(...times);
}

/** The sums of all accounts of a day in one currency. */
export type DaySums = { currency: string } & MovementSums &
  Record<
    | 'bankFeesMinor'
    | 'expectedMinor'
    | 'creditedMinor'
    | 'awaitedMinor'
    | 'differenceMinor'
    | 'explainedMinor'
    | 'unexplainedMinor',
    number
  >;

/** Adds up the settlements of a day, by currency. The difference counts only settlements with a credit. */
export function sumDay(settlements: readonly Settlement[]): DaySums[] {
  const byCurrency = Map.groupBy(settlements, ({ currency }) => currency);
  return [...byCurrency].map(([currency, all]) => {
    const sum = (of: (one: Settlement) => number, rows = all) => addMinor(...rows.map(of));
    const having = (...statuses: Settlement['status'][]) => all.filter(({ status }) => statuses.includes(status));
    return {
      currency,
      count: sum(({ movementCount, manualCount }) => addMinor(movementCount, manualCount)),
      takenMinor: sum(({ takenMinor }) => takenMinor),
      feesMinor: sum(({ feesMinor }) => feesMinor),
      refundedMinor: sum(({ refundedMinor }) => refundedMinor),
      manualMinor: sum(({ manualMinor }) => manualMinor),
      bankFeesMinor: sum(({ bankFeesMinor }) => bankFeesMinor),
      expectedMinor: sum(expectedOf),
      creditedMinor: sum(({ creditedMinor }) => creditedMinor),
      awaitedMinor: sum(expectedOf, having('open')),
      differenceMinor: sum(differenceOf, having('balanced', 'differs', 'explained')),
      explainedMinor: sum(differenceOf, having('explained')),
      unexplainedMinor: sum(differenceOf, having('differs')),
    };
  });
}

type DayRange = {
  merchantId: string;
  from?: string | undefined;
  to?: string | undefined;
  /** The list continues with earlier days than this one. */
  before?: string | undefined;
};

/** Lists settlements of the latest days in a range, the newest day first. A day is complete or absent. */
export async function findDays(db: Db, range: DayRange, limit: number): Promise<Map<string, Settlement[]>> {
  const { merchantId, from = '', to = '9999-12-31', before = '9999-12-31' } = range;
  const rows = (await selectDays.all(db, { merchantId, from, to, before, limit })) as Settlement[];
  return Map.groupBy(rows, ({ day }) => day);
}

type SelectDays = Required<{ [K in keyof DayRange]: string }> & { limit: number };

const selectDays = prepared((tables, { merchantId, from, to, before, limit }: SelectDays) =>
  tables
    .selectFrom('settlements')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('day', 'in', (eb) =>
      eb
        .selectFrom('settlements as d')
        .select('d.day')
        .distinct()
        .where('d.merchantId', '=', merchantId)
        .where('d.day', '>=', from)
        .where('d.day', '<=', to)
        .where('d.day', '<', before)
        .orderBy('d.day', 'desc')
        .limit(limit),
    )
    .orderBy('day', 'desc')
    .orderBy('rail')
    .orderBy('currency')
    .orderBy('period')
    .orderBy('id'),
);
