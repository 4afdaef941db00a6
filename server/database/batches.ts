// Lists that are read to their end: batch by batch, so that no connection is held while somebody far away takes what was read.
import { sql, type Kysely, type SelectQueryBuilder, type SqlBool } from 'kysely';
import { query, type Db, type Tables } from './db.ts';
import type { TextRow } from './queries.ts';

/** More is hardly faster, and is more than others should wait for. */
const BATCH = 1_000;

/** Behind every id of its moment. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The columns of a total order: a moment and an id. */
export type Order = { at: string; id: string };

type Placed<Row> = Row & { placeAt: string; placeId: string };

/**
 * The rows of a list, newest first, as the database writes them; what came after `start` is not among them. While a batch is
 * taken the next one is read.
 * @param list rows and columns, without an order
 */
export async function* readNewestFirst<DB, Table extends keyof DB, Row>(
  db: Db,
  start: Date,
  { at, id }: Order,
  list: (tables: Kysely<Tables>) => SelectQueryBuilder<DB, Table, Row>,
): AsyncGenerator<TextRow<Row>[]> {
  const read = (placeAt: Date | string, placeId: string) => {
    const place = sql<SqlBool>`(${sql.ref(at)}, ${sql.ref(id)}) < (${placeAt}::timestamptz, ${placeId}::uuid)`;
    const batch = query((tables) =>
      list(tables)
        .where(place)
        .select([sql<string>`${sql.ref(at)}`.as('placeAt'), sql<string>`${sql.ref(id)}`.as('placeId')])
        .orderBy(sql`${sql.ref(at)}`, 'desc')
        .orderBy(sql`${sql.ref(id)}`, 'desc')
        .limit(BATCH),
    );
    const rows = batch.texts(db) as Promise<Placed<TextRow<Row>>[]>;
    // Who asked for it may be gone when it fails.
    rows.catch(() => {});
    return rows;
  };
  let next: Promise<Placed<TextRow<Row>>[]> | null = read(start, LAST_ID);
  while (next) {
    const rows: Placed<TextRow<Row>>[] = await next;
    const last: Placed<TextRow<Row>> | undefined = rows.length < BATCH ? undefined : rows.at(-1);
    next = last ? read(last.placeAt, last.placeId) : null;
    yield rows;
  }
}
