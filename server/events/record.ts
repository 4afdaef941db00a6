// Writes events in the transaction of their change, after its row lock is acquired. The trigger `fan_out`
// (database/functions/fan_out_events.sql) writes the deliveries, usage and notifications of an event.
import { sql, type Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import { prepared, type Db, type EventNews, type Tables } from '../database/db.ts';

export type NewEvent = {
  merchantId: string;
  /** Null where the event is about something else. */
  paymentId: string | null;
  type: string;
  status: string | null;
  occurredAt: Date;
  details?: Record<string, unknown>;
};

/** Appends one event; `db` must be the transaction of the change. */
export async function recordEvent(db: Db, event: NewEvent): Promise<void> {
  const row = eventRow(event);
  announceEvent(db, row, await insertEvent.one(db, { row }));
}

/** An event's row, for the statement of the change itself (`EVENT_COLUMNS`, `eventValues`); its author announces it. */
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

/** All but the state, in the order of the columns: a `select`, unlike `values`, does not learn their types from the table. */
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

/** Announces an event that a statement wrote. @param awaited the endpoints of the merchant, as the statement found them (`awaitedBy`) */
export function announceEvent(
  db: Db,
  { merchantId, paymentId, details }: Pick<EventRow, 'merchantId' | 'paymentId' | 'details'>,
  { toWebhooks, toCallback }: WhatIsAwaited,
): void {
  const isMoney = typeof details['transactionId'] === 'string';
  announceEvents(db, { merchantId, paymentId, toWebhooks, toCallback: toCallback && isMoney });
}

export type WhatIsAwaited = Pick<EventNews, 'toWebhooks' | 'toCallback'>;

/** Tells this node of new events once they are committed, which is now outside of a transaction. */
export function announceEvents({ listeners, afterCommit }: Db, news: EventNews): void {
  const tell = () => {
    for (const { hear } of listeners) hear(news);
  };
  if (afterCommit) afterCommit(tell);
  else tell();
}

/** Whether the merchant has endpoints that may want to be told: then deliveries may be due at once. */
export function awaitedBy({ merchantId }: Pick<EventRow, 'merchantId'>) {
  const has = (kind: string) =>
    sql<boolean>`exists (select from endpoints where merchant_id = ${merchantId}::uuid and deleted_at is null and kind = ${kind})`;
  return [has('webhook').as('toWebhooks'), has('callback').as('toCallback')] as const;
}

/** The same of one kind in a statement by hand; `row` is what names the merchant there. */
export function awaitedText(row: string, kind: 'webhook' | 'callback'): string {
  return `exists (select from endpoints n where n.merchant_id = ${row}.merchant_id and n.deleted_at is null and n.kind = '${kind}')`;
}

/** The state of a payment whose row this statement does not change; null where the event is about something else. */
export function storedState(paymentId: string | null) {
  return sql<EventState | null>`(select ${stateOf('payments')} from payments where id = ${paymentId}::uuid)`;
}

const insertEvent = prepared((tables, { row }: { row: EventRow }) =>
  tables
    .insertInto('events')
    .values({ ...row, state: storedState(row.paymentId) })
    .returning(awaitedBy(row)),
);

/** Columns of a payment by the names of its entity; absent where the payment was as it was created, and what is null. */
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

/** The columns that a state is made of. */
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

/** The state of a payment's row, by what the row is called in the query. */
export function stateOf(payment: string) {
  const fields = STATE_COLUMNS.flatMap((name) => [sql.lit(name), sql.ref(`${payment}.${name}`)]);
  return sql<EventState>`jsonb_strip_nulls(jsonb_build_object(${sql.join(fields)}))`;
}
