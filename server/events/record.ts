// Writes events in the transaction of their change, after its row lock is acquired. The trigger `fan_out`
// (database/functions/fan_out_events.sql) writes the deliveries, usage and notifications of an event.
import { sql, type Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import { prepared, type Db, type EventNews, type Tables } from '../database/db.ts';

export type NewEvent = {
  merchantId: string;
  /** Null if the event concerns no payment. */
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
 * Returns the row of an event, for a statement that writes the change and the event (`EVENT_COLUMNS`, `eventValues`).
 * The caller must announce the event.
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
 * The values of EVENT_COLUMNS without the state, for a `select`.
 * They need casts, because PostgreSQL infers the types of `values` from the table but not those of a `select`.
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

/** Announces an event that a statement wrote. The statement returns the last parameter (`targetColumns`). */
export function announceEvent(
  db: Db,
  { merchantId, paymentId, details }: Pick<EventRow, 'merchantId' | 'paymentId' | 'details'>,
  { toWebhooks, toCallback }: EventTargets,
): void {
  const isMoney = typeof details['transactionId'] === 'string';
  announceEvents(db, { merchantId, paymentId, toWebhooks, toCallback: toCallback && isMoney });
}

export type EventTargets = Pick<EventNews, 'toWebhooks' | 'toCallback'>;

/** Notifies the listeners of this node about new events, after the commit or, outside of a transaction, at once. */
export function announceEvents({ listeners, afterCommit }: Db, event: EventNews): void {
  const notify = () => {
    for (const { hear } of listeners) hear(event);
  };
  if (afterCommit) afterCommit(notify);
  else notify();
}

/** Columns that say whether the merchant has webhooks or a callback endpoint: then deliveries may be due now. */
export function targetColumns({ merchantId }: Pick<EventRow, 'merchantId'>) {
  const has = (kind: string) =>
    sql<boolean>`exists (
      select from endpoints where merchant_id = ${merchantId}::uuid and deleted_at is null and kind = ${kind})`;
  return [has('webhook').as('toWebhooks'), has('callback').as('toCallback')] as const;
}

/** The same condition for one kind, for hand-written SQL. @param row the alias of a row with the merchant's id */
export function hasEndpointText(row: string, kind: 'webhook' | 'callback'): string {
  return `exists (
    select from endpoints n
    where n.merchant_id = ${row}.merchant_id and n.deleted_at is null and n.kind = '${kind}')`;
}

/** Selects the state of a payment whose row the statement does not change; null if the event concerns no payment. */
export function storedState(paymentId: string | null) {
  return sql<EventState | null>`(select ${stateOf('payments')} from payments where id = ${paymentId}::uuid)`;
}

const insertEvent = prepared((tables, { row }: { row: EventRow }) =>
  tables
    .insertInto('events')
    .values({ ...row, state: storedState(row.paymentId) })
    .returning(targetColumns(row)),
);

/** The changeable columns of a payment, by their names in the entity. Null values are absent. */
export type EventState = {
  status?: string;
  amountPaidMinor?: number;
  refundedMinor?: number;
  acceptedCount?: number;
  late?: boolean;
  flags?: string[];
  failureCode?: string | null;
  authorizedMinor?: number | null;
  capturedMinor?: number | null;
  operation?: 'capturing' | 'voiding' | null;
  completedAt?: string | null;
  expiresAt?: string | null;
};

/** The columns of an `EventState`. */
export const STATE_COLUMNS = [
  'status',
  'amountPaidMinor',
  'refundedMinor',
  'acceptedCount',
  'late',
  'flags',
  'failureCode',
  'authorizedMinor',
  'capturedMinor',
  'operation',
  'completedAt',
  'expiresAt',
] as const satisfies (keyof EventState)[];

/** Builds the state of a payment's row as JSON. @param payment the alias of the row in the query */
export function stateOf(payment: string) {
  const fields = STATE_COLUMNS.flatMap((name) => [sql.lit(name), sql.ref(`${payment}.${name}`)]);
  return sql<EventState>`jsonb_strip_nulls(jsonb_build_object(${sql.join(fields)}))`;
}
