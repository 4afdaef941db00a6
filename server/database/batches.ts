// Lists that are read to their end: batch by batch, so that no connection is held while somebody far away takes what was read.
import { sql, type Kysely, type SelectQueryBuilder, type SqlBool } from 'kysely';
import { findCells, type Copied, type CopiedTable } from './copy.ts';
import { query, type Db, type Tables } from './db.ts';

/** More is hardly faster, and is more than others should wait for. */
const BATCH = 1_000;

/** Behind every id of its moment. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The columns of a total order, a moment and an id, and what the list calls them where that is something else. */
export type Order = { at: string; id: string; names?: { at: string; id: string } };

/**
 * The rows of a list, newest first, as the database copies them; what came after `start` is not among them. While a batch is
 * taken the next one is read; its bytes are its own until another is asked for.
 * @param list rows and columns, those of the order among them, without an order
 */
export async function* readNewestFirst<DB, Table extends keyof DB, Row>(
  db: Db,
  start: Date,
  { at, id, names = { at, id } }: Order,
  list: (tables: Kysely<Tables>) => SelectQueryBuilder<DB, Table, Row>,
): AsyncGenerator<CopiedTable<Row>> {
  const read = (placeAt: Date | string, placeId: string, over?: Copied) => {
    const place = sql<SqlBool>`(${sql.ref(at)}, ${sql.ref(id)}) < (${placeAt}::timestamptz, ${placeId}::uuid)`;
    const batch = query((tables) =>
      list(tables)
        .where(place)
        .orderBy(sql`${sql.ref(at)}`, 'desc')
        .orderBy(sql`${sql.ref(id)}`, 'desc')
        .limit(BATCH),
    );
    const rows = batch.copied(db, over);
    // Who asked for it may be gone when it fails.
    rows.catch(() => {});
    return rows;
  };
  let next: Promise<CopiedTable<Row>> | null = read(start, LAST_ID);
  let over: Copied | undefined;
  while (next) {
    const batch: CopiedTable<Row> = await next;
    next = batch.rows < BATCH ? null : read(findLast(batch, names.at), findLast(batch, names.id), over);
    yield batch;
    over = batch;
  }
}

/** What stands in a column of the last row; nothing that would be quoted. */
function findLast({ names, bytes, last }: Copied, name: string): string {
  const cells = new Int32Array(2 * names.length);
  findCells(bytes, last, cells);
  const place = 2 * names.indexOf(name);
  return bytes.toString('latin1', cells[place], cells[place + 1]);
}
