// Reads a page of a list and its exact total from one snapshot. The cost does not grow with the length of the list.
//
// A page is read in one of two modes:
// - Near: the query skips the rows before the page one by one.
// - Far: the counts say in which hour the page begins (fold.sql.ts), so the query skips only rows of that hour.
import { sql, type Compilable, type Kysely } from 'kysely';
import { query, runStatement, type Db, type Tables } from '../database/db.ts';
import type { CountedList } from '../database/functions/counted-lists.ts';
import { inSnapshot, type Database } from '../database/orm.ts';
import { cutPage, type Cursor, type CutPage, type SeqCursor } from '../http/cursor.ts';
import { pageOf, type PageQuery } from '../http/fields.ts';
import { COUNT_ROWS, FIND_HOUR } from './fold.sql.ts';
import { splitSpan, type Span } from './spans.ts';

/** The most rows that a query skips one by one. A page after more rows is a far page. */
const MAX_SKIPPED_ROWS = 1_000;

/** A request for a page of any list. */
export type Listing = {
  /** The counted list whose counts give the total. */
  list: CountedList;
  merchantId: string;
  query: PageQuery & Span & { after?: Cursor | SeqCursor | undefined };
  /** The values of the list's keys. An absent key matches any value. */
  keys: Partial<Record<string, string | undefined>>;
  /** True if the query has filters that the counts do not know. Each of them matches few rows and has an index. */
  isSelective?: boolean;
  /** The most rows that a selective list counts. A higher total is this number plus one. */
  maxCounted?: number;
  /** The total, if the caller knows it. */
  total?: number;
  /** Returns the query of all matching rows, without an order. */
  rows(tables: Kysely<Tables>, span: Span): AnyQuery;
  /**
   * All values of the keys that the list's index begins with.
   * If a filter sets one of these keys, the query merges the rows of each combination of values.
   */
  mergedKeys?: Record<string, readonly string[]>;
  /** True if no other index has the order. Then the rows are merged even without a filter. */
  alwaysMerged?: boolean;
  /** Adds columns to the rows of the page. */
  decorate?(tables: Kysely<Tables>, page: AnyQuery): AnyQuery;
  /** The columns of the list's order, which is descending: newest first. */
  order: ['seq'] | [at: string, id: string];
};

// A query on any table. Its type is not known here.
type AnyQuery = any;

/** Returns the page, the cursor of the next page, and the number of rows on all pages. */
export function readPage<Row>(core: Database, listing: Listing): Promise<{ page: CutPage<Row>; total: number }> {
  return inSnapshot(core, (db) => readPageIn(db, listing));
}

/** Reads a page like `readPage`, in the caller's snapshot. */
export async function readPageIn<Row>(db: Db, listing: Listing): Promise<{ page: CutPage<Row>; total: number }> {
  const { from, to, after } = listing.query;
  const { limit, offset } = pageOf(listing.query);
  const total = listing.total ?? (await countList(db, listing, { from, to }));
  const isWhole = listing.total === undefined && total <= (listing.maxCounted ?? Infinity);
  if (offset > 0 && offset >= total && isWhole && !after) return { page: { rows: [], next: null }, total };
  const isFar =
    offset > MAX_SKIPPED_ROWS && !listing.isSelective && !after && listing.order.length > 1 && listing.list.at !== null;
  const start = isFar ? await findStart(db, listing, offset) : { span: { from, to }, skip: offset };
  const rows = await query((tables) => {
    const found = pageRows(tables, listing, start.span, start.skip + limit + 1)
      .limit(limit + 1)
      .offset(start.skip);
    return listing.decorate ? listing.decorate(tables, found) : found;
  }).all(db);
  return { page: cutPage(rows as Row[], limit, (row) => cursorOf(row, listing.order)), total };
}

function cursorOf(row: unknown, [first, id]: Listing['order']): Cursor | SeqCursor {
  const values = row as Record<string, any>;
  return id ? { at: values[first], id: values[id] } : { seq: values[first] };
}

/** Returns the number of the list's rows in a time span. */
export async function countList(db: Db, listing: Listing, span: Span): Promise<number> {
  if (listing.isSelective) return countRows(db, listing, span);
  const { whole, ends } = splitSpan(span);
  const spans = [whole.map(({ grain }) => grain), whole.map(({ low }) => low), whole.map(({ high }) => high)];
  const [counted] = await runStatement<{ total: number }>(db, COUNT_ROWS, [...subjectOf(listing), ...spans]);
  let total = counted?.total ?? 0;
  for (const end of ends) total += await countRows(db, listing, end);
  return total;
}

async function countRows(db: Db, { rows, maxCounted }: Listing, span: Span): Promise<number> {
  const total = sql<number>`count(*)`.as('total');
  const count = (tables: Kysely<Tables>): Compilable<{ total: number }> => {
    if (maxCounted === undefined) return rows(tables, span).select(total);
    const counted = rows(tables, span).select(sql`true`.as('found'));
    return tables.selectFrom(counted.limit(maxCounted + 1).as('found')).select(total);
  };
  return (await query(count).one(db)).total;
}

/** Finds the start of a far page: the end of an hour, and the number of rows to skip from there. */
async function findStart(db: Db, listing: Listing, offset: number): Promise<{ span: Span; skip: number }> {
  const { from, to } = listing.query;
  const newer = to ? await countList(db, listing, { from: to }) : 0;
  const values = [...subjectOf(listing), offset + newer];
  const [found] = await runStatement<{ until: Date; skip: number }>(db, FIND_HOUR, values);
  return found ? { span: { from, to: found.until }, skip: found.skip } : { span: { from, to }, skip: offset };
}

/** Returns the first three parameters of COUNT_ROWS and FIND_HOUR. */
function subjectOf({ list, merchantId, keys }: Listing) {
  return [list.list, merchantId, Object.keys(list.keys).map((key) => keys[key])];
}

/** Builds the query of at most `most` rows: the rows before the page and the rows of the page. */
function pageRows(tables: Kysely<Tables>, listing: Listing, span: Span, most: number): AnyQuery {
  const { rows, order, mergedKeys = {}, keys, alwaysMerged } = listing;
  const { after } = listing.query;
  const inOrder = (all: AnyQuery) => order.reduce((ordered, column) => ordered.orderBy(column, 'desc'), all);
  let base = rows(tables, span).selectAll();
  if (after && 'seq' in after) base = base.where('seq', '<', after.seq);
  else if (after) base = base.where((eb: AnyQuery) => eb(eb.refTuple(...order), '<', eb.tuple(after.at, after.id)));
  if (!alwaysMerged && !Object.keys(mergedKeys).some((key) => keys[key] !== undefined)) return inOrder(base);
  // The query has one part for each combination of the keys' values. A filtered key has only one value.
  let parts = [base];
  for (const [key, values] of Object.entries(mergedKeys))
    parts = parts.flatMap((part) => (keys[key] ? [keys[key]] : values).map((value) => part.where(key, '=', value)));
  // An index has the order of each part. The limit keeps the planner from sorting whole parts.
  const limited = parts.map((part) =>
    (tables as Kysely<any>).selectFrom(inOrder(part).limit(most).as('part')).selectAll(),
  );
  return inOrder(limited.reduce((all, part) => all.unionAll(part) as typeof all));
}
