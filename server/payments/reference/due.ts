// Background work of references: repeats registrations, expires references, and reads the rails' lists of payments.
import type { Core } from '../../core.ts';
import { inTransaction } from '../../database/orm.ts';
import { prepared } from '../../database/db.ts';
import { pprLeaseMs } from '../../jobs/schedule.ts';
import { dueQueue, type Claim, type DueQueue } from '../../jobs/due.ts';
import { filterUnrecorded } from '../core/record-transaction.ts';
import type { PaymentsPage, ReferencePayment } from '../../providers/provider.ts';
import type { PprAccount } from '../../rails/rail.ts';
import { changeFeed, pauseFeed } from '../../rails/feed.ts';
import { findStored, keepUnreadable } from '../../rails/unreadable.ts';
import { closeReference, findReference } from './states.ts';
import { lockPair, unknownId } from './find.ts';
import { receiveReferencePayment } from './receive.ts';
import { syncRegistration } from './registration.ts';
import { reserveAhead } from './reserved.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

/** The most concurrent reads of lists, because each holds one response in memory. */
const FEEDS_AT_ONCE = 8;

/** The queues of due references and of the rails' lists of payments. */
export function referenceQueues(core: Core): DueQueue[] {
  const leaseMs = pprLeaseMs(core.config);
  const references = dueQueue(core, {
    table: 'payment_references',
    ...core.rails.watches.turns,
    leaseMs,
    async run({ id }) {
      await expireReference(core, id);
      await syncRegistration(core, id);
    },
  });
  const feeds = dueQueue(core, {
    table: 'rail_feeds',
    ...core.rails.watches.turns,
    concurrency: FEEDS_AT_ONCE,
    leaseMs,
    run: (claim) => sweepPayments(core, claim),
  });
  return [references, feeds];
}

async function expireReference(core: Core, id: string): Promise<void> {
  // Most due references need a registration, which needs no lock.
  const asRead = await findReference.first(core, { id });
  if (asRead?.status !== 'Pending' || asRead.expiresAt > core.clock.now()) return;
  const paymentId = await inTransaction(core, async (db) => {
    const pair = await lockPair(db, id);
    const at = core.clock.now();
    if (!pair || pair.reference.status !== 'Pending' || pair.reference.expiresAt > at) return null;
    await closeReference(core, db, pair, 'expire', { at });
    return pair.payment.id;
  });
  if (paymentId) core.changes.publish(`payment:${paymentId}`);
}

/** The most entries that one read of a list keeps for review: unreadable entries, and money for unknown digits. */
const KEPT_UNREADABLE = 20;
const KEPT_UNKNOWN = 100;
/** The most pages of one read. A longer list continues after the lists of other accounts. */
const MAX_PAGES = 20;
const NEXT_PAGES_MS = 1_000;

/** The number of entries that this read of a list may still keep for review. */
type Room = { unreadable: number; unknown: number };

/** Reads the next pages of a rail's list of payments. The list has payments whose notification was lost, too. */
async function sweepPayments(core: Core, claim: Claim): Promise<void> {
  const feed = await findFeed.first(core, { id: claim.id });
  if (!feed) return;
  const { rail } = feed;
  const room = { unreadable: KEPT_UNREADABLE, unknown: KEPT_UNKNOWN };
  let [cursor, isMore] = [feed.cursor ?? null, true];
  for (let pages = 0; isMore && pages < MAX_PAGES && (await isRead(core, rail)); pages++) {
    const page = await (await core.rails.ppr(rail)).listPayments(cursor);
    const { leftOver, acknowledged } = await receivePage(core, rail, page, room);
    // The list is paused, and this page is read again later. That read keeps the entries that did not fit.
    if (leftOver > 0) return pauseFeed(core, claim, rail, leftOver);
    isMore = (page.next !== null && page.next !== cursor) || (page.isCut === true && acknowledged > 0);
    cursor = page.next ?? cursor;
    // Each page renews the lease. A node that lost its claim has only read the same pages twice.
    await changeFeed.run(core, { ...claim, set: { cursor, dueAt: later(core, pprLeaseMs(core.config)) } });
  }
  const isOpen = isMore && (await isRead(core, rail));
  const account = await core.rails.find(rail);
  if (account?.kind === 'ppr') core.inBackground(reserveAhead(core, account as PprAccount));
  const dueAt = later(core, isOpen ? NEXT_PAGES_MS : MINUTE_MS);
  await changeFeed.run(core, { ...claim, set: { pausedAt: null, dueAt } });
}

/** True if the account may be read: it is enabled and has not used up its share of this node for the minute. */
async function isRead(core: Core, rail: string): Promise<boolean> {
  if (core.stopping.aborted || !core.rails.watches.hasBudget(rail)) return false;
  const account = await core.rails.find(rail);
  return account !== null && account.status !== 'disabled';
}

/** Records the money of a page and acknowledges it at the rail. Returns the number of entries that were not kept. */
async function receivePage(
  core: Core,
  rail: string,
  { result, payments, unreadable, isCut }: PaymentsPage,
  room: Room,
): Promise<{ leftOver: number; acknowledged: number }> {
  if (result === 'unknown')
    core.log.warn({ rail }, 'could not read the rail’s list of payments; will retry in a minute');
  if (isCut)
    core.log.warn(
      { rail, count: payments.length },
      'the rail’s list of payments exceeds one answer; reading continues',
    );
  const left = new Set<string>();
  for (const money of await findUnkept(core, rail, payments)) {
    if (!(await isRead(core, rail))) return { leftOver: 0, acknowledged: 0 };
    const received = await receiveReferencePayment(core, rail, money, 'poll', room);
    if (received === 'no_room') left.add(money.providerRef);
  }
  const leftOver = await keepUnreadable(core, rail, unreadable, room);
  // Recorded money is committed, so it is acknowledged. A lost acknowledgement is repeated for the same entry.
  const receipts = payments.flatMap(({ providerRef, receipt }) => (receipt && !left.has(providerRef) ? [receipt] : []));
  return { leftOver: left.size + leftOver, acknowledged: await acknowledgeAll(core, rail, receipts) };
}

/** Finds money that is neither recorded nor kept as money for unknown digits. */
async function findUnkept(core: Core, rail: string, payments: ReferencePayment[]): Promise<ReferencePayment[]> {
  const fresh = await filterUnrecorded(core, rail, payments);
  const ids = fresh.map(({ providerRef }) => unknownId(providerRef));
  const kept = new Set(await findStored(core, rail, ids));
  return fresh.filter(({ providerRef }) => !kept.has(unknownId(providerRef)));
}

/** Acknowledges receipts until the rail refuses one. The next read returns the remaining entries again. */
async function acknowledgeAll(core: Core, railId: string, receipts: string[]): Promise<number> {
  const rail = await core.rails.ppr(railId);
  for (const [nth, receipt] of receipts.entries()) {
    const isTaken = (await isRead(core, railId)) && (await rail.acknowledge?.(receipt));
    if (!isTaken) return nth;
  }
  return receipts.length;
}

function later({ clock }: Core, ms: number): Date {
  return new Date(clock.now().getTime() + ms);
}

const findFeed = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('rail_feeds').select(['rail', 'cursor']).where('id', '=', id),
);
