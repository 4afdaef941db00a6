// Writing events: always in the transaction of the change they tell of, after its row lock is won.
import { v7 as uuid } from 'uuid';
import { insertRow, type Db } from '../database/rows.ts';
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
export async function recordEvent(db: Db, { details = {}, ...event }: NewEvent): Promise<void> {
  await insertRow(db, Event, { id: uuid(), ...event, details });
}
