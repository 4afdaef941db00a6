// Reads a whole list in batches, each a query of its own: no connection and no snapshot waits for a slow client.
import { sql, type Kysely, type SelectQueryBuilder, type SqlBool } from 'kysely';
import { query, type Db, type Tables } from '../database/db.ts';

/** Rows of a query. More rows are hardly faster, and hold the event loop while the driver decodes them. */
const BATCH = 250;

/** The columns of a total order, a time and an id. `names` are their properties in a row, where they differ. */
export type Order = { at: string; id: string; names?: { at: string; id: string } };

/**
 * Yields a list without rows newer than `start`, newest first. While the caller writes a batch, the next one is read.
 * @param list rows and columns, with those of the order, and without an order
 */
export async function* readNewestFirst<DB, Table extends keyof DB, Row>(
  db: Db,
  start: Date,
  { at, id, names = { at, id } }: Order,
  list: (tables: Kysely<Tables>) => SelectQueryBuilder<DB, Table, Row>,
): AsyncGenerator<Row[]> {
  const place = [sql.ref(at), sql.ref(id)] as const;
  const readAfter = (lastAt: unknown, lastId: unknown): Promise<Row[]> => {
    const isAfter = sql<SqlBool>`(${place[0]}, ${place[1]}) < (${lastAt}::timestamptz, ${lastId}::uuid)`;
    const order = sql`${place[0]} desc, ${place[1]} desc`;
    return query((tables) => list(tables).where(isAfter).orderBy(order).limit(BATCH)).all(db);
  };
  for (let next: Promise<Row[]> | null = readAfter(start, 'ffffffff-ffff-ffff-ffff-ffffffffffff'); next;) {
    const rows: Row[] = await next;
    const last = rows[BATCH - 1] as Record<string, unknown> | undefined;
    next = last ? readAfter(last[names.at], last[names.id]) : null;
    // The caller may leave before it awaits this batch, and a rejection without a handler ends the process.
    next?.catch(() => {});
    yield rows;
  }
}
