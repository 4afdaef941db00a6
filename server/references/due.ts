// What a reference's time brings: the rail is told again, and at its end it expires; once a minute, money nobody told of.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import { findRow, updateRows } from '../database/rows.ts';
import { MINUTE_MS, pprLeaseMs } from '../due/schedule.ts';
import { reschedule, type Claim, type DueWork } from '../due/work.ts';
import { findNewMoney } from '../payments/receive.ts';
import { RailFeed } from '../providers/entities.ts';
import { keepUnreadable } from '../providers/inbox.ts';
import type { PprRail } from '../providers/provider.ts';
import { closeReference } from './close.ts';
import { Reference } from './entities.ts';
import { lockPair } from './find.ts';
import { receiveReferencePayment } from './receive.ts';
import { tellRail } from './register.ts';

/** The kinds of due work that references have. */
export function referenceDueWork(core: Core, rail: PprRail | null): DueWork[] {
  const leaseMs = pprLeaseMs(core.config);
  const references: DueWork = {
    table: 'payment_references',
    leaseMs,
    async run({ id }) {
      await expireReference(core, id);
      await tellRail(core, rail, id);
    },
  };
  if (!rail) return [references];
  return [references, { table: 'rail_feeds', leaseMs, run: (claim) => sweepPayments(core, rail, claim) }];
}

/** Where the rail's list is read from begins at the beginning, once. */
export async function startFeed({ pool, clock }: Core): Promise<void> {
  await pool.query(
    `insert into rail_feeds (id, rail, due_at) values ($1::uuid, 'ppr', $2::timestamptz) on conflict (rail) do nothing`,
    [uuid(), clock.now()],
  );
}

async function expireReference(core: Core, id: string): Promise<void> {
  // Mostly a row is due because the rail must be told: that needs no lock.
  const isOver = await findRow(core, Reference, IS_OVER, [id, core.clock.now()]);
  if (!isOver) return;
  const paymentId = await inTransaction(core, async (db) => {
    const pair = await lockPair(db, id);
    const at = core.clock.now();
    if (!pair || pair.reference.status !== 'Pending' || pair.reference.expiresAt > at) return null;
    await closeReference(core, db, pair, 'expire', at);
    return pair.payment.id;
  });
  if (paymentId) core.changes.publish(`payment:${paymentId}`);
}

const IS_OVER = `id = $1 and status = 'Pending' and expires_at <= $2::timestamptz`;

/** Reads on in the rail's list of everything it took: what no notification told is found here. */
async function sweepPayments(core: Core, rail: PprRail, claim: Claim): Promise<void> {
  const feed = await findRow(core, RailFeed, 'id = $1', [claim.id]);
  let cursor = feed?.cursor ?? null;
  for (let isMore = true; isMore && !core.stopping.aborted;) {
    const { result, payments, unreadable, next } = await rail.listPayments(cursor);
    if (result === 'unknown')
      core.log.warn({ cursor }, 'the rail’s list of payments could not be read; again in a minute');
    for (const money of await findNewMoney(core, 'ppr', payments))
      await receiveReferencePayment(core, rail, money, 'poll');
    for (const body of unreadable) await keepUnreadable(core, 'ppr', body);
    isMore = next !== null && next !== cursor;
    cursor = next ?? cursor;
    // Each page renews the lease; a node that lost its claim has only read twice.
    const dueAt = new Date(core.clock.now().getTime() + pprLeaseMs(core.config));
    await updateRows(core, RailFeed, { set: { cursor, dueAt } }, 'id = $1 and due_count = $2', [
      claim.id,
      claim.dueCount,
    ]);
  }
  await reschedule(core, 'rail_feeds', claim, new Date(core.clock.now().getTime() + MINUTE_MS));
}
