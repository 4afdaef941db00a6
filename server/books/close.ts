// Closing clearing periods: summed when their day is over, and again whenever late money comes; what they came to is compared with
// what the bank credited.
import type { Updateable } from 'kysely';
import type { SettlementStatus } from '../../shared/books.ts';
import { clearingDayOf, endOfClearingDay } from '../../shared/clearing.ts';
import { addMinor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { prepared, takeLock, type Db, type Tables } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { dueQueue, type Claim, type DueQueue } from '../jobs/due.ts';
import type { Settlement } from './entities.ts';
import { askReconciliation } from './reconcile.ts';
import { HOUR_MS } from '../../shared/durations.ts';

/** After its day what is on its way is waited for: polls ask each minute for so long. */
const GRACE_MS = HOUR_MS;

/** Longer than the sums of a period of a million movements take. */
const LEASE_MS = 60_000;
const AT_ONCE = 4;

/** The settlements that come due. */
export function settlementQueue(core: Core): DueQueue {
  const run = (claim: Claim) => closeSettlement(core, claim.id);
  return dueQueue(core, { table: 'settlements', leaseMs: LEASE_MS, atOnce: AT_ONCE, run });
}

/** Closes a period that is over; sums one that was closed before. Two at once wait for each other, and come to the same. */
export async function closeSettlement(core: Core, id: string): Promise<void> {
  const known = await findSettlement.first(core, { id });
  if (!known) return;
  await inTransaction(core, async (db) => {
    // The lock of the trigger `settle`: what was recorded of the period is committed now, and what comes after finds it closed.
    const { merchantId, rail, period, currency } = known;
    await takeLock(db, `settlement ${merchantId} ${rail} ${period} ${currency}`);
    const settlement = await lockSettlement.one(db, { id });
    const now = core.clock.now();
    const sums = await sumSettlement(db, settlement);
    const closesAt = settlement.closedAt ? now : closingTime(sums.lastAt ?? settlement.createdAt);
    if (closesAt > now) await setDue.run(db, { id, dueAt: closesAt });
    else {
      await saveSums(db, settlement, sums, now);
      await askReconciliation(core, db, id);
    }
  });
}

/** A period whose name says no day is over with the day of its last movement. */
function closingTime(lastAt: Date): Date {
  return new Date(endOfClearingDay(clearingDayOf(lastAt)).getTime() + GRACE_MS);
}

/** What a period came to; `expectedMinor` is what the bank is to credit. */
export type SettlementSums = Pick<
  Settlement,
  'movementCount' | 'takenMinor' | 'feesMinor' | 'refundedMinor' | 'manualMinor' | 'manualCount'
>;

/** Taken less fees and what the rail gave back. */
export function expectedOf({ takenMinor, feesMinor, refundedMinor }: SettlementSums): number {
  return addMinor(takenMinor, -feesMinor, -refundedMinor);
}

type Period = Pick<Settlement, 'merchantId' | 'rail' | 'period' | 'currency'>;

/** Until when its movements occurred, and until when they were recorded; null: there are none. */
type Until = { lastAt: Date | null; recordedAt: Date | null };

/** The sums of its movements as they are now. */
export async function sumSettlement(db: Db, of: Period): Promise<SettlementSums & Until> {
  const received = await sumReceived.one(db, of);
  const returned = await sumReturned.all(db, of);
  const [byRail, byHand] = (['rail', 'manual'] as const).map((by) => returned.find(({ method }) => method === by));
  const returnedAt = byRail?.lastAt ?? null;
  return {
    movementCount: received.count + (byRail?.count ?? 0),
    takenMinor: received.takenMinor,
    feesMinor: received.feesMinor,
    refundedMinor: byRail?.minor ?? 0,
    manualMinor: byHand?.minor ?? 0,
    manualCount: byHand?.count ?? 0,
    lastAt: latestOf(received.lastAt, returnedAt),
    recordedAt: latestOf(received.recordedAt, returnedAt),
  };
}

function latestOf(...times: (Date | null)[]): Date | null {
  return times.filter((at) => at !== null).toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null;
}

const sumReceived = prepared((tables, { merchantId, rail, period, currency }: Period) =>
  tables
    .selectFrom('transactions')
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      eb.cast<number>(eb.fn.coalesce(eb.fn.sum('amountMinor'), eb.lit(0)), 'float8').as('takenMinor'),
      eb.cast<number>(eb.fn.coalesce(eb.fn.sum('feeMinor'), eb.lit(0)), 'float8').as('feesMinor'),
      eb.fn.max<Date | null>('occurredAt').as('lastAt'),
      eb.fn.max<Date | null>('createdAt').as('recordedAt'),
    ])
    .where('merchantId', '=', merchantId)
    .where('rail', '=', rail)
    .where('period', '=', period)
    .where('currency', '=', currency),
);

const sumReturned = prepared((tables, { merchantId, rail, period, currency }: Period) =>
  tables
    .selectFrom('refunds as r')
    .innerJoin('transactions as t', 't.id', 'r.transactionId')
    .select((eb) => [
      'r.method',
      eb.fn.countAll<number>().as('count'),
      eb.cast<number>(eb.fn.sum('r.amountMinor'), 'float8').as('minor'),
      eb.fn.max<Date | null>('r.completedAt').as('lastAt'),
    ])
    .where('r.merchantId', '=', merchantId)
    .where('r.status', '=', 'Succeeded')
    .where('r.period', '=', period)
    .where('r.currency', '=', currency)
    .where('t.rail', '=', rail)
    .groupBy('r.method'),
);

/** Writes the sums down, and closes it where it was not; `settlement` is locked. Answers its status then. */
export async function saveSums(
  db: Db,
  settlement: Pick<Settlement, 'id' | 'closedAt' | 'closedCount' | 'closedMinor'>,
  summed: SettlementSums & Until,
  at: Date,
): Promise<SettlementStatus> {
  const { id, closedAt, closedCount, closedMinor } = settlement;
  const { lastAt: _, recordedAt, ...sums } = summed;
  const { creditedMinor, count } = await sumCredits.one(db, { id });
  const expectedMinor = expectedOf(sums);
  const status = statusOf(expectedMinor, creditedMinor, count);
  const closed = {
    // Never before what it has, whose node's clock may be ahead; what it has not is recorded later (trigger `settle`).
    closedAt: closedAt ?? latestOf(at, recordedAt),
    closedCount: closedCount ?? sums.movementCount,
    closedMinor: closedMinor ?? expectedMinor,
  };
  await updateSettlement.run(db, { id, set: { ...sums, ...closed, creditedMinor, status, dueAt: null } });
  return status;
}

/** Of a closed period. Where nothing is to come nobody need say that nothing came. */
export function statusOf(expectedMinor: number, creditedMinor: number, credits: number): SettlementStatus {
  if (credits === 0 && expectedMinor !== 0) return 'open';
  return creditedMinor === expectedMinor ? 'balanced' : 'differs';
}

type ById = { id: string };

const findSettlement = prepared((tables, { id }: ById) =>
  tables.selectFrom('settlements').select(['merchantId', 'rail', 'period', 'currency']).where('id', '=', id),
);

/** As it is once the lock is won. */
export const lockSettlement = prepared((tables, { id }: ById) =>
  tables.selectFrom('settlements').selectAll().where('id', '=', id).forUpdate(),
);

const setDue = prepared((tables, { id, dueAt }: ById & { dueAt: Date }) =>
  tables.updateTable('settlements').set({ dueAt }).where('id', '=', id),
);

const updateSettlement = prepared((tables, { id, set }: ById & { set: Updateable<Tables['settlements']> }) =>
  tables.updateTable('settlements').set(set).where('id', '=', id),
);

const sumCredits = prepared((tables, { id }: ById) =>
  tables
    .selectFrom('settlement_credits')
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      eb.cast<number>(eb.fn.coalesce(eb.fn.sum('amountMinor'), eb.lit(0)), 'float8').as('creditedMinor'),
    ])
    .where('settlementId', '=', id),
);
