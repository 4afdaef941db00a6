// Closes clearing periods. The node sums a period's movements after its last day, and again after late money.
// It compares the sum with the bank's credits.
import type { Updateable } from 'kysely';
import type { EntryKind, SettlementStatus } from '../../shared/books.ts';
import { clearingDayOf, endOfClearingDay } from '../../shared/clearing.ts';
import { addMinor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { prepared, takeLock, type Db, type Tables } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Problem } from '../http/problem.ts';
import { dueQueue, type Claim, type DueQueue } from '../jobs/due.ts';
import type { Settlement, SettlementExplanation } from './entities.ts';
import { requestReconciliation } from './reconcile.ts';
import { HOUR_MS } from '../../shared/durations.ts';

/** The wait between a period's last day and its close, because polls may still record money of that day. */
const GRACE_MS = HOUR_MS;

/** The lease of a close. Summing a period with a million movements takes less time. */
const LEASE_MS = 60_000;
const AT_ONCE = 4;

/** The queue of settlements that must be closed or summed again. */
export function settlementQueue(core: Core): DueQueue {
  const run = (claim: Claim) => closeSettlement(core, claim.id);
  return dueQueue(core, { table: 'settlements', leaseMs: LEASE_MS, concurrency: AT_ONCE, run });
}

/**
 * Closes a finished period, or sums a closed period again. Concurrent calls run one by one, with the same result.
 */
export async function closeSettlement(core: Core, id: string): Promise<void> {
  const known = await findSettlement.first(core, { id });
  if (!known) return;
  await inTransaction(core, async (db) => {
    // The trigger function settle_movement takes the same lock as this transaction.
    // Under the lock, earlier movements are committed, and later movements find the period closed.
    const { merchantId, rail, period, currency } = known;
    await takeLock(db, `settlement ${merchantId} ${rail} ${period} ${currency}`);
    const settlement = await lockSettlement.one(db, { id });
    const now = core.clock.now();
    const sums = await sumSettlement(db, settlement);
    const closesAt = settlement.closedAt ? now : closingTime(sums.lastAt ?? settlement.createdAt);
    if (closesAt > now) await setDue.run(db, { id, dueAt: closesAt });
    else {
      await saveSums(db, settlement, sums, now);
      await setDue.run(db, { id, dueAt: null });
      await requestReconciliation(core, db, id);
    }
  });
}

/** Returns when a period closes. A period's name need not contain a day, so the day of its last movement decides. */
function closingTime(lastAt: Date): Date {
  return new Date(endOfClearingDay(clearingDayOf(lastAt)).getTime() + GRACE_MS);
}

/** The sums of a clearing period, in minor units. */
export type SettlementSums = Pick<
  Settlement,
  'movementCount' | 'takenMinor' | 'feesMinor' | 'refundedMinor' | 'manualMinor' | 'manualCount'
>;

/** Returns the sum of a period's movements: the taken money less the rail's fees and less refunds by the rail. */
export function netOf({ takenMinor, feesMinor, refundedMinor }: SettlementSums): number {
  return addMinor(takenMinor, -feesMinor, -refundedMinor);
}

/** Returns the expected credit of the bank: the movements less the bank's fees. */
export function expectedOf(sums: SettlementSums & Pick<Settlement, 'bankFeesMinor'>): number {
  return addMinor(netOf(sums), -sums.bankFeesMinor);
}

/** Returns the credited amount less the expected one. */
export function differenceOf(settlement: SettlementSums & Pick<Settlement, 'bankFeesMinor' | 'creditedMinor'>): number {
  return addMinor(settlement.creditedMinor, -expectedOf(settlement));
}

/** Returns the change of the movements since the close, and the expected credit at the close. Null without a change. */
export function changeAfterClose(settlement: Settlement): { count: number; closedMinor: number } | null {
  const { closedCount, closedMinor, movementCount } = settlement;
  if (closedCount == null || closedMinor == null) return null;
  const isSame = closedCount === movementCount && closedMinor === netOf(settlement);
  return isSame ? null : { count: movementCount - closedCount, closedMinor };
}

type Period = Pick<Settlement, 'merchantId' | 'rail' | 'period' | 'currency'>;

/** The time of the last movement, and the time when it was recorded. Both are null without movements. */
type Until = { lastAt: Date | null; recordedAt: Date | null };

/** Sums the current movements of a clearing period. */
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

/** Returns the latest of some times. Null without a time. */
export function latestOf(...times: (Date | null)[]): Date | null {
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

/** Stores the sums of a settlement, and closes an open one. The caller holds the row's lock. Returns the new status. */
export async function saveSums(
  db: Db,
  settlement: Pick<Settlement, 'id' | 'closedAt' | 'closedCount' | 'closedMinor'>,
  summed: SettlementSums & Until,
  at: Date,
): Promise<SettlementStatus> {
  const { id, closedAt, closedCount, closedMinor } = settlement;
  const { lastAt: _, recordedAt, ...sums } = summed;
  const { credits, ...entered } = await sumEntries.one(db, { id });
  const explained = await findExplanation.first(db, { id });
  const status = statusOf({ ...sums, ...entered }, credits, explained);
  const closed = {
    // The clock of another node may be ahead, so a period never closes before the time of its last recorded movement.
    closedAt: closedAt ?? latestOf(at, recordedAt),
    closedCount: closedCount ?? sums.movementCount,
    closedMinor: closedMinor ?? netOf(sums),
  };
  await updateSettlement.run(db, { id, set: { ...sums, ...closed, ...entered, status } });
  return status;
}

/**
 * Returns the status of a closed period. A period with an expected credit of zero is balanced without an entry.
 * @param credits the number of standing credits
 * @param explained the settlement's explanation, which holds for exactly its own difference
 */
function statusOf(
  settlement: SettlementSums & Pick<Settlement, 'bankFeesMinor' | 'creditedMinor'>,
  credits: number,
  explained: Pick<SettlementExplanation, 'differenceMinor'> | null | undefined,
): SettlementStatus {
  const differenceMinor = differenceOf(settlement);
  if (differenceMinor === 0) return 'balanced';
  if (credits === 0) return 'open';
  return explained?.differenceMinor === differenceMinor ? 'explained' : 'differs';
}

/** Returns the status of a settlement by its given sums, which may be newer than the stored status. */
export async function readStatus(
  db: Db,
  settlement: Settlement,
  explained: SettlementExplanation | null | undefined,
): Promise<SettlementStatus> {
  if (!settlement.closedAt) return 'open';
  const { credits } = await sumEntries.one(db, { id: settlement.id });
  return statusOf(settlement, credits, explained);
}

type ById = { id: string };

const findSettlement = prepared((tables, { id }: ById) =>
  tables.selectFrom('settlements').select(['merchantId', 'rail', 'period', 'currency']).where('id', '=', id),
);

/** Locks a settlement's row and returns its current values. */
export const lockSettlement = prepared((tables, { id }: ById) =>
  tables.selectFrom('settlements').selectAll().where('id', '=', id).forUpdate(),
);

/** Locks a settlement of the merchant, so that its entries do not change. @throws Problem not_found */
export async function lockOwn(db: Db, { merchantId, id }: { merchantId: string; id: string }): Promise<Settlement> {
  const settlement = (await lockSettlement.first(db, { id })) as Settlement | null;
  if (settlement?.merchantId !== merchantId) throw new Problem('not_found');
  return settlement;
}

const setDue = prepared((tables, { id, dueAt }: ById & { dueAt: Date | null }) =>
  tables.updateTable('settlements').set({ dueAt }).where('id', '=', id),
);

const updateSettlement = prepared((tables, { id, set }: ById & { set: Updateable<Tables['settlements']> }) =>
  tables.updateTable('settlements').set(set).where('id', '=', id),
);

/** The sums of a settlement's entries, and the number of credits that were not taken back. */
const sumEntries = prepared((tables, { id }: ById) =>
  tables
    .selectFrom('settlement_credits as c')
    .select((eb) => {
      const sumOf = (kind: EntryKind) =>
        eb.cast<number>(
          eb.fn.coalesce(eb.fn.sum('c.amountMinor').filterWhere('c.kind', '=', kind), eb.lit(0)),
          'float8',
        );
      const reversal = eb.selectFrom('settlement_credits as r').select('r.id').whereRef('r.reversesId', '=', 'c.id');
      const standing = eb.fn
        .countAll<number>()
        .filterWhere('c.kind', '=', 'credit')
        .filterWhere('c.reversesId', 'is', null)
        .filterWhere((each) => each.not(each.exists(reversal)));
      return [standing.as('credits'), sumOf('credit').as('creditedMinor'), sumOf('fee').as('bankFeesMinor')];
    })
    .where('c.settlementId', '=', id),
);

/** Finds the explanation of a settlement. It holds only while the difference is the explained one. */
export const findExplanation = prepared((tables, { id }: ById) =>
  tables.selectFrom('settlement_explanations').selectAll().where('id', '=', id),
);
