// Endpoints, deliveries and attempts as the API shows them; access keys and signing secrets never are.
import { z } from 'zod';
import { etagOf } from '../http/precondition.ts';
import { ATTEMPT_OUTCOMES, DELIVERY_STATUSES, type Delivery, type DeliveryAttempt, type Endpoint } from './entities.ts';

/** How it goes with an endpoint: callbacks' and webhooks' alike. */
function viewHealth({ probeAt, failingSince, failures, createdAt, updatedAt }: Endpoint) {
  return {
    status: probeAt ? 'failing' : 'active',
    failingSince: failingSince ?? null,
    failures,
    createdAt,
    updatedAt,
  };
}

const health = {
  status: z
    .enum(['active', 'failing'])
    .describe('failing: its last 5 attempts failed, and one at a time tries it until one succeeds'),
  failingSince: z.iso.datetime().nullable().describe('When the first of the failed attempts in a row ended'),
  failures: z.int().describe('Failed attempts in a row'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};

export function viewEndpoint(endpoint: Endpoint) {
  return { url: endpoint.url, hasAccessKey: !!endpoint.accessKey, ...viewHealth(endpoint) };
}

export const callbackEndpoint = z
  .object({ url: z.string(), hasAccessKey: z.boolean(), ...health })
  .meta({ id: 'CallbackEndpoint', description: 'Where callbacks are sent. The access key is never told.' });

export function viewWebhook(webhook: Endpoint) {
  return { ...viewEdited(webhook), ...viewHealth(webhook) };
}

/** What people edit of it: how it goes changes by itself. */
export function viewEdited({ id, url, types, description }: Endpoint) {
  return { id, url, types: types ?? null, description: description ?? null };
}

export function answerWebhook(endpoint: Endpoint) {
  return { status: 200, body: viewWebhook(endpoint), headers: { ETag: etagOf(viewEdited(endpoint)) } };
}

const webhookFields = {
  id: z.uuid(),
  url: z.string(),
  types: z.array(z.string()).nullable().describe('null: all events'),
  description: z.string().nullable(),
  ...health,
};

export const webhook = z
  .object(webhookFields)
  .meta({ id: 'Webhook', description: 'Where events are sent. Its signing secret is told once, at creation.' });

const secret = z.string().describe('`whsec_` and the base64 of 32 bytes. It is not told again');

export const createdWebhook = z
  .object({ ...webhookFields, secret })
  .meta({ id: 'CreatedWebhook', description: 'A webhook with its signing secret.' });

export const rotatedSecret = z
  .object({ secret, overlapUntil: z.iso.datetime().describe('Until then the old secret signs too') })
  .meta({ id: 'RotatedSecret' });

/** A delivery in a list. @param last its newest recorded attempt */
export function viewDelivery(delivery: Delivery, last: DeliveryAttempt | null) {
  return {
    id: delivery.id,
    kind: delivery.kind,
    type: delivery.type,
    status: delivery.status,
    paymentId: delivery.paymentId ?? null,
    transactionId: delivery.transactionId ?? null,
    endpointId: delivery.endpointId ?? null,
    attemptsMade: delivery.attempts,
    nextAttemptAt: laterOf(delivery.dueAt, delivery.createdAt),
    createdAt: delivery.createdAt,
    deliveredAt: delivery.deliveredAt ?? null,
    lastAttempt: last && viewAttempt(last),
  };
}

function laterOf(dueAt: Date | null | undefined, createdAt: Date): Date | null {
  return dueAt && dueAt < createdAt ? createdAt : (dueAt ?? null);
}

/** A delivery by itself. @param attempts the oldest first */
export function viewDetails(
  delivery: Delivery,
  { attempts, url, body }: { attempts: DeliveryAttempt[]; url: string | null; body: object | null },
) {
  return { ...viewDelivery(delivery, attempts.at(-1) ?? null), url, body, attempts: attempts.map(viewAttempt) };
}

function viewAttempt({ number, startedAt, durationMs, outcome, status, answer, error }: DeliveryAttempt) {
  return {
    number,
    startedAt,
    durationMs: durationMs ?? null,
    outcome,
    status: status ?? null,
    answer: answer ?? null,
    error: error ?? null,
  };
}

const attempt = z
  .object({
    number: z.int().describe('`Balcao-Attempt`, from 1'),
    startedAt: z.iso.datetime(),
    durationMs: z.int().nullable(),
    outcome: z
      .enum(ATTEMPT_OUTCOMES)
      .describe(
        'delivered · refused: 2xx without `Success` true · status: not 2xx · timeout: no answer in 10 s · connection: it broke · unreachable: none was made · too_large · blocked: the address is not public · interrupted: nobody saw the end',
      ),
    status: z.int().nullable().describe('The answer’s HTTP status'),
    answer: z.string().nullable().describe('The first 2 KiB of the answer'),
    error: z.string().nullable().describe('What went wrong below HTTP'),
  })
  .meta({ id: 'DeliveryAttempt' });

export const listedDelivery = z
  .object({
    id: z.uuid().describe('`Balcao-Delivery`: the same at every attempt'),
    kind: z.enum(['callback', 'webhook', 'test']),
    type: z.string().describe('callback.ppr, callback.qrcode, webhook.test, or the event’s type'),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe(
        'Pending: it will be tried (again) · Delivered: confirmed · Abandoned: given up · Skipped: there was no endpoint',
      ),
    paymentId: z.uuid().nullable().describe('The payment’s `internalId`'),
    transactionId: z.uuid().nullable(),
    endpointId: z.uuid().nullable(),
    attemptsMade: z.int().describe('With the one under way'),
    nextAttemptAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
    deliveredAt: z.iso.datetime().nullable(),
    lastAttempt: attempt.nullable(),
  })
  .meta({ id: 'ListedDelivery' });

export const deliveryDetails = listedDelivery
  .extend({
    url: z.string().nullable().describe('Where it is sent; null: nowhere'),
    body: z.looseObject({}).nullable().describe('The JSON object that is sent'),
    attempts: z.array(attempt).describe('The oldest first'),
  })
  .meta({ id: 'Delivery' });
