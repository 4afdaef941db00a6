// An event as feed, stream and webhooks show it (decisions §9).
import { z } from 'zod';
import type { Event } from './entities.ts';

/** The payments of events as they were right after each; null where an event has none. */
export type DescribeEvents = (events: Event[]) => Promise<(object | null)[]>;

/** @param data the payment's details as they were right after the event */
export function viewEvent(event: Event, data: object | null) {
  const { id, type, occurredAt, paymentId, status, details } = event;
  return { id, type, occurredAt, paymentId: paymentId ?? null, status: status ?? null, details, data };
}

/** The shape of an event. */
export const eventSchema = z
  .object({
    id: z.uuid().describe('The same wherever the event is told; for telling a repeat from news'),
    type: z.string().describe('payment.paid and so on per status, reference.*, callback.*, terminal.*'),
    occurredAt: z.iso.datetime(),
    paymentId: z.uuid().nullable(),
    status: z.string().nullable().describe('What the event led to'),
    details: z.looseObject({}).describe('What else is known of it, such as the transactionId of received money'),
    data: z
      .looseObject({})
      .nullable()
      .describe(
        'The payment’s details as they were right after the event, with its newest 20 transactions; null where the event is about something else. As of now are the payment of `callback.*` events, and whether a reference can be paid (`referenceStatus`, `registeredAt`).',
      ),
  })
  .meta({ id: 'Event' });
