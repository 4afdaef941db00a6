// The table of events: one append-only row for each change, written in the transaction of the change.
import { defineEntity, p } from '@mikro-orm/core';
import type { EventState } from './record.ts';

export const EventSchema = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    /** The order of insertion. For one payment it is also the order of commits: each change locks the payment. */
    seq: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    merchantId: p.uuid(),
    paymentId: p.uuid().nullable(),
    /** The event type, for instance `payment.paid` (the catalog is in `server/webhooks/schemas.ts`). */
    type: p.text(),
    /** The status of the changed object after the change; null if it has no status. */
    status: p.text().nullable(),
    occurredAt: p.datetime(3),
    details: p.json().$type<Record<string, unknown>>(),
    /** The changeable columns of the payment right after the event. Empty: as at creation; null: unknown. */
    state: p.json().$type<EventState>().nullable(),
    /** The event's cursor in the feed. The first reader of the event writes it, so no later commit gets a lower one. */
    position: p.bigint('number').nullable(),
  },
  indexes: [
    { name: 'events_payment', properties: ['paymentId', 'seq'] },
    { name: 'events_unstamped', properties: ['merchantId', 'seq'], where: 'position is null' },
  ],
  uniques: [{ name: 'events_position', properties: ['merchantId', 'position'], where: 'position is not null' }],
});

export class Event extends EventSchema.class {}
EventSchema.setClass(Event);

/** Adds the table to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof EventSchema> {}
}
