// The feed of a merchant's events, read by cursors.
//
// A cursor is the position of an event in the feed. An event is in one of two states:
// - Unstamped: it is committed, but no reader has seen it, so it has no position.
// - Stamped: a reader gave it the next position of the merchant's feed. The position never changes.
//
// Transactions commit in another order than they take sequence numbers.
// A reader with a cursor by sequence number would therefore miss events that commit late.
// Here, an event that commits later gets a higher position, so a reader that keeps its cursor misses no event.
//
// Trade-off: each event costs one update, at its first read and under a lock of the merchant's feed.
// A cursor by transaction id would need no update, but a measurement showed two faults.
// It changed the order of one payment's events 34 times in 20 s, and each open write transaction stopped the feed.
import { setTimeout } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { prepared, tryLock, type Tables } from '../database/db.ts';
import { inTransaction, type Database } from '../database/orm.ts';
import type { Event } from './entities.ts';

/** An event with its position in the merchant's feed. */
export type FeedEvent = Event & { position: number };

/** The most events that one transaction stamps. It takes about 20 ms and blocks other readers of the same feed. */
const STEP = 1_000;
/** The pause before a reader tries again while another reader stamps the same feed. */
const PAUSE_MS = 20;

/**
 * Returns at most `limit` events after the cursor `after`, oldest first. Cursor 0 starts at the first event.
 * A reader stamps unstamped events until its page is full or every event is stamped.
 */
export async function readFeed(db: Database, merchantId: string, after: number, limit: number): Promise<FeedEvent[]> {
  for (let areAllStamped = false; ;) {
    const page = await findStamped.all(db, { merchantId, after, limit });
    // A page that is not full is the last page only if every event was stamped before the page was read.
    if (page.length === limit || areAllStamped) return page;
    areAllStamped = (await stampNext(db, merchantId)) === 0;
  }
}

/**
 * Returns the cursor of the newest event. It stamps every unstamped event first.
 * Each step commits, so a request that ends early leaves less work for the next request.
 */
export async function findEnd(db: Database, merchantId: string): Promise<number> {
  for (let stamped: number | null = STEP; stamped === null || stamped === STEP;)
    stamped = await stampNext(db, merchantId);
  // The last step was not full, so it has stamped every event that was committed when it began.
  return findLast(db, merchantId);
}

/** True if the cursor is higher than every position of the feed, so that no reader can have received it. */
export async function isBeyondEnd(db: Database, merchantId: string, after: number): Promise<boolean> {
  return after > (await findLast(db, merchantId));
}

/**
 * Stamps the oldest unstamped events and returns their number. Null if another reader of this feed is stamping.
 * The pause before the next try holds no connection, so readers of one feed do not use up the pool.
 */
async function stampNext(db: Database, merchantId: string): Promise<number | null> {
  if (!(await findUnread.first(db, { merchantId }))) return 0;
  const stamped = await inTransaction(db, async (db) => {
    // The lock has its own statement, so that the next statement sees the commit of the lock's last holder.
    const isHeld = await tryLock(db, `feed ${merchantId}`);
    return isHeld ? stamp.run(db, { merchantId, step: STEP }) : null;
  });
  if (stamped === null) await setTimeout(PAUSE_MS);
  return stamped;
}

async function findLast(db: Database, merchantId: string): Promise<number> {
  return (await findLastPosition.one(db, { merchantId })).last;
}

type OfMerchant = { merchantId: string };

const findStamped = prepared((tables, { merchantId, after, limit }: OfMerchant & { after: number; limit: number }) =>
  tables
    .selectFrom('events')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .$narrowType<{ position: number }>(),
);

const findLastPosition = prepared((tables, of: OfMerchant) => tables.selectNoFrom(lastPosition(tables, of).as('last')));

function lastPosition(tables: Kysely<Tables>, { merchantId }: OfMerchant) {
  const stamped = tables.selectFrom('events').where('merchantId', '=', merchantId).where('position', 'is not', null);
  return sql<number>`coalesce((${stamped.select((eb) => eb.fn.max('position').as('position'))}), 0)`;
}

/**
 * Finds the oldest unstamped event.
 * The limit makes PostgreSQL read one index entry, for any estimate of the planner.
 */
const oldestUnread = (tables: Kysely<Tables>, { merchantId }: OfMerchant) =>
  tables
    .selectFrom('events')
    .where('merchantId', '=', merchantId)
    .where('position', 'is', null)
    .orderBy('events.seq')
    .limit((eb) => eb.lit(1));

const findUnread = prepared((tables, of: OfMerchant) => oldestUnread(tables, of).select('seq'));

/**
 * Stamps unstamped events one after the other. Without the recursion, the planner would read and sort all of them.
 * One statement sees one snapshot, so it stamps no event of a payment without that payment's earlier events.
 */
const stamp = prepared((tables, { merchantId, step }: OfMerchant & { step: number }) =>
  tables
    .withRecursive('unread(seq, nth)', (on) =>
      on
        .selectFrom(oldestUnread(tables, { merchantId }).select('seq').as('first'))
        .select(['first.seq', sql<number>`1`.as('nth')])
        .unionAll(
          on
            .selectFrom('unread')
            .innerJoinLateral(nextUnread(tables, { merchantId }).as('next'), (join) => join.onTrue())
            .select((eb) => ['next.seq', eb('unread.nth', '+', eb.lit(1)).as('nth')])
            .where('unread.nth', '<', step),
        ),
    )
    .with('stamped', (on) => on.selectNoFrom(lastPosition(tables, { merchantId }).as('last')))
    .updateTable('events')
    .from(['unread', 'stamped'])
    .set((eb) => ({ position: eb('stamped.last', '+', eb.ref('unread.nth')) }))
    .whereRef('events.seq', '=', 'unread.seq'),
);

const nextUnread = (tables: Kysely<Tables>, of: OfMerchant) =>
  oldestUnread(tables, of).select('seq').where('seq', '>', sql.ref<number>('unread.seq'));
