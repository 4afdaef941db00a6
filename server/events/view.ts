// The API view of an event, which is the same in the feed, in streams and in webhooks.
import { z } from 'zod';
import { documentedAs } from '../http/fields.ts';
import type { Event } from './entities.ts';

/** Returns the payment of each event in its state right after the event. Null for an event without a payment. */
export type DescribeEvents = (events: Event[]) => Promise<(object | null)[]>;

/** Builds the view of an event. @param data the payment's details as they were right after the event */
export function viewEvent(event: Event, data: object | null) {
  const { id, type, occurredAt, paymentId, status, details } = event;
  return { id, type, occurredAt, paymentId: paymentId ?? null, status: status ?? null, details, data };
}

const DATA =
  'The payment’s details right after the event, with its newest 20 transactions. ' +
  'null: the event concerns no payment. Two parts show the current state instead: ' +
  'the payment of `callback.*` events, and the fields `referenceStatus` and `registeredAt`.';

const dataOf = (said: object) =>
  z
    .looseObject({})
    .nullable()
    .meta({ ...documentedAs(said), description: DATA });

/** The schema that `GET /api/payments/{paymentId}` declares. */
const PAYMENT = { $ref: '#/components/schemas/Payment' };

/** The schemas of an event's `data`, for events that always, sometimes or never concern a payment. */
export const EVENT_DATA = {
  always: dataOf(PAYMENT),
  sometimes: dataOf({ anyOf: [PAYMENT, { type: 'null' }] }),
  never: z.null().describe('The event concerns no payment'),
};

/** The schema of an event in the API. */
export const eventSchema = z
  .object({
    id: z.uuid().describe('The event’s id, the same in feed, stream and webhooks. Use it to detect repeats'),
    type: z.string().describe('The event type: payment.paid and others by status, reference.*, callback.*, terminal.*'),
    occurredAt: z.iso.datetime(),
    paymentId: z.uuid().nullable(),
    status: z.string().nullable().describe('The status after the event'),
    details: z.looseObject({}).describe('Further fields by type, for instance the transactionId of received money'),
    data: EVENT_DATA.sometimes,
  })
  .meta({ id: 'Event' });
