// The feed of a merchant's events, by cursors.
//
// Transactions commit in another order than they take numbers, so a cursor by number would skip late commits. The first reader
// stamps each committed event with its position in the feed. A later commit gets a later position, so nothing ever appears behind
// a cursor that a reader holds. The price is one update of each event, under a lock of the merchant's feed, at the first read.
// A cursor by transaction id needs no update. It was measured: it changed the order of one payment's events 34 times in 20 s, and
// it stood still behind every open write transaction.
import { setTimeout } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { prepared, tryLock, type Tables } from '../database/db.ts';
import { inTransaction, type Database } from '../database/orm.ts';
import type { Event } from './entities.ts';

/** An event with its position in the feed. */
export type FeedEvent = Event & { position: number };

/** Events that one transaction stamps at most: some 20 ms, during which other readers of the same feed wait. */
const STEP = 1_000;
/** The pause before a reader looks again at a feed that another reader is stamping. */
const PAUSE_MS = 20;

/** At most `limit` events after the cursor `after` (0: from the first), oldest first. Stamps unread events where the page needs them. */
export async function readFeed(db: Database, merchantId: string, after: number, limit: number): Promise<FeedEvent[]> {
  for (let areAllStamped = false; ;) {
    const page = await findStamped.all(db, { merchantId, after, limit });
    // A short page is the last one only if no event was unread before it was read.
    if (page.length === limit || areAllStamped) return page;
    areAllStamped = (await stampNext(db, merchantId)) === 0;
  }
}

/**
 * The cursor behind the newest event. Stamps every unread event first, in steps that commit, so a request that ends early leaves
 * less for the next one.
 */
export async function findEnd(db: Database, merchantId: string): Promise<number> {
  for (let stamped: number | null = STEP; stamped === null || stamped === STEP;)
    stamped = await stampNext(db, merchantId);
  // The last step was not full, so it has stamped every event that was committed when it began.
  return findLast(db, merchantId);
}

/** True for a cursor that no reader can have: the feed has no position so far ahead. */
export async function isBeyondEnd(db: Database, merchantId: string, after: number): Promise<boolean> {
  return after > (await findLast(db, merchantId));
}

/**
 * Stamps the oldest unread events and returns how many. Null: another reader of this feed is stamping. The pause then holds no
 * connection, so readers of one feed never take the pool from other requests.
 */
async function stampNext(db: Database, merchantId: string): Promise<number | null> {
  if (!(await findUnread.first(db, { merchantId }))) return 0;
  const stamped = await inTransaction(db, async (db) => {
    // A statement of its own: the next one must see the commit of the last holder of the lock.
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

/** The oldest unread event: one entry of an index, whatever the planner believes about the number of unread events. */
const oldestUnread = (tables: Kysely<Tables>, { merchantId }: OfMerchant) =>
  tables
    .selectFrom('events')
    .where('merchantId', '=', merchantId)
    .where('position', 'is', null)
    .orderBy('events.seq')
    .limit((eb) => eb.lit(1));

const findUnread = prepared((tables, of: OfMerchant) => oldestUnread(tables, of).select('seq'));

/**
 * Walks from one unread event to the next, since the planner would read and sort all of them for the first thousand. One statement
 * sees one moment, so no event of a payment is stamped without the events before it.
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
