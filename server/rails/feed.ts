// An account's list of payments: read when due or after a notification. Too many unusable entries pause it.
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

/** Schedules an immediate read of the account's list, unless it is paused. False if the account has no list. */
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

/**
 * Pauses the list of an account that holds more useless entries than one reading keeps, and notifies its merchant once until a
 * reading ends well.
 */
export async function pauseFeed(core: Core, claim: Claim, rail: string, count: number): Promise<void> {
  const at = core.clock.now();
  const account = await core.rails.find(rail);
  core.log.error({ rail, count }, 'a rail lists payments that no one can use; its list is paused');
  await inTransaction(core, async (db) => {
    const feed = await lockClaimed.first(db, claim);
    if (!feed) return;
    const dueAt = new Date(at.getTime() + PAUSE_MS);
    await changeFeed.run(db, { ...claim, set: { pausedAt: feed.pausedAt ?? at, dueAt } });
    const merchantId = account?.merchantId;
    if (feed.pausedAt || !merchantId) return;
    await writeNotice(db, { merchantId, type: 'rail.feed_paused', details: { account: account.label, count }, at });
  });
}

/** Ends a pause: the merchant has mended the account. A pause lasts a minute at least, however often that is claimed. */
export async function resumeFeed(db: Db, rail: string, at: Date): Promise<void> {
  await endPause.run(db, { rail, at, before: new Date(at.getTime() + PAUSE_MS - MINUTE_MS) });
}

type FeedChange = { cursor?: string | null; dueAt: Date; pausedAt?: Date | null };

const lockClaimed = prepared((tables, { id, dueCount }: Claim) =>
  tables.selectFrom('rail_feeds').select('pausedAt').where('id', '=', id).where('dueCount', '=', dueCount).forUpdate(),
);

/** Stores the position and the next read of the list, while the claim stands. */
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

/** The list of a removed account is never read again. */
export const endFeed = prepared((tables, { rail }: { rail: string }) =>
  tables.deleteFrom('rail_feeds').where('rail', '=', rail),
);
