// The table of events: one append-only row for each change, written in the transaction of the change.
import { defineEntity, p } from '@mikro-orm/core';
import type { EventState } from './record.ts';

export const EventSchema = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    /**
     * The order of insertion.
     * For one payment it is also the order of commits, because each change locks the payment.
     */
    seq: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    merchantId: p.uuid(),
    paymentId: p.uuid().nullable(),
    /** The event type, for example `payment.paid`. The catalog is in `server/webhooks/schemas.ts`. */
    type: p.text(),
    /** The status of the changed object after the change. Null if the object has no status. */
    status: p.text().nullable(),
    occurredAt: p.datetime(3),
    details: p.json().$type<Record<string, unknown>>(),
    /** The changeable columns of the payment right after the event. Empty: as at creation. Null: unknown. */
    state: p.json().$type<EventState>().nullable(),
    /**
     * The event's position in the feed, which readers use as cursor.
     * The first reader writes it, so later commits follow.
     */
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

/** Adds the table of events to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof EventSchema> {}
}
