// The API views of endpoints, deliveries and attempts. They contain no access keys and no stored signing secrets.
import { z } from 'zod';
import { etagOf } from '../http/precondition.ts';
import { ATTEMPT_OUTCOMES, DELIVERY_STATUSES, type Delivery, type DeliveryAttempt, type Endpoint } from './entities.ts';

/** Builds the health fields that callback endpoints and webhooks share. */
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
    .describe('failing: the last 5 attempts failed, and one probe at a time is sent until one succeeds'),
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
  .meta({ id: 'CallbackEndpoint', description: 'The callback endpoint. The access key is never returned.' });

export function viewWebhook(webhook: Endpoint) {
  return { ...viewSettings(webhook), ...viewHealth(webhook) };
}

/** Builds the fields that people edit. Only these form the ETag, because health fields change without an edit. */
export function viewSettings({ id, url, types, description }: Endpoint) {
  return { id, url, types: types ?? null, description: description ?? null };
}

export function answerWebhook(endpoint: Endpoint) {
  return { status: 200, body: viewWebhook(endpoint), headers: { ETag: etagOf(viewSettings(endpoint)) } };
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
  .meta({ id: 'Webhook', description: 'A webhook endpoint. Its signing secret is returned once, at creation.' });

const secret = z.string().describe('`whsec_` and the base64 of 32 bytes. It is not returned again');

export const createdWebhook = z
  .object({ ...webhookFields, secret })
  .meta({ id: 'CreatedWebhook', description: 'A webhook with its signing secret.' });

export const rotatedSecret = z
  .object({ secret, overlapUntil: z.iso.datetime().describe('The old secret signs too until this time') })
  .meta({ id: 'RotatedSecret' });

/** Builds the view of a delivery in a list. @param last the newest recorded attempt */
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

/** Builds the view of one delivery with its attempts. @param attempts oldest first */
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
        'delivered · refused: 2xx without `Success: true` · status: not 2xx · timeout: no answer within 10 s · ' +
          'connection: the connection broke · unreachable: no connection was made · ' +
          'too_large: the answer is too long · blocked: the address is not public · ' +
          'interrupted: the node died during the attempt',
      ),
    status: z.int().nullable().describe('The answer’s HTTP status'),
    answer: z.string().nullable().describe('The first 2 KiB of the answer'),
    error: z.string().nullable().describe('The error below HTTP, for instance of the connection'),
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
        'Pending: the next attempt is scheduled · Delivered: your server confirmed it · ' +
          'Abandoned: 72 hours have passed, or your server answered 410 · Skipped: no endpoint was set',
      ),
    paymentId: z.uuid().nullable().describe('The payment’s `internalId`'),
    transactionId: z.uuid().nullable(),
    endpointId: z.uuid().nullable(),
    attemptsMade: z.int().describe('The number of attempts, including a running one'),
    nextAttemptAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
    deliveredAt: z.iso.datetime().nullable(),
    lastAttempt: attempt.nullable(),
  })
  .meta({ id: 'ListedDelivery' });

export const deliveryDetails = listedDelivery
  .extend({
    url: z.string().nullable().describe('The current address of the endpoint; null without an endpoint'),
    body: z.looseObject({}).nullable().describe('The JSON object that is sent'),
    attempts: z.array(attempt).describe('All attempts, oldest first'),
  })
  .meta({ id: 'Delivery' });
