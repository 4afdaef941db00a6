// The feed of a merchant's events: cursors behind which nothing ever appears, although transactions commit out of order.
import { prepared, takeLock } from '../database/db.ts';
import { inTransaction, type Database } from '../database/orm.ts';
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

/** The newest cursor there is: only what is new comes after it. */
export async function findEnd(db: Database, merchantId: string): Promise<number> {
  while (await stampNext(db, merchantId));
  return (await findLast.one(db, { merchantId })).position;
}

type OfMerchant = { merchantId: string };

const findLast = prepared((tables, { merchantId }: OfMerchant) =>
  tables
    .selectFrom('events')
    .select((eb) => eb.fn.coalesce(eb.fn.max('position'), eb.lit(0)).as('position'))
    .where('merchantId', '=', merchantId),
);

/** Gives the next events their places; false when none is waiting. */
async function stampNext(db: Database, merchantId: string): Promise<boolean> {
  if (!(await findUnstamped.first(db, { merchantId }))) return false;
  await inTransaction(db, async (db) => {
    // A statement of its own: the next one must see what the last holder of the lock committed.
    await takeLock(db, `feed ${merchantId}`);
    await stampEvents.run(db, { merchantId });
  });
  return true;
}

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
    .with('stamped', (on) =>
      on
        .selectFrom('events')
        .select((eb) => eb.fn.coalesce(eb.fn.max('position'), eb.lit(0)).as('last'))
        .where('merchantId', '=', merchantId)
        .where('position', 'is not', null),
    )
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
