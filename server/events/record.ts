// Writing events: always in the transaction of the change they tell of, after its row lock is won.
import { v7 as uuid } from 'uuid';
import { insertChanged, type Db, type NewRow } from '../database/rows.ts';
import { Event } from './entities.ts';
import { isNotice } from './notices.ts';
import { announce, leaseUntil, madeOf, outboxOf, type Leaves, type Made } from './outbox.ts';
import { stateOf } from './state.ts';

export type NewEvent = {
  merchantId: string;
  /** Null where the event is about something else. */
  paymentId: string | null;
  type: string;
  status: string | null;
  occurredAt: Date;
  details?: Record<string, unknown>;
};

/** Appends one event, with its deliveries; `db` must be the transaction of the change. */
export async function recordEvent(db: Db, event: NewEvent): Promise<void> {
  const { money, notice } = leavesOf(event);
  const { row, tell } = eventRow(event);
  const { parts, values } = row(db.orm, 1, 'event');
  const { rows } = await db.pool.query<Made>({
    name: `record_event_${Number(money)}${Number(notice)}`,
    text: `with changed as (select), ${parts.join(', ')} select ${tell}`,
    values,
  });
  announce(db, { merchantId: event.merchantId, ...(rows[0] as Made) });
}

/**
 * The same event, as rows for the statement of the change itself, and what that statement tells (`Made`).
 * @param changes `payment` where it changes the payment's row
 */
export function eventRow(event: NewEvent, changes: 'payment' | 'other' = 'other'): { row: NewRow; tell: string } {
  const { merchantId, paymentId, type, status, occurredAt, details = {} } = event;
  // Always in this order: the statement's text is the same whoever wrote the event down.
  const row = { id: uuid(), merchantId, paymentId, type, status, occurredAt, details };
  const computed = { state: changes === 'payment' ? () => stateOf('changed') : storedState };
  const leaves = leavesOf(event);
  const written: NewRow = (orm, first) => {
    const { text, values } = insertChanged(orm, first, Event, row, computed);
    const lease = `$${first + values.length}::timestamptz`;
    const parts = [`event as (${text} returning *)`, ...outboxOf('event', lease, leaves)];
    // Only callbacks are leased: elsewhere nobody would know the value's type.
    return { parts, values: leaves.money ? [...values, leaseUntil(orm, merchantId)] : values };
  };
  return { row: written, tell: madeOf(leaves) };
}

function leavesOf(event: NewEvent): Leaves {
  return { money: event.details?.['transactionId'] != null, notice: isNotice(event) };
}

function storedState(place: (property: string) => string): string {
  return `(select ${stateOf('p')} from payments p where p.id = ${place('paymentId')})`;
}
