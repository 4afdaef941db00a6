// Request schemas of endpoints and deliveries, and the catalog of event types that webhooks can choose.
import { z } from 'zod';
import type { EventSubject } from '../../shared/event-subjects.ts';
import { REFERENCE_STATUSES } from '../../shared/reference.ts';
import { REFUND_STATUSES } from '../../shared/refund.ts';
import { PAYMENT_STATUSES } from '../../shared/status.ts';
import { fault } from '../http/validate.ts';
import { integer, knownValues, moment, oneOf, pageQuery, text, uuidText } from '../http/fields.ts';
import type { Fault } from '../http/problem.ts';
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus, type EndpointKind } from './entities.ts';

/** The subjects of event types, and the changes of each subject. A change of status has the status's name. */
const CATALOG: Record<EventSubject, readonly string[]> = {
  payment: [
    'created',
    ...PAYMENT_STATUSES.filter((status) => status !== 'Pending').map((status) => status.toLowerCase()),
    'attempt_failed',
    'failed_over',
    'transaction_accepted',
    'amount_mismatch',
    'overpaid',
    'resolved',
    'stuck',
  ],
  refund: [
    'created',
    ...REFUND_STATUSES.filter((status) => status !== 'Pending').map((status) => status.toLowerCase()),
    'stuck',
    'excess',
  ],
  reference: [
    'registered',
    'registration_failed',
    ...REFERENCE_STATUSES.filter((status) => status !== 'Pending').map((status) => status.toLowerCase()),
    'withdrawn',
    'withdrawal_failed',
    'unknown_paid',
  ],
  link: ['created', 'changed', 'withdrawn', 'sold_out', 'oversold'],
  terminal: ['opening', 'open', 'closing', 'closed', 'stuck'],
  callback: ['delivered', 'failed', 'abandoned', 'endpoint_failing', 'endpoint_recovered'],
  webhook: ['endpoint_failing', 'endpoint_recovered'],
  access: ['granted', 'changed', 'revoked'],
  client: ['created', 'rotated', 'revoked'],
  invoice: ['issued', 'certified', 'credited'],
  sms: ['balance_low'],
  settlement: ['difference'],
};

/** All event types, for example `payment.paid`. */
export const EVENT_TYPES: readonly string[] = Object.entries(CATALOG).flatMap(([subject, happenings]) =>
  happenings.map((happening) => `${subject}.${happening}`),
);

/** The allowed values of a webhook's `types`: an event type, or all types of a subject (`payment.*`). */
const EVENT_CHOICES: ReadonlySet<string> = new Set([
  ...EVENT_TYPES,
  ...Object.keys(CATALOG).map((subject) => `${subject}.*`),
]);

export function isEventChoice(choice: string): boolean {
  return EVENT_CHOICES.has(choice);
}

/** Checks the URL of an endpoint. Returns the reason of a refusal in one or two words, or null. */
type Guard = { check(url: string): Promise<string | null> };

const MAX_URL = 2_048;
const MAX_TYPES = 64;

const url = z
  .string()
  .max(MAX_URL)
  .describe('An https URL on the public internet, with port 443 or a port from 1024, without user and password');

/** Body of `PUT /api/merchants/{merchantId}/callback`. */
export const endpointRequest = z.object({
  url,
  accessKey: z
    .string()
    .refine((value) => /^[\x21-\x7e]{16,256}$/.test(value), fault('invalid_access_key'))
    .nullish()
    .describe('16 to 256 visible ASCII characters, sent as `Access-Key`. Absent: the current key stays'),
});

/** Body of `POST /api/webhooks` and of `PUT /api/webhooks/{webhookId}`. */
export const webhookRequest = z.object({
  url,
  types: z
    .array(
      z
        .string()
        .refine(isEventChoice, fault('unknown_event_type'))
        .meta(knownValues([...EVENT_CHOICES])),
    )
    .min(1)
    .max(MAX_TYPES)
    .transform((types) => [...new Set(types)])
    .nullish()
    .describe('The event types to send. `payment.*` means all events of payments. Absent: all events'),
  description: text(500),
});

export type WebhookRequest = z.output<typeof webhookRequest>;

/** The default time for which an old and a new secret both sign, in hours. */
export const OVERLAP_HOURS = 24;

/** Body of `POST /api/webhooks/{webhookId}/rotate-secret`. */
export const rotation = z.object({
  overlapHours: integer(0, 168).meta({
    override: { default: OVERLAP_HOURS },
    description: 'How long the old secret signs too, in hours. 0: it ends at once',
  }),
});

/** Body of `POST /api/callbacks/test`. */
export const testRequest = z.object({
  type: oneOf(['PPR', 'QR']).meta({ override: { type: 'string', enum: ['PPR', 'QR'], default: 'PPR' } }),
});

const status = (description: string) =>
  oneOf(DELIVERY_STATUSES).meta({ override: { type: 'string', enum: [...DELIVERY_STATUSES] }, description });

const filters = {
  paymentId: uuidText.optional().describe('The payment’s `internalId`'),
  from: moment.optional().describe('Created at or after this time (ISO 8601)'),
  to: moment.optional().describe('Created before this time (ISO 8601)'),
};

/** A filter of deliveries by time of creation. `from` is inclusive and `to` is exclusive. */
export type DeliveryFilter = z.output<z.ZodObject<typeof filters>> & { status?: DeliveryStatus | undefined };

/** Checks the order of the dates once both are valid, even if other fields are invalid. */
const inOrder = {
  path: ['to'],
  ...fault('date_range'),
  when: ({ value }: { value: unknown }) => {
    const { from, to } = (value ?? {}) as { from?: unknown; to?: unknown };
    return from instanceof Date && to instanceof Date;
  },
};

const isInOrder = ({ from, to }: { from?: Date | undefined; to?: Date | undefined }) => !from || !to || from <= to;

/** Query of `GET /api/callbacks` and `GET /api/webhooks/{webhookId}/deliveries`. */
export const listQuery = z
  .object({ ...pageQuery, status: status('Only deliveries with this status'), ...filters })
  .refine(isInOrder, inOrder);

const KINDS = ['callback', 'webhook'] as const satisfies readonly EndpointKind[];

/** Body of `POST /api/callbacks/replay`. */
export const replayRequest = z
  .object({
    status: status('Only deliveries with this status. Absent: Abandoned and Skipped'),
    ...filters,
    kind: oneOf(KINDS).meta({
      override: { type: 'string', enum: [...KINDS] },
      description: 'Only this kind. Absent: both',
    }),
  })
  .refine(isInOrder, inOrder);

/** Returns the fault of a refused endpoint URL. Other fields of the body may be invalid too. */
export async function findUrlFaults(guard: Guard, input: unknown): Promise<Fault[]> {
  const { url: requested } = (input ?? {}) as { url?: unknown };
  if (typeof requested !== 'string' || requested.length > MAX_URL) return [];
  const reason = await guard.check(requested);
  return reason === null ? [] : [{ pointer: '/url', code: 'url_not_allowed', params: { reason } }];
}

export const byDelivery = z.object({ deliveryId: uuidText.describe('`id` of a delivery in the list') });
export const byWebhook = z.object({ webhookId: uuidText.describe('`id` of a webhook in the list') });

/** The dependencies of the callback routes, in addition to the core. */
export type CallbackDeps = {
  guard: Guard;
  /** Returns the body that a delivery sends. Null if its event cannot be read. */
  describeBody(delivery: Delivery): Promise<object | null>;
};
