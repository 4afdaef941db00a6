// The tables that may name a payer or contact, and how an erasure or export reads them. It finds the person's payments first, then all
// that belongs to these, then the other tables. It reads the rows of a merchant by index, and few bytes a statement: a text can be long.
import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import { isAny, prepared, query, type Db, type Tables } from '../database/db.ts';
import { PERSONAL, type Holding } from './register.ts';
import { MONEY_FIELDS, patternOf, type Persona, type Subject } from './subject.ts';

/** Rows of one step. */
export const STEP = 500;
/** Bytes of one step, but for a single larger row: the database searches some 5 MB a second for an e-mail address. */
const STEP_BYTES = 2 ** 20;

/** The person, and the merchant (null: all merchants). */
export type Scope = { merchantId: string | null; subject: Subject };

export type Key = { column: string; type: 'uuid' | 'bigint' | 'int' | 'text' | 'timestamptz' };

/** A table that is read from its first row to its last. */
export type Walk = {
  table: keyof Tables & string;
  key: Key[];
  /** Columns that an export shows beside the personal ones. */
  shown?: string[];
  /** Rows (`t`) that other walks do not read. */
  only?: RawBuilder<SqlBool>;
  /** A merchant's rows (`t`). */
  ofMerchant(merchantId: string): RawBuilder<SqlBool>;
  /** The columns behind the merchant in the index that finds its rows; default: the key. */
  order?: Key[];
  /** Where merchants share the rows of `ofMerchant`: whether a row (`w`) that names the person is the merchant's. */
  isOf?(merchantId: string): RawBuilder<SqlBool>;
  /** Whether a row (`w`) belongs to one of these payments, although it names nobody. */
  isAbout?(paymentIds: string[]): RawBuilder<SqlBool>;
};

/** A table whose rows belong to payments (`p`). */
export type Part = Pick<Walk, 'table' | 'key' | 'shown'> & {
  isOf(paymentIds: RawBuilder<unknown>): RawBuilder<SqlBool>;
  /** A row that names the person makes its payment theirs. */
  tells: boolean;
};

const uuid = (column: string): Key => ({ column, type: 'uuid' });
const seq: Key = { column: 'seq', type: 'bigint' };
const BY_CREATION: Key[] = [{ column: 'createdAt', type: 'timestamptz' }, uuid('id')];

const ofMerchant = (merchantId: string) => sql<SqlBool>`t.merchant_id = ${merchantId}::uuid`;
const ofNobody = () => sql<SqlBool>`false`;

const ownRails = (merchantId: string) =>
  sql`select id::text from rail_accounts where merchant_id = ${merchantId}::uuid`;

/** Messages of the merchant's own accounts, and of those that merchants share. */
const ofRails = (merchantId: string) =>
  sql<SqlBool>`t.rail = any(array(${ownRails(merchantId)} union all select id::text from rail_accounts where merchant_id is null
    union all select unnest('{gpo,ppr,sms}'::text[])))`;

/** A message is the merchant's if its account is, or if it names an order, money or SMS of the merchant. */
const ofRail = (merchantId: string) => sql<SqlBool>`(
  w.rail in (${ownRails(merchantId)})
  or exists (select from attempts a join payments p on p.id = a.payment_id
    where p.merchant_id = ${merchantId}::uuid and (a.id = w.attempt_id or a.id in (${idsIn})))
  or exists (select from sms_messages m where m.merchant_id = ${merchantId}::uuid and m.id in (${idsIn}))
  or exists (select from transactions t where t.merchant_id = ${merchantId}::uuid and t.rail = w.rail and t.provider_ref in
    (select found[1] from regexp_matches(w.body, '[A-Za-z0-9_-]{4,}', 'g') as found)))`;
const idsIn = sql`select found[1]::uuid from regexp_matches(w.body, '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') as found`;

const ofSettlement = (merchantId: string) =>
  sql<SqlBool>`t.id in (select s.id from settlements s where s.merchant_id = ${merchantId}::uuid)`;

/** A stored answer is about a payment if it holds the payment's id. */
const answersFor = (paymentIds: string[]) =>
  sql<SqlBool>`(w.payment_id = any(${paymentIds}::uuid[]) or exists (select from (${idsIn}) as i(id) where i.id = any(${paymentIds}::uuid[])))`;

/** Payments with all that belongs to them, by the payment. */
export const PAYMENTS: Walk = {
  table: 'payments',
  key: [uuid('id')],
  shown: ['merchantId', 'amountMinor', 'amountPaidMinor', 'currency', 'status', 'paymentType', 'createdAt'],
  ofMerchant,
  order: BY_CREATION,
};

const ofPayment = (ids: RawBuilder<unknown>) => sql<SqlBool>`payment_id = any(${ids})`;

/** Rails' messages that were applied to these payments: each names its attempt, or its money. */
const toldOf = (ids: RawBuilder<unknown>) => sql<SqlBool>`(about is not null
  and about = any(array(select a.id::text from attempts a where a.payment_id = any(${ids})
    union all select x.provider_ref from transactions x where x.payment_id = any(${ids})))
  and rail = any(array(select a.rail from attempts a where a.payment_id = any(${ids})
    union all select x.rail from transactions x where x.payment_id = any(${ids}))))`;

export const PARTS: Part[] = [
  { table: 'attempts', key: [uuid('id')], shown: ['paymentId', 'createdAt'], isOf: ofPayment, tells: true },
  {
    table: 'transactions',
    key: [uuid('id')],
    shown: ['paymentId', 'amountMinor', 'currency', 'occurredAt'],
    isOf: ofPayment,
    tells: true,
  },
  { table: 'payment_references', key: [uuid('id')], shown: ['paymentId', 'createdAt'], isOf: ofPayment, tells: true },
  { table: 'link_payments', key: [uuid('paymentId')], shown: ['createdAt'], isOf: ofPayment, tells: true },
  { table: 'refunds', key: [uuid('id')], shown: ['paymentId', 'createdAt'], isOf: ofPayment, tells: true },
  { table: 'events', key: [seq], shown: ['paymentId', 'type', 'occurredAt'], isOf: ofPayment, tells: true },
  {
    table: 'delivery_attempts',
    key: [uuid('deliveryId'), { column: 'number', type: 'int' }],
    shown: ['startedAt'],
    isOf: (ids) => sql<SqlBool>`delivery_id in (select id from deliveries where payment_id = any(${ids}))`,
    tells: true,
  },
  { table: 'inbox', key: [uuid('id')], shown: ['rail', 'receivedAt'], isOf: toldOf, tells: true },
  // Never more than its event says.
  { table: 'notifications', key: [seq], shown: ['paymentId', 'type', 'createdAt'], isOf: ofPayment, tells: false },
];

/** The other tables, in the order in which they are read. */
export const WALKS: Walk[] = [
  { table: 'sms_messages', key: [uuid('id')], shown: ['merchantId', 'status', 'listedAt', 'sentAt'], ofMerchant },
  { table: 'sms_batches', key: [uuid('id')], shown: ['merchantId', 'createdAt'], ofMerchant },
  { table: 'sms_contacts', key: [uuid('id')], shown: ['merchantId', 'createdAt'], ofMerchant, order: BY_CREATION },
  { table: 'sms_lists', key: [uuid('id')], shown: ['merchantId', 'createdAt'], ofMerchant, order: BY_CREATION },
  { table: 'sms_templates', key: [uuid('id')], shown: ['merchantId', 'createdAt'], ofMerchant, order: BY_CREATION },
  {
    table: 'sms_opt_outs',
    key: [uuid('merchantId'), { column: 'phone', type: 'text' }],
    shown: ['createdAt'],
    ofMerchant,
  },
  {
    table: 'sms_opt_out_codes',
    key: [{ column: 'code', type: 'text' }],
    shown: ['merchantId', 'createdAt'],
    ofMerchant,
    order: [{ column: 'phone', type: 'text' }],
  },
  { table: 'sms_ledger', key: [seq], shown: ['merchantId', 'createdAt'], ofMerchant },
  { table: 'mails', key: [uuid('id')], shown: ['createdAt', 'sentAt'], ofMerchant: ofNobody },
  { table: 'reconciliations', key: [uuid('id')], ofMerchant: ofSettlement },
  { table: 'settlement_credits', key: [uuid('id')], shown: ['settlementId', 'createdAt'], ofMerchant },
  {
    table: 'request_errors',
    key: [uuid('id')],
    shown: ['merchantId', 'occurredAt'],
    ofMerchant,
    order: [{ column: 'occurredAt', type: 'timestamptz' }, uuid('id')],
  },
];

const NOT_APPLIED = sql<SqlBool>`t.about is null and t.is_proven`;

/** Payments that are open go on writing to these: they are read when none of the person's is open. */
export const LAST_WALKS: Walk[] = [
  {
    table: 'inbox',
    key: [uuid('id')],
    shown: ['rail', 'receivedAt'],
    only: NOT_APPLIED,
    ofMerchant: ofRails,
    order: [{ column: 'rail', type: 'text' }, uuid('id')],
    isOf: ofRail,
  },
  {
    table: 'idempotency_keys',
    key: [uuid('merchantId'), { column: 'key', type: 'text' }],
    shown: ['createdAt'],
    ofMerchant,
    isAbout: answersFor,
  },
];

type AnyTables = Record<string, Record<string, unknown>>;

/** Tables by names that the register holds against the entities. */
export const anyTables = (tables: Kysely<Tables>) => tables as unknown as Kysely<AnyTables>;

/** What is personal of a table. */
export function columnsOf(table: string): string[] {
  const columns = (PERSONAL as Record<string, Record<string, Holding>>)[table] ?? {};
  // Sealed text says nothing to whoever looks for it, and is emptied when it was sent.
  return Object.keys(columns).filter((name) => !name.startsWith('sealed'));
}

/** Whether a row, by what it is called in the query, names somebody anywhere. */
function names(table: string, as: string, pattern: string): RawBuilder<SqlBool> {
  const texts = columnsOf(table).map((column) => {
    const ref = sql.ref(`${as}.${column}`);
    // What names money is nobody's number.
    return column === 'details'
      ? sql`(${ref} - ${sql.lit(`{${MONEY_FIELDS.join()}}`)}::text[])::text`
      : sql`${ref}::text`;
  });
  return sql<SqlBool>`concat_ws(e'\\n', ${sql.join(texts)}) ~* ${pattern}`;
}

/** Of a payment, by what it is called in the query, all that tells whose it is. */
function namesAnywhere(as: string, pattern: string): RawBuilder<SqlBool> {
  const parts = PARTS.filter(({ tells }) => tells).map(
    ({ table, isOf }) =>
      sql<SqlBool>`exists (select from ${sql.table(table)} as t where ${isOf(sql`array[${sql.ref(`${as}.id`)}]`)} and ${names(table, 't', pattern)})`,
  );
  return sql<SqlBool>`(${sql.join([names('payments', as, pattern), ...parts], sql` or `)})`;
}

/** What belongs together is one person's: what was taken of an authorization, and what took a payment's place. */
const namesPayment = (pattern: string) => sql<SqlBool>`(${namesAnywhere('w', pattern)} or exists (
  select from payments o where o.id in (w.authorization_id, w.replaces_id, w.replaced_by_id) and ${namesAnywhere('o', pattern)}))`;

const keyOf = (key: Key[], as: string) => key.map(({ column }) => sql.ref(`${as}.${column}`));

export type Window = {
  /** Of the rows that are theirs. */
  theirs: string[][];
  /** Where the next one begins; null: this was the last. */
  after: string[] | null;
};

/** Where the next window begins, and what it looks for besides the person. */
type Reading = { after: string[] | null; payments?: string[] };

type WindowRow = { key: string[]; place: string[]; isTheirs: boolean; rowsRead: number };

/**
 * Reads the next rows of a table, and finds those of the person among them.
 * @param payments of the person: rows about them are theirs too
 */
export async function readWindow(db: Db, walk: Walk, scope: Scope, { after, payments = [] }: Reading): Promise<Window> {
  const { table, key } = walk;
  const { merchantId } = scope;
  const order = (merchantId || walk.only ? walk.order : null) ?? key;
  const pattern = patternOf({ subjects: [scope.subject], words: [] });
  const isNamed = walk === PAYMENTS ? namesPayment(pattern) : names(table, 'w', pattern);
  const isAbout = walk.isAbout && payments.length > 0 ? walk.isAbout(payments) : sql<SqlBool>`false`;
  // In this order: to find the owner costs more than to find the name.
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
    anyTables(tables)
      .selectFrom(
        sql<AnyRow>`(select t.*, count(*) over () as rows_read,
          sum(${bytes}) over (order by ${sql.join(keyOf(order, 't'))}) - (${bytes}) as bytes_before
        from (select * from ${sql.table(table)} t ${where} order by ${sql.join(keyOf(order, 't'))} limit ${sql.lit(STEP)}) t)`.as(
          'w',
        ),
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
  return { theirs: rows.filter((row) => row.isTheirs).map((row) => row.key), after: isLast ? null : last.place };
}

type AnyRow = Record<string, unknown>;

const placeOf = (order: Key[], place: string[]) => order.map(({ type }, nth) => sql`${place[nth]}::${sql.raw(type)}`);

export type Row = Record<string, unknown>;

/** Rows by their keys, with what is personal and what is shown beside; `forUpdate` inside of a transaction. */
export function readRows(
  db: Db,
  { table, key, shown = [] }: Pick<Walk, 'table' | 'key' | 'shown'>,
  keys: string[][],
  { forUpdate = false } = {},
): Promise<Row[]> {
  const columns = [...new Set([...key.map(({ column }) => column), ...shown, ...columnsOf(table)])];
  return query((tables) => {
    const rows = anyTables(tables)
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

/** Keys of the rows that belong to these payments: all of them, or those that name the person. */
export async function findParts(db: Db, part: Part, paymentIds: string[], persona?: Persona): Promise<string[][]> {
  const { table, key } = part;
  const rows = await query((tables) => {
    const found = anyTables(tables)
      .selectFrom(`${table} as t`)
      .select(sql<string[]>`array[${sql.join(keyOf(key, 't').map((ref) => sql`${ref}::text`))}]`.as('key'))
      .where(part.isOf(sql`${paymentIds}::uuid[]`))
      .orderBy(sql.join(keyOf(key, 't')));
    return persona ? found.where(names(table, 't', patternOf(persona))) : found;
  }).all(db);
  return rows.map(({ key }) => key);
}

/** With what belongs to them: whoever loses one of them is not found by it any more. */
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
