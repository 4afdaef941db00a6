// Counts a merchant's unread notifications for the console's menu.
import { listHiddenNotices } from '../../shared/notices.ts';
import type { Scope } from '../../shared/scopes.ts';
import { isAny, prepared, type Db } from '../database/db.ts';

/** The largest count. It bounds the query for a merchant that reads no notification. */
export const MAX_UNREAD = 100;

/** Returns the number of unread notifications that a person with these scopes may read, at most `MAX_UNREAD`. */
export async function countUnread(db: Db, merchantId: string, scopes: ReadonlySet<Scope>): Promise<number> {
  return (await findUnread.all(db, { merchantId, hidden: listHiddenNotices(scopes) })).length;
}

const findUnread = prepared((tables, { merchantId, hidden }: { merchantId: string; hidden: readonly string[] }) =>
  tables
    .selectFrom('notifications')
    .select('seq')
    .where('merchantId', '=', merchantId)
    .where('readAt', 'is', null)
    .where((eb) => eb.not(eb('type', ...isAny(hidden))))
    .limit(MAX_UNREAD),
);
