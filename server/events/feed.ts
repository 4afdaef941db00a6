// The feed of a merchant's events: cursors behind which nothing ever appears, although transactions commit out of order.
import type { Database } from '../database/orm.ts';
import { inTransaction } from '../database/orm.ts';
import { findRows } from '../database/rows.ts';
import { Event } from './entities.ts';

/** An event in its place. */
export type FeedEvent = Event & { position: number };

const STAMPED_AT_ONCE = 500;

/**
 * At most `limit` events after the cursor `after` (0: from the first), oldest first. Events get their place when they are
 * first read: one that commits later is stamped later, so it never appears behind a cursor that was handed out.
 */
export async function readFeed(db: Database, merchantId: string, after: number, limit: number): Promise<FeedEvent[]> {
  const where = 'merchant_id = $1 and position > $2 order by position limit $3';
  for (let areAllStamped = false; ;) {
    const page = await findRows(db, Event, where, [merchantId, after, limit]);
    // Another reader may have stamped some since this page was read: a short one is the last when it was read after none was left.
    if (page.length === limit || areAllStamped) return page as FeedEvent[];
    areAllStamped = !(await stampNext(db, merchantId));
  }
}

/** The newest cursor there is: only what is new comes after it. */
export async function findEnd(db: Database, merchantId: string): Promise<number> {
  while (await stampNext(db, merchantId));
  const { rows } = await db.pool.query<{ end: number }>({
    name: 'feed_end',
    text: `select coalesce(max(position), 0)::float8 as "end" from events where merchant_id = $1`,
    values: [merchantId],
  });
  return rows[0]?.end ?? 0;
}

/** Gives the next events their places; false when none is waiting. */
async function stampNext(db: Database, merchantId: string): Promise<boolean> {
  const { rowCount } = await db.pool.query({
    name: 'feed_unstamped',
    text: 'select from events where merchant_id = $1 and position is null limit 1',
    values: [merchantId],
  });
  if (!rowCount) return false;
  await inTransaction(db, async ({ pool }) => {
    // A statement of its own: the next one must see what the last holder of the lock committed.
    await pool.query({
      name: 'feed_lock',
      text: `select pg_advisory_xact_lock(hashtextextended('feed ' || $1::text, 0))`,
      values: [merchantId],
    });
    await pool.query({ name: 'feed_stamp', text: STAMP, values: [merchantId] });
  });
  return true;
}

/** In the order of insertion, which for one payment's events is that of its changes. */
const STAMP = `
update events e set position = n.position
from (
  select seq, row_number() over (order by seq)
    + (select coalesce(max(position), 0) from events where merchant_id = $1::uuid and position is not null) as position
  from (
    select seq from events where merchant_id = $1::uuid and position is null order by seq limit ${STAMPED_AT_ONCE}
  ) next
) n
where e.seq = n.seq`;
