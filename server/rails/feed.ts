// Schedules reads of feeds. A feed is a rail's own list of payments, also of those whose notification was lost.
//
// - Due: the jobs engine reads the feed at `dueAt`. A hint sets `dueAt` to the current time.
// - Paused (`pausedAt` set): too many unusable entries. The feed is read once an hour, and hints do not wake it.
// - Ended: the account was removed, and its row is deleted.
//
// The trade-off of a pause: payments found only in the feed arrive up to an hour late.
// In return, a broken list of one merchant cannot fill the inbox or occupy the jobs engine.
import { v7 as uuid } from 'uuid';
import { sql } from 'kysely';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import type { Claim } from '../jobs/due.ts';
import { writeNotice } from '../notifications/write.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';

export async function startFeed(db: Db, rail: string, at: Date): Promise<void> {
  await insertFeed.run(db, { id: uuid(), rail, dueAt: at });
}

const insertFeed = prepared((tables, { id, rail, dueAt }: { id: string; rail: string; dueAt: Date }) =>
  tables
    .insertInto('rail_feeds')
    .values({ id, rail, dueAt })
    .onConflict((conflict) => conflict.column('rail').doNothing()),
);

/** Schedules an immediate read of a feed, unless it is paused. Returns false if the rail account has no feed. */
export async function wakeFeed(core: Core, rail: string): Promise<boolean> {
  const count = await setFeedDue.run(core, { rail, dueAt: core.clock.now() });
  core.jobs.wake('rail_feeds');
  return count > 0;
}

const setFeedDue = prepared((tables, { rail, dueAt }: { rail: string; dueAt: Date }) =>
  tables
    .updateTable('rail_feeds')
    .set({ dueAt: sql<Date>`case when paused_at is null then ${dueAt}::timestamptz else due_at end` })
    .where('rail', '=', rail),
);

const PAUSE_MS = HOUR_MS;

/** Pauses a feed with too many unusable entries. The merchant gets one notification until a read succeeds again. */
export async function pauseFeed(core: Core, claim: Claim, rail: string, count: number): Promise<void> {
  const at = core.clock.now();
  const account = await core.rails.find(rail);
  core.log.error({ rail, count }, 'too many unusable entries in a rail’s list; feed paused');
  await inTransaction(core, async (db) => {
    const feed = await lockClaimed.first(db, claim);
    if (!feed) return;
    const dueAt = new Date(at.getTime() + PAUSE_MS);
    await changeFeed.run(db, { ...claim, set: { pausedAt: feed.pausedAt ?? at, dueAt } });
    const merchantId = account?.merchantId;
    if (feed.pausedAt || !merchantId) return;
    const details = { account: account.label, railAccountId: rail, count };
    await writeNotice(db, { merchantId, type: 'rail.feed_paused', details, at });
  });
}

/** Ends a feed's pause after a change or a successful test of the account. A pause lasts at least a minute. */
export async function resumeFeed(db: Db, rail: string, at: Date): Promise<void> {
  await endPause.run(db, { rail, at, before: new Date(at.getTime() + PAUSE_MS - MINUTE_MS) });
}

type FeedChange = { cursor?: string | null; dueAt: Date; pausedAt?: Date | null };

const lockClaimed = prepared((tables, { id, dueCount }: Claim) =>
  tables.selectFrom('rail_feeds').select('pausedAt').where('id', '=', id).where('dueCount', '=', dueCount).forUpdate(),
);

/** Stores a feed's position and the time of the next read, if the job's claim is still valid. */
export const changeFeed = prepared((tables, { id, dueCount, set }: Claim & { set: FeedChange }) =>
  tables.updateTable('rail_feeds').set(set).where('id', '=', id).where('dueCount', '=', dueCount),
);

const endPause = prepared((tables, { rail, at, before }: { rail: string; at: Date; before: Date }) =>
  tables
    .updateTable('rail_feeds')
    .set({ dueAt: at })
    .where('rail', '=', rail)
    .where('pausedAt', 'is not', null)
    .where('dueAt', '<=', before),
);

/** Deletes the feed of a removed rail account. */
export const endFeed = prepared((tables, { rail }: { rail: string }) =>
  tables.deleteFrom('rail_feeds').where('rail', '=', rail),
);
