// Reads a whole list in batches. Each batch is a separate query, so a slow client holds no connection and no snapshot.
import { sql, type Kysely, type SelectQueryBuilder, type SqlBool } from 'kysely';
import { query, type Db, type Tables } from '../database/db.ts';

/** The rows of one query. More rows are hardly faster, and block the event loop while the driver decodes them. */
const BATCH = 250;

/** The two columns of a list's order: a time and an id. `names`: their property names in a row, if they differ. */
export type Order = { at: string; id: string; names?: { at: string; id: string } };

/**
 * Yields the batches of a list, newest first, without rows newer than `start`.
 * While the caller writes a batch, the next batch is read.
 * @param list the query without an order; its columns include the two columns of the order
 */
export async function* readNewestFirst<DB, Table extends keyof DB, Row>(
  db: Db,
  start: Date,
  { at, id, names = { at, id } }: Order,
  list: (tables: Kysely<Tables>) => SelectQueryBuilder<DB, Table, Row>,
): AsyncGenerator<Row[]> {
  const orderColumns = [sql.ref(at), sql.ref(id)] as const;
  const readAfter = (lastAt: unknown, lastId: unknown): Promise<Row[]> => {
    const isAfter = sql<SqlBool>`(${orderColumns[0]}, ${orderColumns[1]}) < (${lastAt}::timestamptz, ${lastId}::uuid)`;
    const order = sql`${orderColumns[0]} desc, ${orderColumns[1]} desc`;
    return query((tables) => list(tables).where(isAfter).orderBy(order).limit(BATCH)).all(db);
  };
  for (let next: Promise<Row[]> | null = readAfter(start, 'ffffffff-ffff-ffff-ffff-ffffffffffff'); next;) {
    const rows: Row[] = await next;
    const last = rows[BATCH - 1] as Record<string, unknown> | undefined;
    next = last ? readAfter(last[names.at], last[names.id]) : null;
    // The caller may stop before it awaits this batch, and an unhandled rejection would end the process.
    next?.catch(() => {});
    yield rows;
  }
}

/**
 * Yields the pages of a list, from the first one or after a cursor.
 * @param read returns the rows after a cursor, and one row more than the limit if a next page exists
 */
export async function* readPages<Row, Cursor>(
  limit: number,
  read: (page: { after: Cursor | undefined; limit: number }) => Promise<Row[]>,
  cursorOf: (row: Row) => Cursor,
  start?: Cursor,
): AsyncGenerator<Row[]> {
  for (let after = start; ;) {
    const rows = await read({ after, limit });
    yield rows.slice(0, limit);
    const last = rows[limit - 1];
    if (!last || rows.length <= limit) return;
    after = cursorOf(last);
  }
}
