// Finds the rows that name a person, by a merchant's indexes. A statement reads few bytes, because texts can be long.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { isAny, prepared, query, type Db } from '../database/db.ts';
import { PERSONAL, type Holding } from './register.ts';
import { MONEY_FIELDS, patternOf, type Persona } from './subject.ts';
import { untypedTables, PARTS, PAYMENTS, type Key, type Part, type Scope, type Walk } from './walks.ts';

/** Maximum rows that one step reads. */
export const STEP = 500;
/** Maximum bytes that one step reads, except a single larger row. PostgreSQL searches about 5 MB of text per second. */
const STEP_BYTES = 2 ** 20;

/** Returns the personal columns of a table. */
export function columnsOf(table: string): string[] {
  const columns = (PERSONAL as Record<string, Record<string, Holding>>)[table] ?? {};
  // Sealed text cannot be searched, and is emptied once its mail is sent.
  return Object.keys(columns).filter((name) => !name.startsWith('sealed'));
}

/** SQL condition: a table's row names the person in a personal column. @param as the table's alias */
function namesPerson(table: string, as: string, pattern: string): RawBuilder<SqlBool> {
  const texts = columnsOf(table).map((column) => {
    const ref = sql.ref(`${as}.${column}`);
    // In `details`, values about money are skipped, because they may look like phone numbers.
    return column === 'details'
      ? sql`(${ref} - ${sql.lit(`{${MONEY_FIELDS.join()}}`)}::text[])::text`
      : sql`${ref}::text`;
  });
  return sql<SqlBool>`concat_ws(e'\\n', ${sql.join(texts)}) ~* ${pattern}`;
}

/** SQL condition: a payment or a row that belongs to it names the person. @param as the alias of the payment */
function paymentNamesPerson(as: string, pattern: string): RawBuilder<SqlBool> {
  const parts = PARTS.filter(({ decidesOwner }) => decidesOwner).map(
    ({ table, isOf }) =>
      sql<SqlBool>`exists (select from ${sql.table(table)} as t
        where ${isOf(sql`array[${sql.ref(`${as}.id`)}]`)} and ${namesPerson(table, 't', pattern)})`,
  );
  return sql<SqlBool>`(${sql.join([namesPerson('payments', as, pattern), ...parts], sql` or `)})`;
}

/** SQL condition: the payment or a related one names the person, such as a capture or the replacement of a payment. */
const namesPayment = (pattern: string) => sql<SqlBool>`(${paymentNamesPerson('w', pattern)} or exists (
  select from payments o where o.id in (w.authorization_id, w.replaces_id, w.replaced_by_id)
    and ${paymentNamesPerson('o', pattern)}))`;

const keyOf = (key: Key[], as: string) => key.map(({ column }) => sql.ref(`${as}.${column}`));

export type Window = {
  /** `personKeys`: the keys of the person's rows in this window. */
  personKeys: string[][];
  /** `after`: the start of the next window. Null after the last window. */
  after: string[] | null;
};

/** The start of a window, and the payments whose rows belong to the person too. */
type Reading = { after: string[] | null; payments?: string[] };

type WindowRow = { key: string[]; place: string[]; isTheirs: boolean; rowsRead: number };

/**
 * Reads the next rows of a table and returns the keys of the person's rows among them.
 * @param payments the person's payments. Rows about these payments belong to the person too.
 */
export async function readWindow(db: Db, walk: Walk, scope: Scope, { after, payments = [] }: Reading): Promise<Window> {
  const { table, key } = walk;
  const { merchantId } = scope;
  const order = (merchantId || walk.only ? walk.order : null) ?? key;
  const pattern = patternOf({ subjects: [scope.subject], words: [] });
  const isNamed = walk === PAYMENTS ? namesPayment(pattern) : namesPerson(table, 'w', pattern);
  const isAbout = walk.isAbout && payments.length > 0 ? walk.isAbout(payments) : sql<SqlBool>`false`;
  // The name is checked before the owner, because finding the owner costs more.
  const isTheirs =
    merchantId && walk.isOf
      ? sql`case when ${isNamed} then ${walk.isOf(merchantId)} else false end`
      : sql`(${isNamed} or ${isAbout})`;
  const filters = [
    ...(walk.only ? [walk.only] : []),
    ...(merchantId ? [walk.ofMerchant(merchantId)] : []),
    ...(after ? [sql`(${sql.join(keyOf(order, 't'))}) > (${sql.join(placeOf(order, after))})`] : []),
  ];
  const where = filters.length > 0 ? sql`where ${sql.join(filters, sql` and `)}` : sql``;
  const bytes = sql.join(
    columnsOf(table).map((column) => sql`coalesce(octet_length(${sql.ref(`t.${column}`)}::text), 0)`),
    sql` + `,
  );
  const textsOf = (columns: Key[]) => sql`array[${sql.join(keyOf(columns, 'w').map((ref) => sql`${ref}::text`))}]`;
  const rows = (await query((tables) =>
    untypedTables(tables)
      .selectFrom(
        sql<AnyRow>`(select t.*, count(*) over () as rows_read,
          sum(${bytes}) over (order by ${sql.join(keyOf(order, 't'))}) - (${bytes}) as bytes_before
        from (select * from ${sql.table(table)} t ${where}
          order by ${sql.join(keyOf(order, 't'))} limit ${sql.lit(STEP)}) t)`.as('w'),
      )
      .select([
        textsOf(key).as('key'),
        textsOf(order).as('place'),
        sql`${isTheirs}`.as('isTheirs'),
        sql`w.rows_read::int`.as('rowsRead'),
      ])
      .where(sql<SqlBool>`w.bytes_before < ${sql.lit(STEP_BYTES)}`)
      .orderBy(sql.join(keyOf(order, 'w'))),
  ).all(db)) as WindowRow[];
  const last = rows.at(-1);
  const isLast = !last || (last.rowsRead < STEP && rows.length === last.rowsRead);
  return { personKeys: rows.filter((row) => row.isTheirs).map((row) => row.key), after: isLast ? null : last.place };
}

type AnyRow = Record<string, unknown>;

const placeOf = (order: Key[], place: string[]) => order.map(({ type }, nth) => sql`${place[nth]}::${sql.raw(type)}`);

export type Row = Record<string, unknown>;

/** Reads rows by key, with the personal columns and those of `shown`. `forUpdate` requires a transaction. */
export function readRows(
  db: Db,
  { table, key, shown = [] }: Pick<Walk, 'table' | 'key' | 'shown'>,
  keys: string[][],
  { forUpdate = false } = {},
): Promise<Row[]> {
  const columns = [...new Set([...key.map(({ column }) => column), ...shown, ...columnsOf(table)])];
  return query((tables) => {
    const rows = untypedTables(tables)
      .selectFrom(`${table} as t`)
      .select(columns.map((name) => `t.${name}`));
    const found = rows.where(isAmong(key, keys));
    return forUpdate ? found.orderBy(sql.join(keyOf(key, 't'))).forUpdate() : found.orderBy(sql.join(keyOf(key, 't')));
  }).all(db) as Promise<Row[]>;
}

function isAmong(key: Key[], keys: string[][]): RawBuilder<SqlBool> {
  const lists = key.map(({ type }, nth) => sql`${keys.map((values) => values[nth])}::${sql.raw(type)}[]`);
  return sql<SqlBool>`(${sql.join(keyOf(key, 't'))}) in (select * from unnest(${sql.join(lists)}))`;
}

/** Returns the keys of rows that belong to these payments. With `persona`: only rows that name the person. */
export async function findParts(db: Db, part: Part, paymentIds: string[], persona?: Persona): Promise<string[][]> {
  const { table, key } = part;
  const rows = await query((tables) => {
    const found = untypedTables(tables)
      .selectFrom(`${table} as t`)
      .select(sql<string[]>`array[${sql.join(keyOf(key, 't').map((ref) => sql`${ref}::text`))}]`.as('key'))
      .where(part.isOf(sql`${paymentIds}::uuid[]`))
      .orderBy(sql.join(keyOf(key, 't')));
    return persona ? found.where(namesPerson(table, 't', patternOf(persona))) : found;
  }).all(db);
  return rows.map(({ key }) => key);
}

/** Adds related payments to these ids. Once one payment is erased, the search no longer finds the others. */
export async function withRelated(db: Db, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  return (await selectRelated.all(db, { ids })).map(({ id }) => id);
}

const selectRelated = prepared((tables, { ids }: { ids: string[] }) => {
  const payments = tables.selectFrom('payments');
  return payments
    .select('id')
    .where('id', ...isAny(ids))
    .union(payments.select('id').where('authorizationId', ...isAny(ids)))
    .union(payments.select('id').where('replacesId', ...isAny(ids)))
    .union(
      payments
        .select(sql<string>`replaces_id`.as('id'))
        .where('id', ...isAny(ids))
        .where('replacesId', 'is not', null),
    );
});
