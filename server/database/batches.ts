// Lists that are read to their end: batch by batch, so that no connection is held while somebody far away takes what was read.
import { sql, type Kysely, type SelectQueryBuilder, type SqlBool } from 'kysely';
import { query, type Db, type Tables } from './db.ts';
import type { TextTable } from './queries.ts';

/** More is hardly faster, and is more than others should wait for. */
const BATCH = 1_000;

/** Behind every id of its moment. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The columns of a total order, a moment and an id, and what the list calls them where that is something else. */
export type Order = { at: string; id: string; names?: { at: string; id: string } };

/**
 * The rows of a list, newest first, as the database writes them; what came after `start` is not among them. While a batch is
 * taken the next one is read.
 * @param list rows and columns, those of the order among them, without an order
 */
export async function* readNewestFirst<DB, Table extends keyof DB, Row>(
  db: Db,
  start: Date,
  { at, id, names = { at, id } }: Order,
  list: (tables: Kysely<Tables>) => SelectQueryBuilder<DB, Table, Row>,
): AsyncGenerator<TextTable<Row>> {
  const read = (placeAt: Date | string, placeId: string) => {
    const place = sql<SqlBool>`(${sql.ref(at)}, ${sql.ref(id)}) < (${placeAt}::timestamptz, ${placeId}::uuid)`;
    const batch = query((tables) =>
      list(tables)
        .where(place)
        .orderBy(sql`${sql.ref(at)}`, 'desc')
        .orderBy(sql`${sql.ref(id)}`, 'desc')
        .limit(BATCH),
    );
    const rows = batch.texts(db);
    // Who asked for it may be gone when it fails.
    rows.catch(() => {});
    return rows;
  };
  const placeIn = (batch: TextTable<Row>, name: string) => batch.rows.at(-1)?.[batch.names.indexOf(name)] ?? '';
  let next: Promise<TextTable<Row>> | null = read(start, LAST_ID);
  while (next) {
    const batch: TextTable<Row> = await next;
    next = batch.rows.length < BATCH ? null : read(placeIn(batch, names.at), placeIn(batch, names.id));
    yield batch;
  }
}
