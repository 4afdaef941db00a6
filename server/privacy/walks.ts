// Tables that may name a payer or contact, in the order in which an erasure or export reads these tables.
// The order: first the person's payments, then all rows that belong to them, then the other tables.
import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import type { Tables } from '../database/db.ts';
import type { Subject } from './subject.ts';

/** Returns untyped access to tables. The register checks the table names against the entities. */
export const untypedTables = (tables: Kysely<Tables>) =>
  tables as unknown as Kysely<Record<string, Record<string, unknown>>>;

/** A person and a merchant. `merchantId` null: the person's data at all merchants. */
export type Scope = { merchantId: string | null; subject: Subject };

export type Key = { column: string; type: 'uuid' | 'bigint' | 'int' | 'text' | 'timestamptz' };

/** A walk: a table that an erasure or export reads completely, row by row. */
export type Walk = {
  table: keyof Tables & string;
  key: Key[];
  /** `shown`: additional columns of the table in an export. */
  shown?: string[];
  /** `only`: SQL condition for the rows (`t`) that no other walk reads. */
  only?: RawBuilder<SqlBool>;
  /** Returns the SQL condition for a merchant's rows (`t`). */
  ofMerchant(merchantId: string): RawBuilder<SqlBool>;
  /** `order`: columns after the merchant in the index that finds its rows. Default: the key. */
  order?: Key[];
  /** `isOf`: for tables that merchants share, the SQL condition for a merchant's row (`w`) that names the person. */
  isOf?(merchantId: string): RawBuilder<SqlBool>;
  /** Returns the SQL condition for rows (`w`) about one of these payments, even if they do not name the person. */
  isAbout?(paymentIds: string[]): RawBuilder<SqlBool>;
};

/** A table with rows that belong to payments. */
export type Part = Pick<Walk, 'table' | 'key' | 'shown'> & {
  isOf(paymentIds: RawBuilder<unknown>): RawBuilder<SqlBool>;
  /** `decidesOwner`: true if one row that names the person shows that the whole payment is about that person. */
  decidesOwner: boolean;
};

const uuid = (column: string): Key => ({ column, type: 'uuid' });
const seq: Key = { column: 'seq', type: 'bigint' };
const BY_CREATION: Key[] = [{ column: 'createdAt', type: 'timestamptz' }, uuid('id')];

const ofMerchant = (merchantId: string) => sql<SqlBool>`t.merchant_id = ${merchantId}::uuid`;

const ownRails = (merchantId: string) =>
  sql`select id::text from rail_accounts where merchant_id = ${merchantId}::uuid`;

/** SQL condition for rail notifications of the merchant's own rail accounts and of shared ones. */
const ofRails = (merchantId: string) =>
  sql<SqlBool>`t.rail = any(array(${ownRails(merchantId)}
    union all select id::text from rail_accounts where merchant_id is null
    union all select unnest('{gpo,ppr,sms}'::text[])))`;

/** SQL condition for a merchant's rail notifications: by their account, or by the order, transaction or SMS in them. */
const ofRail = (merchantId: string) => sql<SqlBool>`(
  w.rail in (${ownRails(merchantId)})
  or exists (select from attempts a join payments p on p.id = a.payment_id
    where p.merchant_id = ${merchantId}::uuid and (a.id = w.attempt_id or a.id in (${idsIn})))
  or exists (select from sms_messages m where m.merchant_id = ${merchantId}::uuid and m.id in (${idsIn}))
  or exists (select from transactions t
    where t.merchant_id = ${merchantId}::uuid and t.rail = w.rail and t.provider_ref in (
      select found[1] from regexp_matches(w.body, '[A-Za-z0-9_-]{4,}', 'g') as found)))`;
const idsIn = sql`select found[1]::uuid
  from regexp_matches(w.body, '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') as found`;

const ofSettlement = (merchantId: string) =>
  sql<SqlBool>`t.id in (select s.id from settlements s where s.merchant_id = ${merchantId}::uuid)`;

/** SQL condition: a stored answer is about a payment if it has the payment's id. */
const answersFor = (paymentIds: string[]) =>
  sql<SqlBool>`(w.payment_id = any(${paymentIds}::uuid[])
    or exists (select from (${idsIn}) as i(id) where i.id = any(${paymentIds}::uuid[])))`;

export const PAYMENTS: Walk = {
  table: 'payments',
  key: [uuid('id')],
  shown: ['merchantId', 'amountMinor', 'amountPaidMinor', 'currency', 'status', 'paymentType', 'createdAt'],
  ofMerchant,
  order: BY_CREATION,
};

const ofPayment = (ids: RawBuilder<unknown>) => sql<SqlBool>`payment_id = any(${ids})`;

/** SQL condition for rail notifications about these payments. Each names an attempt or a transaction. */
const notificationsOf = (ids: RawBuilder<unknown>) => sql<SqlBool>`(about is not null
  and about = any(array(select a.id::text from attempts a where a.payment_id = any(${ids})
    union all select x.provider_ref from transactions x where x.payment_id = any(${ids})))
  and rail = any(array(select a.rail from attempts a where a.payment_id = any(${ids})
    union all select x.rail from transactions x where x.payment_id = any(${ids}))))`;

export const PARTS: Part[] = [
  { table: 'attempts', key: [uuid('id')], shown: ['paymentId', 'createdAt'], isOf: ofPayment, decidesOwner: true },
  {
    table: 'transactions',
    key: [uuid('id')],
    shown: ['paymentId', 'amountMinor', 'currency', 'occurredAt'],
    isOf: ofPayment,
    decidesOwner: true,
  },
  {
    table: 'payment_references',
    key: [uuid('id')],
    shown: ['paymentId', 'createdAt'],
    isOf: ofPayment,
    decidesOwner: true,
  },
  { table: 'link_payments', key: [uuid('paymentId')], shown: ['createdAt'], isOf: ofPayment, decidesOwner: true },
  { table: 'refunds', key: [uuid('id')], shown: ['paymentId', 'createdAt'], isOf: ofPayment, decidesOwner: true },
  { table: 'events', key: [seq], shown: ['paymentId', 'type', 'occurredAt'], isOf: ofPayment, decidesOwner: true },
  {
    table: 'delivery_attempts',
    key: [uuid('deliveryId'), { column: 'number', type: 'int' }],
    shown: ['startedAt'],
    isOf: (ids) => sql<SqlBool>`delivery_id in (select id from deliveries where payment_id = any(${ids}))`,
    decidesOwner: true,
  },
  { table: 'inbox', key: [uuid('id')], shown: ['rail', 'receivedAt'], isOf: notificationsOf, decidesOwner: true },
  // A merchant's notification has only data that its event has too.
  {
    table: 'notifications',
    key: [seq],
    shown: ['paymentId', 'type', 'createdAt'],
    isOf: ofPayment,
    decidesOwner: false,
  },
];

/** The walks over the other tables, in reading order. */
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
  { table: 'mails', key: [uuid('id')], shown: ['createdAt', 'sentAt'], ofMerchant },
  { table: 'reconciliations', key: [uuid('id')], ofMerchant: ofSettlement },
  { table: 'settlement_credits', key: [uuid('id')], shown: ['settlementId', 'createdAt'], ofMerchant },
  { table: 'settlement_explanations', key: [uuid('id')], shown: ['createdAt'], ofMerchant },
  {
    table: 'request_errors',
    key: [uuid('id')],
    shown: ['merchantId', 'occurredAt'],
    ofMerchant,
    order: [{ column: 'occurredAt', type: 'timestamptz' }, uuid('id')],
  },
  {
    table: 'shifts',
    key: [uuid('id')],
    shown: ['merchantId', 'openedAt'],
    ofMerchant,
    order: [{ column: 'openedAt', type: 'timestamptz' }, uuid('id')],
  },
  {
    table: 'cash_entries',
    key: [uuid('id')],
    shown: ['merchantId', 'shiftId', 'createdAt'],
    ofMerchant,
    order: BY_CREATION,
  },
];

const NOT_APPLIED = sql<SqlBool>`t.about is null and t.is_proven`;

/** Tables to which open payments still write. They are read after all payments of the person are closed. */
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
