// The feed of a merchant's events: cursors behind which nothing ever appears, although transactions commit out of order.
import { sql, type Kysely } from 'kysely';
import type { Core } from '../core.ts';
import { prepared, takeLock, type Tables } from '../database/db.ts';
import { inMoment, inTransaction, type Database } from '../database/orm.ts';
import type { Event } from './entities.ts';

/** An event in its place. */
export type FeedEvent = Event & { position: number };

/** So many events get their places with a page; and so many, of all merchants, lie between the first and the last that do beside an end. */
const PLACED_AT_ONCE = 500;

/**
 * At most `limit` events after the cursor `after` (0: from the first), oldest first. Events get their place when they are
 * first read: one that commits later is placed later, so it never appears behind a cursor that was handed out.
 */
export async function readFeed(db: Database, merchantId: string, after: number, limit: number): Promise<FeedEvent[]> {
  for (let areAllPlaced = false; ;) {
    const page = await findPlaced.all(db, { merchantId, after, limit });
    // Another reader may have placed some since this page was read: a short one is the last when it was read after none was left.
    if (page.length === limit || areAllPlaced) return page;
    areAllPlaced = !(await placeNext(db, merchantId));
  }
}

/** Whether a cursor was never handed out: nothing has its place, nor ever had, so far ahead. */
export async function isBeyondEnd(db: Database, merchantId: string, after: number): Promise<boolean> {
  return after > (await findUnread.one(db, { merchantId })).last;
}

/** The newest cursor there is: only what is new comes after it. What is unread gets its places before the answer where it is little. */
export async function findEnd(core: FeedCore, merchantId: string): Promise<number> {
  const { first, newest, last } = await findUnread.one(core, { merchantId });
  if (first === null || newest === null) return last;
  // What came since a move began that is still under way is after its end, rather than that anybody waits.
  if (newest - first >= PLACED_AT_ONCE) return (movesOf(core).get(merchantId) ?? startMove(core, merchantId)).end;
  await placeNext(core, merchantId);
  return (await findUnread.one(core, { merchantId })).last;
}

export type FeedCore = Database & Pick<Core, 'inBackground' | 'stopping' | 'log'>;

/** The end of a feed, and when everything up to it has its place; readers wait for that without a connection in their hands. */
type Move = { end: Promise<number>; placed: Promise<void> };

function startMove(core: FeedCore, merchantId: string): Move {
  const { promise: end, resolve, reject } = Promise.withResolvers<number>();
  const placed = moveEnd(core, merchantId, resolve)
    // What the index still has of those that were unread is passed over here, once: whoever comes next finds it marked as gone.
    .then(() => findUnread.run(core, { merchantId }))
    .then(() => {})
    .catch((error: unknown) => {
      // Where it was handed out already: what is unread comes after it then, once more rather than never.
      core.log.error({ err: error, merchantId }, 'the end of a feed could not be moved');
      reject(error);
    })
    .finally(() => movesOf(core).delete(merchantId));
  core.inBackground(placed);
  const move = { end, placed };
  movesOf(core).set(merchantId, move);
  return move;
}

/** Of a node. */
function movesOf({ pool }: Database): Map<string, Move> {
  const known = moves.get(pool) ?? new Map<string, Move>();
  moves.set(pool, known);
  return known;
}

const moves = new WeakMap<object, Map<string, Move>>();

/** Of all merchants' events together: a statement for so many is far from the time that it is given. */
const WINDOW = 5_000;
const TRIES = 5;

/**
 * Hands out an end behind which there is room for all that is unread, and then places it there: exactly what was committed when the
 * transaction began, whatever is committed meanwhile, since it sees no more than that. A place is as far from the end as the event's
 * `seq` from the newest one's: reckoned without counting, in the order of insertion.
 */
async function moveEnd(core: FeedCore, merchantId: string, tell: (end: number) => void, tries = TRIES): Promise<void> {
  let isTold = false;
  const move = () =>
    inMoment(core, async (db) => {
      await takeLock(db, feedLock(merchantId));
      // Fails where another placed some while the lock was waited for: then this transaction began too early.
      await holdOldest.run(db, { merchantId });
      const { first, newest } = await findUnread.one(db, { merchantId });
      const size = first === null || newest === null ? 0 : newest - first + 1;
      // Kept before it is told, by a transaction of its own, which sees what was kept while the lock was waited for: whatever
      // becomes of this one, nothing is placed behind it any more.
      const end = (await keepEnd.one(core, { merchantId, size })).position;
      tell(end);
      isTold = true;
      if (first === null || newest === null) return;
      for (let from: number | null = first; from !== null;) {
        core.stopping.throwIfAborted();
        const to: number = Math.min(from + WINDOW - 1, newest);
        await placeWindow.run(db, { merchantId, from, to, offset: end - newest });
        // The next there is: from one month to the next numbers leap.
        from = (await findNext.first(db, { merchantId, after: to }))?.seq ?? null;
      }
    });
  await move().catch((error: { code?: string }) => {
    if (error.code !== '40001' || isTold || tries <= 1) throw error;
    return moveEnd(core, merchantId, tell, tries - 1);
  });
}

/** Gives the next events their places; false when none is waiting. */
async function placeNext(db: Database, merchantId: string): Promise<boolean> {
  await movesOf(db).get(merchantId)?.placed;
  if ((await findUnread.one(db, { merchantId })).first === null) return false;
  await inTransaction(db, async (db) => {
    // A statement of its own: the next one must see what the last holder of the lock committed.
    await takeLock(db, feedLock(merchantId));
    await readInOrder.run(db, {});
    await placeFirst.run(db, { merchantId });
  });
  return true;
}

type OfMerchant = { merchantId: string };
type Page = OfMerchant & { after: number; limit: number };

const findPlaced = prepared((tables, { merchantId, after, limit }: Page) =>
  tables
    .selectFrom('events')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .$narrowType<{ position: number }>(),
);

const unread = (tables: Kysely<Tables>, { merchantId }: OfMerchant) =>
  tables.selectFrom('events').select('seq').where('merchantId', '=', merchantId).where('position', 'is', null);

const next = (tables: Kysely<Tables>, of: OfMerchant) => unread(tables, of).orderBy('seq');

/** Each end of the index by itself: for both at once the planner reads all that lies between, where it believes that to be little. */
const findUnread = prepared((tables, of: OfMerchant) =>
  tables.selectNoFrom([
    next(tables, of).limit(1).as('first'),
    unread(tables, of).orderBy('seq', 'desc').limit(1).as('newest'),
    lastPlace(tables, of).as('last'),
  ]),
);

/** The newest place that there is, or that was handed out as the end. */
function lastPlace(tables: Kysely<Tables>, { merchantId }: OfMerchant) {
  const placed = tables.selectFrom('events').where('merchantId', '=', merchantId).where('position', 'is not', null);
  const ended = tables.selectFrom('feed_ends').select('position').where('merchantId', '=', merchantId);
  return sql<number>`greatest(0, (${placed.select((eb) => eb.fn.max('position').as('position'))}), (${ended}))`;
}

const findNext = prepared((tables, { merchantId, after }: OfMerchant & { after: number }) =>
  next(tables, { merchantId }).where('seq', '>', after).limit(1),
);

const holdOldest = prepared((tables, of: OfMerchant) => next(tables, of).limit(1).forUpdate());

/** How many there are is not what the planner believes it is: it would read and sort all of them for the first few. */
const readInOrder = prepared((tables) => tables.selectNoFrom(sql`set_config('enable_sort', 'off', true)`.as('sort')));

const keepEnd = prepared((tables, { merchantId, size }: OfMerchant & { size: number }) =>
  tables
    .insertInto('feed_ends')
    .columns(['merchantId', 'position'])
    .expression(
      tables.selectNoFrom((eb) => [
        sql<string>`${merchantId}::uuid`.as('merchantId'),
        eb(lastPlace(tables, { merchantId }), '+', sql<number>`${size}::bigint`).as('position'),
      ]),
    )
    .onConflict((known) => known.column('merchantId').doUpdateSet((eb) => ({ position: eb.ref('excluded.position') })))
    .returning('position'),
);

type Window = OfMerchant & { from: number; to: number; offset: number };

const placeWindow = prepared((tables, { merchantId, from, to, offset }: Window) =>
  tables
    .updateTable('events')
    .set((eb) => ({ position: eb('seq', '+', sql<number>`${offset}::bigint`) }))
    .where('merchantId', '=', merchantId)
    .where('position', 'is', null)
    .where('seq', '>=', from)
    .where('seq', '<=', to),
);

/** Likewise behind the last place, in one statement, which sees one moment: of a payment's events none is placed without those before it. */
const placeFirst = prepared((tables, of: OfMerchant) => {
  const first = next(tables, of).limit((eb) => eb.lit(PLACED_AT_ONCE));
  return tables
    .with('room', (on) =>
      on
        .selectFrom(first.as('next'))
        .select((eb) => [
          eb.fn.min('seq').as('first'),
          eb.fn.max('seq').as('newest'),
          lastPlace(tables, of).as('last'),
        ]),
    )
    .updateTable('events')
    .from('room')
    .set((eb) => ({
      position: sql<number>`${eb.ref('events.seq')} - ${eb.ref('room.first')} + 1 + ${eb.ref('room.last')}`,
    }))
    .where('merchantId', '=', of.merchantId)
    .where('position', 'is', null)
    .whereRef('seq', '>=', 'room.first')
    .whereRef('seq', '<=', 'room.newest');
});

const feedLock = (merchantId: string) => `feed ${merchantId}`;
