// A page of a list and its exact length, however long it is: from one snapshot, by counts where they know what was asked for.
import { sql, type Compilable, type Kysely } from 'kysely';
import { query, runStatement, type Db, type Tables } from '../database/db.ts';
import { inSnapshot, type Database } from '../database/orm.ts';
import { cutPage, type Cursor, type CutPage, type Seq } from '../http/cursor.ts';
import { pageOf, type PageQuery } from '../http/fields.ts';
import { countStatement, placeStatement } from './lists.sql.ts';
import { cutSpan, type Span } from './spans.ts';
import { EVERY, keysOf, LISTS, type CountedList } from './table.ts';

/** Up to here the rows before a page are passed by one by one. */
const NEAR = 1_000;

const STATEMENTS = new Map(
  LISTS.map((list) => [list, { count: countStatement(list), place: placeStatement(list) }] as const),
);

/** What is asked for. Which table it is nobody knows here. */
export type Listing = {
  list: CountedList;
  merchantId: string;
  query: PageQuery & Span & { after?: Cursor | Seq | undefined };
  /** By the list's keys; absent: all. */
  keys: Partial<Record<string, string | undefined>>;
  /** There are filters that the counts know nothing of: each of these finds few, and has an index. */
  isSelective: boolean;
  /** All that fits. */
  rows(tables: Kysely<Tables>, span: Span): AnyQuery;
  /** Keys that an index begins with, and all their values: rows of some are merged from it, where one is asked for. */
  spread?: Record<string, readonly string[]>;
  /** What is read beside the rows of a page. */
  decorate?(tables: Kysely<Tables>, page: AnyQuery): AnyQuery;
  /** The columns that it is ordered by, the newest first. */
  order: ['seq'] | [at: string, id: string];
};

// A query of any table.
type AnyQuery = any;

/** The page, the cursor behind it, and how many there are in all. */
export function readPage<Row>(core: Database, listing: Listing): Promise<{ page: CutPage<Row>; total: number }> {
  return inSnapshot(core, (db) => readPageIn(db, listing));
}

/** The same in a snapshot that more is read of. */
export async function readPageIn<Row>(db: Db, listing: Listing): Promise<{ page: CutPage<Row>; total: number }> {
  const { from, to, after } = listing.query;
  const { limit, offset } = pageOf(listing.query);
  const { total, isCounted } = await countList(db, listing);
  const isFar = offset > NEAR && isCounted && !after && listing.order.length > 1;
  if (offset > 0 && offset >= total && !after) return { page: { rows: [], next: null }, total };
  const start = isFar ? await findStart(db, listing, offset) : { span: { from, to }, skip: offset };
  const rows = await query((tables) => {
    const found = pageRows(tables, listing, start.span)
      .limit(limit + 1)
      .offset(start.skip);
    return listing.decorate ? listing.decorate(tables, found) : found;
  }).all(db);
  return { page: cutPage(rows as Row[], limit, (row) => placeOf(row, listing.order)), total };
}

function placeOf(row: unknown, [first, id]: Listing['order']): Cursor | Seq {
  const values = row as Record<string, any>;
  return id ? { at: values[first], id: values[id] } : { seq: values[first] };
}

/** How many there are in all, and whether the counts knew. */
export async function countList(db: Db, listing: Listing): Promise<{ total: number; isCounted: boolean }> {
  const { from, to } = listing.query;
  const counted = listing.isSelective ? null : await countAsked(db, listing, { from, to });
  return { total: counted ?? (await countRows(db, listing, { from, to })), isCounted: counted !== null };
}

/** How many of a span there are by the counts; null where those are far behind. */
export async function countAsked(db: Db, listing: Listing, span: Span): Promise<number | null> {
  const { whole, ends } = cutSpan(span);
  const spans = [whole.map(({ grain }) => grain), whole.map(({ low }) => low), whole.map(({ high }) => high)];
  const { count } = statementsOf(listing.list);
  const [counted] = await runStatement<{ total: number | null }>(db, count, [...asked(listing), ...spans]);
  if (!counted || counted.total === null) return null;
  let total = counted.total;
  for (const end of ends) total += await countRows(db, listing, end);
  return total;
}

async function countRows(db: Db, { rows }: Listing, span: Span): Promise<number> {
  const count = (tables: Kysely<Tables>): Compilable<{ total: number }> =>
    rows(tables, span).select(sql<number>`count(*)`.as('total'));
  return (await query(count).one(db)).total;
}

/** Where a far page begins: in an hour of the counts, and a few rows further. */
async function findStart(db: Db, listing: Listing, offset: number): Promise<{ span: Span; skip: number }> {
  const { from, to } = listing.query;
  // Those newer than what was asked for are passed by as well.
  const newer = to ? ((await countAsked(db, listing, { from: to })) ?? 0) : 0;
  const { place } = statementsOf(listing.list);
  const [found] = await runStatement<{ until: Date; skip: number }>(db, place, [...asked(listing), offset + newer]);
  return found ? { span: { from, to: found.until }, skip: found.skip } : { span: { from, to }, skip: offset };
}

function asked({ list, merchantId, keys }: Listing) {
  return [merchantId, keysOf(list).map((key) => keys[key] ?? EVERY)];
}

function statementsOf(list: CountedList) {
  return STATEMENTS.get(list) as NonNullable<ReturnType<typeof STATEMENTS.get>>;
}

function pageRows(tables: Kysely<Tables>, listing: Listing, span: Span): AnyQuery {
  const {
    rows,
    order,
    query: { after },
    spread = {},
    keys,
  } = listing;
  const base = () => {
    const all = rows(tables, span).selectAll();
    if (!after) return all;
    return 'seq' in after
      ? all.where('seq', '<', after.seq)
      : all.where((eb: AnyQuery) => eb(eb.refTuple(...order), '<', eb.tuple(after.at, after.id)));
  };
  const inOrder = (all: AnyQuery) => order.reduce((ordered, column) => ordered.orderBy(column, 'desc'), all);
  if (!Object.keys(spread).some((key) => keys[key] !== undefined)) return inOrder(base());
  // Each in its order already: so they are merged, and none is read further than the page.
  const parts = valuesOf(listing).map((values) => {
    const part = values.reduce((all, [key, value]) => all.where(key, '=', value), base());
    return (tables as Kysely<any>).selectFrom(inOrder(part).as('part')).selectAll();
  });
  return inOrder(parts.reduce((all, part) => all.unionAll(part) as typeof all));
}

/** Each of the spread columns' values with each of the others', where no other is asked for. */
function valuesOf({ spread = {}, keys }: Listing): [key: string, value: string][][] {
  return Object.entries(spread).reduce<[string, string][][]>(
    (all, [key, values]) =>
      all.flatMap((known) =>
        (keys[key] ? [keys[key]] : values).map((value) => [...known, [key, value] as [string, string]]),
      ),
    [[]],
  );
}
