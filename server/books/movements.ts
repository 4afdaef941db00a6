// Movements of money: transactions and refunds in one list by time. Each page reads both tables from their own indexes.
import type { Kysely } from 'kysely';
import { RECEIVED_TYPES, REFUNDED_TYPES, type MovementType } from '../../shared/books.ts';
import type { PaymentMethod } from '../../shared/methods.ts';
import type { RefundMethod } from '../../shared/refund.ts';
import { query, type Db, type Tables } from '../database/db.ts';
import { documentOf } from '../events/payer.ts';
import type { Cursor } from '../http/cursor.ts';

/** Returns the type of a movement: by the method of its refund or of its payment. */
export function typeOf({ refundMethod, paymentMethod }: Movement): MovementType {
  if (refundMethod) return refundMethod === 'manual' ? 'manual' : 'refund';
  return RECEIVED_TYPES.find((type) => METHODS[type].includes(paymentMethod)) ?? 'payment';
}

type ReceivedType = (typeof RECEIVED_TYPES)[number];
type ReturnedType = (typeof REFUNDED_TYPES)[number];

/** The payment methods whose money has a given movement type. */
const METHODS: Record<ReceivedType, PaymentMethod[]> = {
  payment: ['webframe', 'onetimepurchase', 'authorization'],
  capture: ['capture'],
  scan: ['qrcode'],
  reference: ['reference'],
};

const REFUND_METHODS: Record<ReturnedType, RefundMethod> = { refund: 'rail', manual: 'manual' };

/** A filter of movements. `from` is inclusive, `to` is exclusive. */
export type MovementFilter = {
  merchantId: string;
  from?: Date | undefined;
  to?: Date | undefined;
  period?: string | undefined;
  rail?: string | undefined;
  currency?: string | undefined;
  type?: MovementType | undefined;
  /** The reference of the movement's payment. */
  reference?: string | undefined;
};

/** A row in the list of movements. Only refunds have a `refundMethod`. */
export type Movement = Awaited<ReturnType<typeof listMovements>>[number];

/** Builds the cursor of a movement. */
export const positionOf = ({ occurredAt, id }: Movement): Cursor => ({ at: occurredAt, id });

export type MovementPage = { after?: Cursor | undefined; limit: number };

/** Lists movements, newest first. Returns one row more than `limit` if a next page exists. */
export function listMovements(db: Db, filter: MovementFilter, page: MovementPage) {
  return query((tables) => selectMovements(tables, filter, page)).all(db);
}

/** Builds the query of movements. Each table has its own limit, so PostgreSQL reads only the rows of the page. */
export function selectMovements(tables: Kysely<Tables>, filter: MovementFilter, { after, limit }: MovementPage) {
  const most = limit + 1;
  const received = tables.selectFrom(selectReceived(tables, filter, after).limit(most).as('movement')).selectAll();
  const returned = tables.selectFrom(selectReturned(tables, filter, after).limit(most).as('movement')).selectAll();
  const { type } = filter;
  const rows = type === undefined ? received.unionAll(returned) : isReturned(type) ? returned : received;
  return rows.orderBy('occurredAt', 'desc').orderBy('id', 'desc').limit(most);
}

const isReturned = (type: MovementType): type is ReturnedType => (REFUNDED_TYPES as readonly string[]).includes(type);

function selectReceived(tables: Kysely<Tables>, filter: MovementFilter, after: Cursor | undefined) {
  const { merchantId, from, to, period, rail, currency, type, reference } = filter;
  let rows = tables
    .selectFrom('transactions as t')
    .innerJoin('payments as p', 'p.id', 't.paymentId')
    .where('t.merchantId', '=', merchantId);
  if (from) rows = rows.where('t.occurredAt', '>=', from);
  if (to) rows = rows.where('t.occurredAt', '<', to);
  if (period !== undefined) rows = rows.where('t.period', '=', period);
  if (rail !== undefined) rows = rows.where('t.rail', '=', rail);
  if (currency !== undefined) rows = rows.where('t.currency', '=', currency);
  if (reference !== undefined) rows = rows.where('p.reference', '=', reference);
  if (type !== undefined && !isReturned(type)) rows = rows.where('p.paymentMethod', 'in', METHODS[type]);
  if (after) rows = rows.where((eb) => eb(eb.refTuple('t.occurredAt', 't.id'), '<', eb.tuple(after.at, after.id)));
  return rows
    .select(['t.id', 't.paymentId', 'p.reference', 'p.paymentMethod', 't.rail', 't.currency', 't.late'])
    .select((eb) => [
      eb.val(null).$castTo<RefundMethod | null>().as('refundMethod'),
      eb.cast<string | null>('t.providerRef', 'text').as('providerRef'),
      eb.ref('t.details', '->>').key('transactionNumber').$castTo<string | null>().as('transactionNumber'),
      documentOf('p').as('documentNumber'),
      't.amountMinor',
      't.feeMinor',
      't.refundedMinor',
      't.occurredAt',
      't.createdAt as recordedAt',
      't.period',
    ])
    .orderBy('t.occurredAt', 'desc')
    .orderBy('t.id', 'desc');
}

function selectReturned(tables: Kysely<Tables>, filter: MovementFilter, after: Cursor | undefined) {
  const { merchantId, from, to, period, rail, currency, type, reference } = filter;
  let rows = tables
    .selectFrom('refunds as r')
    .innerJoin('payments as p', 'p.id', 'r.paymentId')
    .innerJoin('transactions as t', 't.id', 'r.transactionId')
    .where('r.merchantId', '=', merchantId)
    .where('r.status', '=', 'Succeeded');
  if (from) rows = rows.where('r.completedAt', '>=', from);
  if (to) rows = rows.where('r.completedAt', '<', to);
  if (period !== undefined) rows = rows.where('r.period', '=', period);
  if (rail !== undefined) rows = rows.where('t.rail', '=', rail);
  if (currency !== undefined) rows = rows.where('r.currency', '=', currency);
  if (reference !== undefined) rows = rows.where('p.reference', '=', reference);
  if (type !== undefined && isReturned(type)) rows = rows.where('r.method', '=', REFUND_METHODS[type]);
  if (after) rows = rows.where((eb) => eb(eb.refTuple('r.completedAt', 'r.id'), '<', eb.tuple(after.at, after.id)));
  return rows
    .select(['r.id', 'r.paymentId', 'p.reference', 'p.paymentMethod', 't.rail', 'r.currency', 'r.late'])
    .select((eb) => [
      'r.method as refundMethod',
      'r.providerRef',
      eb.ref('r.details', '->>').key('transactionNumber').$castTo<string | null>().as('transactionNumber'),
      documentOf('p').as('documentNumber'),
      'r.amountMinor',
      eb.cast<number | null>(eb.val(null), 'bigint').as('feeMinor'),
      eb.cast<number>(eb.val(0), 'bigint').as('refundedMinor'),
      eb.ref('r.completedAt').$notNull().as('occurredAt'),
      eb.ref('r.completedAt').$notNull().as('recordedAt'),
      eb.ref('r.period').$notNull().as('period'),
    ])
    .orderBy('r.completedAt', 'desc')
    .orderBy('r.id', 'desc');
}
