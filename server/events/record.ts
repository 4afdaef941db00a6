// Writing events: always in the transaction of the change they tell of, after its row lock is won.
import { v7 as uuid } from 'uuid';
import { insertRow, newRow, type Db, type NewRow } from '../database/rows.ts';
import { Event } from './entities.ts';

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
  await insertRow(db, Event, rowOf(event));
}

/** The same event, as a row for the statement of the change itself. */
export function eventRow(event: NewEvent): NewRow {
  return newRow(Event, rowOf(event));
}

function rowOf({ details = {}, ...event }: NewEvent) {
  return { id: uuid(), ...event, details };
}
