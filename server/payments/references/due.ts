// What a reference's time brings: the rail is told again, and at its end it expires; once a minute, money nobody told of.
import type { Core } from '../../core.ts';
import { inTransaction } from '../../database/orm.ts';
import { prepared } from '../../database/db.ts';
import { MINUTE_MS, pprLeaseMs } from '../../jobs/schedule.ts';
import { dueQueue, reschedule, type Claim, type DueQueue } from '../../jobs/due.ts';
import { findNewMoney } from '../record-transaction.ts';
import { keepUnreadable } from '../../rails/inbox.ts';
import { closeReference, findReference } from './states.ts';
import { lockPair } from './find.ts';
import { receiveReferencePayment } from './receive.ts';
import { syncRegistration } from './registration.ts';

/** What of references comes due. */
export function referenceQueues(core: Core): DueQueue[] {
  const leaseMs = pprLeaseMs(core.config);
  const references = dueQueue(core, {
    table: 'payment_references',
    leaseMs,
    async run({ id }) {
      await expireReference(core, id);
      await syncRegistration(core, id);
    },
  });
  return [references, dueQueue(core, { table: 'rail_feeds', leaseMs, run: (claim) => sweepPayments(core, claim) })];
}

async function expireReference(core: Core, id: string): Promise<void> {
  // Mostly a row is due because the rail must be told: that needs no lock.
  const asRead = await findReference.first(core, { id });
  if (asRead?.status !== 'Pending' || asRead.expiresAt > core.clock.now()) return;
  const paymentId = await inTransaction(core, async (db) => {
    const pair = await lockPair(db, id);
    const at = core.clock.now();
    if (!pair || pair.reference.status !== 'Pending' || pair.reference.expiresAt > at) return null;
    await closeReference(core, db, pair, 'expire', at);
    return pair.payment.id;
  });
  if (paymentId) core.changes.publish(`payment:${paymentId}`);
}

/** Reads on in the rail's list of everything it took: what no notification told is found here. */
async function sweepPayments(core: Core, claim: Claim): Promise<void> {
  const feed = await findFeed.first(core, { id: claim.id });
  const railId = feed?.rail ?? 'ppr';
  const account = await core.rails.find(railId);
  // Whose account was disabled tells nothing by itself any more.
  if (!account || account.status === 'disabled') return reschedule(core, 'rail_feeds', claim, inAMinute(core));
  const rail = await core.rails.ppr(railId);
  let cursor = feed?.cursor ?? null;
  for (let isMore = true; isMore && !core.stopping.aborted;) {
    const { result, payments, unreadable, next } = await rail.listPayments(cursor);
    if (result === 'unknown')
      core.log.warn({ cursor }, 'the rail’s list of payments could not be read; again in a minute');
    for (const money of await findNewMoney(core, railId, payments))
      await receiveReferencePayment(core, railId, money, 'poll');
    // Known before means committed before: whose acknowledgement was lost is acknowledged again.
    for (const { receipt } of payments) if (receipt) await rail.acknowledge?.(receipt);
    for (const body of unreadable) await keepUnreadable(core, railId, body);
    isMore = next !== null && next !== cursor;
    cursor = next ?? cursor;
    // Each page renews the lease; a node that lost its claim has only read twice.
    const dueAt = new Date(core.clock.now().getTime() + pprLeaseMs(core.config));
    await moveFeed.run(core, { ...claim, cursor, dueAt });
  }
  await reschedule(core, 'rail_feeds', claim, inAMinute(core));
}

function inAMinute({ clock }: Core): Date {
  return new Date(clock.now().getTime() + MINUTE_MS);
}

const findFeed = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('rail_feeds').select(['rail', 'cursor']).where('id', '=', id),
);

const moveFeed = prepared((tables, { id, dueCount, cursor, dueAt }: Claim & { cursor: string | null; dueAt: Date }) =>
  tables.updateTable('rail_feeds').set({ cursor, dueAt }).where('id', '=', id).where('dueCount', '=', dueCount),
);
