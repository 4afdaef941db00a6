// The feed of a merchant's events: cursors behind which nothing ever appears, although transactions commit out of order.
import { sql, type Kysely } from 'kysely';
import type { Core } from '../core.ts';
import { prepared, takeLock, type Tables } from '../database/db.ts';
import { inMoment, inTransaction, type Database } from '../database/orm.ts';
import type { Event } from './entities.ts';

/** An event in its place. */
export type FeedEvent = Event & { position: number };

const STAMPED_AT_ONCE = 500;

/**
 * At most `limit` events after the cursor `after` (0: from the first), oldest first. Events get their place when they are
 * first read: one that commits later is stamped later, so it never appears behind a cursor that was handed out.
 */
export async function readFeed(db: Database, merchantId: string, after: number, limit: number): Promise<FeedEvent[]> {
  for (let areAllStamped = false; ;) {
    const page = await findStamped.all(db, { merchantId, after, limit });
    // Another reader may have stamped some since this page was read: a short one is the last when it was read after none was left.
    if (page.length === limit || areAllStamped) return page;
    areAllStamped = !(await stampNext(db, merchantId));
  }
}

type FeedPage = { merchantId: string; after: number; limit: number };

const findStamped = prepared((tables, { merchantId, after, limit }: FeedPage) =>
  tables
    .selectFrom('events')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .$narrowType<{ position: number }>(),
);

/** Whether a cursor was never handed out: nothing has its place, nor ever had, so far ahead. */
export async function isBeyondEnd(db: Database, merchantId: string, after: number): Promise<boolean> {
  return after > (await findLast.one(db, { merchantId })).position;
}

/** The newest cursor there is: only what is new comes after it. What is unread gets its places before the answer where it is little. */
export async function findEnd(core: FeedCore, merchantId: string): Promise<number> {
  const isMuch =
    (await findBeyond.first(core, { merchantId })) ??
    ((await stampNext(core, merchantId)) && (await findUnstamped.first(core, { merchantId })));
  if (!isMuch) return (await findLast.one(core, { merchantId })).position;
  return new Promise((resolve, reject) => {
    const moved = moveEnd(core, merchantId, resolve).catch((error: unknown) => {
      // Where it was handed out already: what is unread comes after it then, once more rather than never.
      core.log.error({ err: error, merchantId }, 'the end of a feed could not be moved');
      reject(error instanceof Error ? error : new Error(String(error)));
    });
    movingOf(core).set(merchantId, moved);
    core.inBackground(moved.finally(() => movingOf(core).delete(merchantId)));
  });
}

export type FeedCore = Database & Pick<Core, 'inBackground' | 'stopping' | 'log'>;

const PLACED_AT_ONCE = 10_000;
const TRIES = 5;

/**
 * Hands out an end behind which there is room for all that is unread, and then places it there: exactly what was committed when the
 * transaction began, whatever is committed meanwhile, since it sees no more than that. A place is as far from the end as the event's
 * `seq` from the newest one's, so that it is reckoned without counting, and the newest event is at the end itself.
 */
async function moveEnd(core: FeedCore, merchantId: string, tell: (end: number) => void, tries = TRIES): Promise<void> {
  let isTold = false;
  const place = () =>
    inMoment(core, async (db) => {
      await takeLock(db, feedLock(merchantId));
      // Fails where another placed some while the lock was waited for: then this transaction began too early.
      const oldest = await holdOldest.first(db, { merchantId });
      const newest = (await findNewest.one(db, { merchantId })).seq ?? 0;
      const size = oldest ? newest - oldest.seq + 1 : 0;
      // Kept before it is told, by a transaction of its own: whatever becomes of this one, nothing is placed behind it any more.
      const end = (await reserveEnd.one(core, { merchantId, size })).position;
      tell(end);
      isTold = true;
      while ((await placeUnread.run(db, { merchantId, newest, offset: end - newest })) > 0)
        core.stopping.throwIfAborted();
    });
  await place().catch((error: { code?: string }) => {
    if (error.code !== '40001' || isTold || tries <= 1) throw error;
    return moveEnd(core, merchantId, tell, tries - 1);
  });
}

/** Of a node: the feeds whose end is being moved here. Their readers wait without a connection in their hands. */
function movingOf({ pool }: Database): Map<string, Promise<void>> {
  const known = moving.get(pool) ?? new Map<string, Promise<void>>();
  moving.set(pool, known);
  return known;
}

const moving = new WeakMap<object, Map<string, Promise<void>>>();

type OfMerchant = { merchantId: string };

const unread = (tables: Kysely<Tables>, { merchantId }: OfMerchant) =>
  tables.selectFrom('events').where('merchantId', '=', merchantId).where('position', 'is', null);

const holdOldest = prepared((tables, of: OfMerchant) =>
  unread(tables, of).select('seq').orderBy('seq').limit(1).forUpdate(),
);

const findNewest = prepared((tables, of: OfMerchant) => unread(tables, of).select((eb) => eb.fn.max('seq').as('seq')));

const reserveEnd = prepared((tables, { merchantId, size }: OfMerchant & { size: number }) =>
  tables
    .insertInto('feed_ends')
    .columns(['merchantId', 'position'])
    .expression(
      tables.selectNoFrom((eb) => [
        sql<string>`${merchantId}::uuid`.as('merchantId'),
        eb(lastPlace(tables, merchantId), '+', sql<number>`${size}::bigint`).as('position'),
      ]),
    )
    .onConflict((known) => known.column('merchantId').doUpdateSet((eb) => ({ position: eb.ref('excluded.position') })))
    .returning('position'),
);

type Room = OfMerchant & { newest: number; offset: number };

const placeUnread = prepared((tables, { merchantId, newest, offset }: Room) =>
  tables
    .updateTable('events')
    .set((eb) => ({ position: eb('seq', '+', sql<number>`${offset}::bigint`) }))
    .where('seq', 'in', unread(tables, { merchantId }).select('seq').where('seq', '<=', newest).limit(PLACED_AT_ONCE)),
);

const findLast = prepared((tables, { merchantId }: OfMerchant) =>
  tables.selectNoFrom(lastPlace(tables, merchantId).as('position')),
);

/** The newest place that there is, or that was handed out as the end. */
function lastPlace(tables: Kysely<Tables>, merchantId: string) {
  const placed = tables.selectFrom('events').where('merchantId', '=', merchantId).where('position', 'is not', null);
  const ended = tables.selectFrom('feed_ends').select('position').where('merchantId', '=', merchantId);
  return sql<number>`greatest(0, (${placed.select((eb) => eb.fn.max('position').as('position'))}), (${ended}))`;
}

const feedLock = (merchantId: string) => `feed ${merchantId}`;

/** Gives the next events their places; false when none is waiting. */
async function stampNext(db: Database, merchantId: string): Promise<boolean> {
  await movingOf(db).get(merchantId);
  if (!(await findUnstamped.first(db, { merchantId }))) return false;
  await inTransaction(db, async (db) => {
    // A statement of its own: the next one must see what the last holder of the lock committed.
    await takeLock(db, feedLock(merchantId));
    await stampEvents.run(db, { merchantId });
  });
  return true;
}

/** One that is unread beyond those that are given their places at once. */
const findBeyond = prepared((tables, of: OfMerchant) =>
  unread(tables, of)
    .select('seq')
    .orderBy('seq')
    .limit((eb) => eb.lit(1))
    .offset((eb) => eb.lit(STAMPED_AT_ONCE)),
);

const findUnstamped = prepared((tables, { merchantId }: OfMerchant) =>
  tables.selectFrom('events').select('seq').where('merchantId', '=', merchantId).where('position', 'is', null).limit(1),
);

/** In the order of insertion, which for one payment's events is that of its changes. */
const stampEvents = prepared((tables, { merchantId }: OfMerchant) =>
  tables
    .with('next', (on) =>
      on
        .selectFrom('events')
        .select('seq')
        .where('merchantId', '=', merchantId)
        .where('position', 'is', null)
        .orderBy('seq')
        .limit(STAMPED_AT_ONCE),
    )
    .with('stamped', (on) => on.selectNoFrom(lastPlace(tables, merchantId).as('last')))
    .with('placed', (on) =>
      on.selectFrom(['next', 'stamped']).select((eb) => [
        'next.seq',
        eb(
          'stamped.last',
          '+',
          eb.fn.agg<number>('row_number').over((over) => over.orderBy('next.seq')),
        ).as('position'),
      ]),
    )
    .updateTable('events')
    .from('placed')
    .set((eb) => ({ position: eb.ref('placed.position') }))
    .whereRef('events.seq', '=', 'placed.seq'),
);
