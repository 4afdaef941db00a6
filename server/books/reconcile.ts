// Compares closed settlements with the rails' lists, and repeats the comparison after each change of a settlement.
// The settlement keeps the differences, and an event alerts the merchant.
import { isDeepStrictEqual } from 'node:util';
import type { Updateable } from 'kysely';
import type { Core } from '../core.ts';
import { prepared, type Db, type Tables } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordEvent } from '../events/record.ts';
import { dueQueue, reschedule, type Claim, type DueQueue } from '../jobs/due.ts';
import { nextQueryAt } from '../jobs/schedule.ts';
import { syncPayment } from '../payments/core/polling.ts';
import { findPayments } from '../payments/core/rows.ts';
import type { Difference, Differences, Settlement } from './entities.ts';
import { countDifferences } from './reconciled.ts';
import { findAccounts } from './schemas.ts';
import { comparePage, countLearned, findMissingThere, startComparison, type Comparison } from './statement.ts';
import { MINUTE_MS } from '../../shared/durations.ts';

/** The lease of a comparison, renewed at each page of the rail's list. */
const LEASE_MS = 90_000;
/** The number of concurrent comparisons per rail. */
const AT_ONCE = 2;
/** The most payments that the node polls before an alert, for money that the rail lists and the gateway lacks. */
const SYNCED_AT_MOST = 20;
const AGAIN_MS = 2_000;

/** The queue of settlements to compare with their rail's list. */
export function reconciliationQueue(core: Core): DueQueue {
  const run = (claim: Claim) => reconcile(core, claim);
  const { turns } = core.rails.watches;
  return dueQueue(core, { table: 'reconciliations', ...turns, leaseMs: LEASE_MS, concurrency: AT_ONCE, run });
}

/** Schedules a comparison, in the transaction that closes or changes the settlement. */
export async function requestReconciliation(core: Core, db: Db, id: string): Promise<void> {
  await makeDue.run(db, { id, at: core.clock.now() });
  db.afterCommit?.(() => core.jobs.wake('reconciliations'));
}

const makeDue = prepared((tables, { id, at }: { id: string; at: Date }) =>
  tables
    .insertInto('reconciliations')
    .values((eb) => ({
      id,
      rail: eb.selectFrom('settlements').select('rail').where('id', '=', id),
      since: at,
      dueAt: at,
    }))
    .onConflict((on) =>
      on
        .column('id')
        .doUpdateSet((eb) => ({ since: at, dueAt: at, revision: eb('reconciliations.revision', '+', eb.lit(1)) })),
    ),
);

type Known = Settlement & { revision: number; since: Date };

/** Compares a settlement with its rail's list. Without a response, the comparison is repeated by the poll schedule. */
export async function reconcile(core: Core, claim: Claim): Promise<void> {
  const settlement = (await findClaimed.first(core, { id: claim.id })) as Known | null;
  if (!settlement) return reschedule(core, 'reconciliations', claim, null);
  const compared = await compareWithRail(core, claim, settlement);
  const now = core.clock.now();
  if (compared === 'unlisted') return finish(core, claim, settlement, { dueAt: null });
  if (compared === 'unknown') return finish(core, claim, settlement, { dueAt: nextQueryAt(settlement.since, now) });
  const isLearned = await learnMissing(core, settlement, compared);
  // The learned money is recorded and summed first. The next comparison includes it.
  if (isLearned) return finish(core, claim, settlement, { dueAt: new Date(now.getTime() + AGAIN_MS) });
  const { counts, kept } = compared;
  await finish(core, claim, settlement, { dueAt: null, reconciledAt: now, found: { counts, kept } });
}

const findClaimed = prepared((tables, { id }: { id: string }) =>
  tables
    .selectFrom('reconciliations as r')
    .innerJoin('settlements as s', 's.id', 'r.id')
    .selectAll('s')
    .select(['r.revision', 'r.since'])
    .where('r.id', '=', id),
);

/** Compares with the rail's list. `unlisted`: the rail cannot list this period. `unknown`: no response. */
async function compareWithRail(
  core: Core,
  claim: Claim,
  settlement: Known,
): Promise<Comparison | 'unlisted' | 'unknown'> {
  const { rail: railId, period } = settlement;
  const rail = await core.rails.find(railId);
  if (!rail) return 'unknown';
  const { statement } = rail.clients;
  if (!statement) return 'unlisted';
  const comparison = startComparison();
  const startedAt = core.clock.now();
  for (let after: string | null = null; ;) {
    const page = await statement.listMovements({ period }, after);
    if (page.result !== 'told') return page.result;
    const { merchantId: owner } = rail;
    if (page.unreadable.length > 0) {
      const about = { rail: railId, period, entries: page.unreadable.slice(0, 5) };
      core.log.error(about, 'could not read movements of the rail’s list');
      // An account of several merchants does not show whose movement an unreadable entry is.
      if (owner === null) return 'unknown';
    }
    await comparePage(core, settlement, { page, owner, comparison });
    if (page.next === null) break;
    // A rail's page whose next link leads to the same page would never end.
    if (page.next === after) return 'unknown';
    after = page.next;
    await reschedule(core, 'reconciliations', claim, new Date(core.clock.now().getTime() + LEASE_MS));
    // The rail's call budget for this minute is used up. The lease is longer than this wait.
    if (!core.rails.watches.hasBudget(railId)) await core.clock.wait(MINUTE_MS, core.stopping);
  }
  const { unmatched } = comparison;
  if (unmatched > 0) core.log.warn({ rail: railId, period, unmatched }, 'rail lists unknown transactions');
  const isWhole = await findMissingThere(core, settlement, { statement, comparison, before: startedAt });
  return isWhole ? comparison : 'unknown';
}

/** Polls payments that the rail names for money that the gateway lacks. True if a poll recorded some of this money. */
async function learnMissing(core: Core, { rail }: Known, { kept }: Comparison): Promise<boolean> {
  const missing = kept.filter(isUnknownHere);
  const ids = [...new Set(missing.flatMap(({ paymentId }) => paymentId ?? []))].slice(0, SYNCED_AT_MOST);
  if (ids.length === 0) return false;
  for (const payment of await findPayments.all(core, { ids })) {
    await syncPayment(core, payment).catch((error: unknown) =>
      core.log.warn({ err: error, paymentId: payment.id }, 'could not poll a payment that the rail’s list names'),
    );
  }
  return (await countLearned(core, rail, missing)) > 0;
}

const isUnknownHere = ({ kind, transactionId, refundId }: Difference) =>
  kind === 'missing_here' && transactionId === null && refundId === null;

/**
 * Stores the result of a comparison.
 * Stores no result without the lease or after a change of the settlement: another comparison follows.
 */
async function finish(
  core: Core,
  claim: Claim,
  settlement: Known,
  set: Pick<Updateable<Tables['reconciliations']>, 'dueAt' | 'reconciledAt'> & { found?: Differences },
): Promise<void> {
  const { id, revision } = settlement;
  const [account] = (await findAccounts(core, [settlement])).values();
  await inTransaction(core, async (db) => {
    const before = await lockOwn.first(db, { id });
    if (before?.revision !== revision || before.dueCount !== claim.dueCount) return;
    await update.run(db, { id, set });
    const { found } = set;
    const count = found ? countDifferences(found.counts) : 0;
    if (!found || count === 0 || isDeepStrictEqual(found, before.found)) return;
    const { merchantId, period, day, currency } = settlement;
    const details = { settlementId: id, account: account?.label, clearingPeriod: period, day, currency, count };
    await recordEvent(db, {
      merchantId,
      paymentId: null,
      type: 'settlement.difference',
      status: null,
      occurredAt: core.clock.now(),
      details: { ...details, counts: found.counts },
    });
  });
}

const lockOwn = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('reconciliations').select(['revision', 'dueCount', 'found']).where('id', '=', id).forUpdate(),
);

const update = prepared((tables, { id, set }: { id: string; set: Updateable<Tables['reconciliations']> }) =>
  tables.updateTable('reconciliations').set(set).where('id', '=', id),
);
