// Counts a merchant's unread notifications for the console's menu.
import { prepared, type Db } from '../database/db.ts';

/** The largest count. It bounds the query for a merchant that reads no notification. */
export const MAX_UNREAD = 100;

/** Returns the number of unread notifications, at most `MAX_UNREAD`. */
export async function countUnread(db: Db, merchantId: string): Promise<number> {
  return (await findUnread.all(db, { merchantId })).length;
}

const findUnread = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables
    .selectFrom('notifications')
    .select('seq')
    .where('merchantId', '=', merchantId)
    .where('readAt', 'is', null)
    .limit(MAX_UNREAD),
);
