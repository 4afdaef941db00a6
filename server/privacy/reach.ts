// Where data of a payer or contact may be, by table: the columns are the register's; here is how rows are gone over, whose they are, and
// what belongs to a payment. Large tables are read by their keys, so many rows a statement, since a text can be anywhere.
import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import { isAny, prepared, query, type Db, type Tables } from '../database/db.ts';
import { PERSONAL, type Holding } from './register.ts';
import { MONEY_FIELDS, patternOf, type Subject } from './subject.ts';

/** Rows of one step. */
export const STEP = 500;

/** Whose data, at whom: of one merchant, or of all (null). */
export type Scope = { merchantId: string | null; subject: Subject };

export type Key = { column: string; type: 'uuid' | 'bigint' | 'int' | 'text' };

/** A table that is gone over from its first key to its last. */
export type Walk = {
  table: keyof Tables & string;
  key: Key[];
  /** What stands beside what is personal when somebody asks what is held of them. */
  shown?: string[];
  /** Whether a row (`w`) is this merchant's. */
  isOf(merchantId: string): RawBuilder<SqlBool>;
};

/** A table whose rows belong to payments (`p`). */
export type Part = Omit<Walk, 'isOf'> & {
  isOf(paymentIds: RawBuilder<unknown>): RawBuilder<SqlBool>;
  /** Its payment is whose number it names; else only what is found by its payment. */
  tells: boolean;
};

const uuid = (column: string): Key => ({ column, type: 'uuid' });
const seq: Key = { column: 'seq', type: 'bigint' };

const ofMerchant = (merchantId: string) => sql<SqlBool>`w.merchant_id = ${merchantId}::uuid`;
const ofNobody = () => sql<SqlBool>`false`;

/** What a rail told is a merchant's where its account is, or where it names an order, money or message of theirs. */
const ofRail = (merchantId: string) => sql<SqlBool>`(
  w.rail in (select id::text from rail_accounts where merchant_id = ${merchantId}::uuid)
  or exists (select from attempts a join payments p on p.id = a.payment_id
    where p.merchant_id = ${merchantId}::uuid and (a.id = w.attempt_id or a.id in (${idsIn})))
  or exists (select from sms_messages m where m.merchant_id = ${merchantId}::uuid and m.id in (${idsIn}))
  or exists (select from transactions t where t.merchant_id = ${merchantId}::uuid and t.rail = w.rail and t.provider_ref in
    (select found[1] from regexp_matches(w.body, '[A-Za-z0-9_-]{4,}', 'g') as found)))`;
const idsIn = sql`select found[1]::uuid from regexp_matches(w.body, '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') as found`;

const ofSettlement = (merchantId: string) =>
  sql<SqlBool>`exists (select from settlements s where s.id = w.id and s.merchant_id = ${merchantId}::uuid)`;

/** Payments with all that belongs to them, by the payment. */
export const PAYMENTS: Walk = {
  table: 'payments',
  key: [uuid('id')],
  shown: ['merchantId', 'amountMinor', 'amountPaidMinor', 'currency', 'status', 'paymentType', 'createdAt'],
  isOf: ofMerchant,
};

const ofPayment = (ids: RawBuilder<unknown>) => sql<SqlBool>`payment_id = any(${ids})`;

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
  // Not indexed by payment, and never more than its event says.
  { table: 'notifications', key: [seq], shown: ['paymentId', 'type', 'createdAt'], isOf: ofPayment, tells: false },
];

/** The others, in the order in which they are gone over. */
export const WALKS: Walk[] = [
  { table: 'sms_messages', key: [uuid('id')], shown: ['merchantId', 'status', 'listedAt', 'sentAt'], isOf: ofMerchant },
  { table: 'sms_batches', key: [uuid('id')], shown: ['merchantId', 'createdAt'], isOf: ofMerchant },
  { table: 'sms_contacts', key: [uuid('id')], shown: ['merchantId', 'createdAt'], isOf: ofMerchant },
  { table: 'sms_lists', key: [uuid('id')], shown: ['merchantId', 'createdAt'], isOf: ofMerchant },
  { table: 'sms_templates', key: [uuid('id')], shown: ['merchantId', 'createdAt'], isOf: ofMerchant },
  {
    table: 'sms_opt_outs',
    key: [uuid('merchantId'), { column: 'phone', type: 'text' }],
    shown: ['createdAt'],
    isOf: ofMerchant,
  },
  {
    table: 'sms_opt_out_codes',
    key: [{ column: 'code', type: 'text' }],
    shown: ['merchantId', 'createdAt'],
    isOf: ofMerchant,
  },
  { table: 'sms_ledger', key: [seq], shown: ['merchantId', 'createdAt'], isOf: ofMerchant },
  { table: 'mails', key: [uuid('id')], shown: ['createdAt', 'sentAt'], isOf: ofNobody },
  { table: 'reconciliations', key: [uuid('id')], isOf: ofSettlement },
];

/** What payments under way go on writing to: gone over when none of theirs is open any more. */
export const LAST_WALKS: Walk[] = [
  { table: 'inbox', key: [uuid('id')], shown: ['rail', 'receivedAt'], isOf: ofRail },
  {
    table: 'idempotency_keys',
    key: [uuid('merchantId'), { column: 'key', type: 'text' }],
    shown: ['createdAt'],
    isOf: ofMerchant,
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

/** The next rows of a table behind `after`: which of them are theirs. */
export async function readWindow(db: Db, walk: Walk, scope: Scope, after: string[] | null): Promise<Window> {
  const { table, key } = walk;
  const pattern = patternOf(scope.subject);
  const isNamed = walk === PAYMENTS ? namesPayment(pattern) : names(table, 'w', pattern);
  // In this order: whose it is costs more than whether it is named.
  const isTheirs = scope.merchantId
    ? sql<boolean>`case when ${isNamed} then ${walk.isOf(scope.merchantId)} else false end`
    : sql<boolean>`${isNamed}`;
  const bound = after && sql<SqlBool>`(${sql.join(keyOf(key, 't'))}) > (${sql.join(after)})`;
  const rows = await query((tables) =>
    anyTables(tables)
      .selectFrom((eb) => {
        const rows = eb.selectFrom(`${table} as t`).selectAll().limit(STEP);
        const ordered = key.reduce((all, { column }) => all.orderBy(`t.${column}`), rows);
        return (bound ? ordered.where(bound) : ordered).as('w');
      })
      .select([
        sql<string[]>`array[${sql.join(keyOf(key, 'w').map((ref) => sql`${ref}::text`))}]`.as('key'),
        isTheirs.as('isTheirs'),
      ])
      .orderBy(sql.join(keyOf(key, 'w'))),
  ).all(db);
  return {
    theirs: rows.filter(({ isTheirs }) => isTheirs).map(({ key }) => key),
    after: rows.length < STEP ? null : (rows.at(-1)?.key ?? null),
  };
}

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

/** Of what belongs to these payments: all of it, or what names somebody. */
export async function findParts(db: Db, part: Part, paymentIds: string[], subject?: Subject): Promise<string[][]> {
  const { table, key } = part;
  const rows = await query((tables) => {
    const found = anyTables(tables)
      .selectFrom(`${table} as t`)
      .select(sql<string[]>`array[${sql.join(keyOf(key, 't').map((ref) => sql`${ref}::text`))}]`.as('key'))
      .where(part.isOf(sql`${paymentIds}::uuid[]`))
      .orderBy(sql.join(keyOf(key, 't')));
    return subject ? found.where(names(table, 't', patternOf(subject))) : found;
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
