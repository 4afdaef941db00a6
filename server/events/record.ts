// Writes events in the transaction of their change, after the changed row is locked.
// The trigger function in database/functions/fan_out_events.sql writes an event's deliveries, usage and notifications.
import { sql, type Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import { prepared, type Db, type EventAnnouncement, type Tables } from '../database/db.ts';

export type NewEvent = {
  merchantId: string;
  /** The payment of the event. Null if the event concerns no payment. */
  paymentId: string | null;
  type: string;
  status: string | null;
  occurredAt: Date;
  details?: Record<string, unknown>;
};

/** Inserts one event. `db` must be the transaction of the change. */
export async function recordEvent(db: Db, event: NewEvent): Promise<void> {
  const row = eventRow(event);
  announceEvent(db, row, await insertEvent.one(db, { row }));
}

/**
 * Builds the row of an event, for a statement that writes both the change and the event.
 * The caller must announce the event after the statement.
 */
export function eventRow(event: NewEvent): EventRow {
  const { merchantId, paymentId, type, status, occurredAt, details = {} } = event;
  return { id: uuid(), merchantId, paymentId, type, status, occurredAt, details };
}

export type EventRow = Required<NewEvent> & { id: string };

export const EVENT_COLUMNS = [
  'id',
  'merchantId',
  'paymentId',
  'type',
  'status',
  'occurredAt',
  'details',
  'state',
] as const satisfies (keyof Insertable<Tables['events']>)[];

/**
 * Builds the values of EVENT_COLUMNS without the state, for a `select`.
 * The values need casts: PostgreSQL infers the types of `values` from the table, but not those of a `select`.
 */
export function eventValues({ id, merchantId, paymentId, type, status, occurredAt, details }: EventRow) {
  return [
    sql<string>`${id}::uuid`.as('id'),
    sql<string>`${merchantId}::uuid`.as('merchantId'),
    sql<string | null>`${paymentId}::uuid`.as('paymentId'),
    sql<string>`${type}::text`.as('type'),
    sql<string | null>`${status}::text`.as('status'),
    sql<Date>`${occurredAt}::timestamptz`.as('occurredAt'),
    sql<Record<string, unknown>>`${details}::jsonb`.as('details'),
  ] as const;
}

/** Announces an event that a statement wrote. The last parameter is the statement's result (`targetColumns`). */
export function announceEvent(
  db: Db,
  { merchantId, paymentId, details }: Pick<EventRow, 'merchantId' | 'paymentId' | 'details'>,
  { toWebhooks, toCallback }: EventTargets,
): void {
  const isMoney = typeof details['transactionId'] === 'string';
  announceEvents(db, { merchantId, paymentId, toWebhooks, toCallback: toCallback && isMoney });
}

export type EventTargets = Pick<EventAnnouncement, 'toWebhooks' | 'toCallback'>;

/** Notifies this node's listeners about new events, after the commit or, outside of a transaction, immediately. */
export function announceEvents({ listeners, afterCommit }: Db, event: EventAnnouncement): void {
  const notify = () => {
    for (const { onEvents } of listeners) onEvents(event);
  };
  if (afterCommit) afterCommit(notify);
  else notify();
}

/** Columns that say whether the merchant has webhooks or a callback endpoint. If so, deliveries may be due now. */
export function targetColumns({ merchantId }: Pick<EventRow, 'merchantId'>) {
  const has = (kind: string) =>
    sql<boolean>`exists (
      select from endpoints where merchant_id = ${merchantId}::uuid and deleted_at is null and kind = ${kind})`;
  return [has('webhook').as('toWebhooks'), has('callback').as('toCallback')] as const;
}

/** The SQL text of this condition for one kind of endpoint. @param row the alias of a row with the merchant's id */
export function hasEndpointText(row: string, kind: 'webhook' | 'callback'): string {
  return `exists (
    select from endpoints n
    where n.merchant_id = ${row}.merchant_id and n.deleted_at is null and n.kind = '${kind}')`;
}

/** Selects the state of a payment that the statement does not change. Null if the event concerns no payment. */
export function storedState(paymentId: string | null) {
  return sql<EventState | null>`(select ${stateOf('payments')} from payments where id = ${paymentId}::uuid)`;
}

const insertEvent = prepared((tables, { row }: { row: EventRow }) =>
  tables
    .insertInto('events')
    .values({ ...row, state: storedState(row.paymentId) })
    .returning(targetColumns(row)),
);

/** The changeable columns of a payment, by their property names. Null values are absent. */
export type EventState = {
  status?: string;
  amountPaidMinor?: number;
  refundedMinor?: number;
  acceptedCount?: number;
  late?: boolean;
  lateAfter?: string | null;
  resolvedAt?: string | null;
  flags?: string[];
  failureCode?: string | null;
  authorizedMinor?: number | null;
  capturedMinor?: number | null;
  operation?: 'capturing' | 'voiding' | null;
  completedAt?: string | null;
  expiresAt?: string | null;
  canceledByKind?: 'user' | 'client' | null;
  canceledById?: string | null;
};

/** The columns of an `EventState`. */
export const STATE_COLUMNS = [
  'status',
  'amountPaidMinor',
  'refundedMinor',
  'acceptedCount',
  'late',
  'lateAfter',
  'resolvedAt',
  'flags',
  'failureCode',
  'authorizedMinor',
  'capturedMinor',
  'operation',
  'completedAt',
  'expiresAt',
  'canceledByKind',
  'canceledById',
] as const satisfies (keyof EventState)[];

/** Builds the JSON of a payment's state. @param payment the alias of the payment's row in the query */
export function stateOf(payment: string) {
  const fields = STATE_COLUMNS.flatMap((name) => [sql.lit(name), sql.ref(`${payment}.${name}`)]);
  return sql<EventState>`jsonb_strip_nulls(jsonb_build_object(${sql.join(fields)}))`;
}
