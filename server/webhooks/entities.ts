// The tables of callbacks and webhooks: endpoints, deliveries to an endpoint, and the attempts of each delivery.
import { defineEntity, p } from '@mikro-orm/core';

/**
 * `callback`: reports money paid by reference or QR code. A merchant has at most one endpoint of this kind.
 * `webhook`: receives the events that the merchant chose. A merchant has up to 16 endpoints of this kind.
 */
export type EndpointKind = 'callback' | 'webhook';

export const EndpointSchema = defineEntity({
  name: 'Endpoint',
  tableName: 'endpoints',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    kind: p.text().$type<EndpointKind>(),
    url: p.text(),
    /** Callback endpoints only: the encrypted key that the gateway sends as `Access-Key`. */
    accessKey: p.text().nullable(),
    /** Webhooks only: encrypted JSON of the signing secrets, newest first. A rotated secret signs until its `until`. */
    secrets: p.text().nullable(),
    /** Webhooks only: the chosen event types, for example `payment.*`. Null means all types. */
    types: p.array().$type<string[]>().nullable(),
    description: p.text().nullable(),
    /** The number of consecutive failed attempts at the endpoint. */
    failures: p.integer().default(0),
    /** The time at which the first of the consecutive failed attempts ended. */
    failingSince: p.datetime(3).nullable(),
    /** The time of the next probe while the endpoint's circuit is open. No other attempt is made until then. */
    probeAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** The time at which the endpoint was removed. Its row stays, because deliveries refer to it. */
    deletedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'endpoints_merchant', properties: ['merchantId'], where: 'deleted_at is null' },
    { name: 'endpoints_failing', properties: ['failingSince'], where: 'probe_at is not null and deleted_at is null' },
  ],
  uniques: [
    {
      name: 'endpoints_callback',
      properties: ['merchantId'],
      where: "kind = 'callback' and deleted_at is null",
    },
  ],
});

export class Endpoint extends EndpointSchema.class {}
EndpointSchema.setClass(Endpoint);

export const DELIVERY_STATUSES = ['Pending', 'Delivered', 'Abandoned', 'Skipped'] as const;

/**
 * - `Pending`: the next attempt is scheduled.
 * - `Delivered`: the merchant confirmed the delivery.
 * - `Abandoned`: 72 hours have passed, or the merchant returned 410.
 * - `Skipped`: the merchant had no endpoint, or it was removed. A replay can send the delivery.
 */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type DeliveryKind = EndpointKind | 'test';

/** The `webhookId` of callbacks and callback tests. It is not null, because PostgreSQL does not sort by `is null`. */
export const NO_WEBHOOK = '00000000-0000-0000-0000-000000000000';

/** The SQL of `webhookId`: the webhook whose list shows a delivery. The text equals PostgreSQL's stored form. */
const SHOWN_BY =
  "CASE WHEN ((kind = 'callback'::text) OR ((kind = 'test'::text) AND (type ~~ 'callback.%'::text))) " +
  `THEN '${NO_WEBHOOK}'::uuid ELSE endpoint_id END`;

export const DeliverySchema = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  properties: {
    /**
     * The order of insertion. For one payment it is the order of its changes, because each change locks the payment.
     */
    seq: p.bigint('number').primary().autoincrement(),
    /** The delivery's id, sent as `Balcao-Delivery` with every attempt. */
    id: p.uuid(),
    merchantId: p.uuid(),
    /** The endpoint of the delivery. Null if the merchant had no endpoint. */
    endpointId: p.uuid().nullable(),
    kind: p.text().$type<DeliveryKind>(),
    /** The type of the delivery: `callback.ppr`, `callback.qrcode`, or the type of the event. */
    type: p.text(),
    paymentId: p.uuid().nullable(),
    /** Callbacks only: the reported transaction. Several events of one transaction create only one callback. */
    transactionId: p.uuid().nullable(),
    /** Webhooks only: the reported event. */
    eventSeq: p.bigint('number').nullable(),
    status: p.text().$type<DeliveryStatus>(),
    /** The number of claims, which is the number of the newest attempt. Only that attempt's failure counts. */
    attempts: p.integer().default(0),
    /** The number of finished attempts in this run of the retry schedule. A replay starts a new run. */
    tries: p.integer().default(0),
    /** The time at which the first attempt of this run began. The run ends 72 hours later. */
    triesSince: p.datetime(3).nullable(),
    /** The time at which the very first attempt ended. Later deliveries of the same payment wait for it. */
    firstTriedAt: p.datetime(3).nullable(),
    /**
     * The end of the running attempt's lease. After it, another node takes over.
     * Without an index, claims stay cheap.
     */
    leasedUntil: p.datetime(3).nullable(),
    /** The time at which the running attempt began. */
    claimedAt: p.datetime(3).nullable(),
    /** The time of the next attempt. Null if no further attempt follows. */
    dueAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    deliveredAt: p.datetime(3).nullable(),
    /** The webhook whose list shows the delivery, or NO_WEBHOOK. */
    webhookId: p.uuid().nullable().generated(`(${SHOWN_BY}) stored`),
  },
  indexes: [
    { name: 'deliveries_list', properties: ['merchantId', 'webhookId', 'status', 'createdAt', 'seq'] },
    { name: 'deliveries_payment', properties: ['paymentId', 'seq'] },
    { name: 'deliveries_due', properties: ['endpointId', 'dueAt', 'seq'], where: 'due_at is not null' },
    {
      name: 'deliveries_untried',
      properties: ['endpointId', 'paymentId', 'seq'],
      where: 'first_tried_at is null and due_at is not null',
    },
  ],
  uniques: [{ name: 'deliveries_id', properties: ['id'] }],
});

export class Delivery extends DeliverySchema.class {}
DeliverySchema.setClass(Delivery);

/**
 * The outcome of a delivery attempt:
 * - `delivered`: the response had status 2xx and, for a callback, `Success: true`.
 * - `refused`: the response had status 2xx without `Success: true`.
 * - `status`: the response had any other status.
 * - `timeout`, `connection`, `unreachable`, `too_large`, `blocked`: no usable response (`outgoing.ts`).
 * - `interrupted`: the node died before the attempt ended.
 */
export const ATTEMPT_OUTCOMES = [
  'delivered',
  'refused',
  'status',
  'timeout',
  'connection',
  'unreachable',
  'too_large',
  'blocked',
  'interrupted',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export const DeliveryAttemptSchema = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempts',
  properties: {
    deliveryId: p.uuid().primary(),
    /** The attempt's number from 1, sent as `Balcao-Attempt`. */
    number: p.integer().primary(),
    startedAt: p.datetime(3),
    /** The duration of the attempt in milliseconds. Null for an interrupted attempt. */
    durationMs: p.integer().nullable(),
    outcome: p.text().$type<AttemptOutcome>(),
    /** The HTTP status of the response. Null without a response. */
    status: p.smallint().nullable(),
    /** The first 2 KiB of the response body. */
    answer: p.text().nullable(),
    /** The error below HTTP, for example `connection (ECONNRESET)`. Null if a response arrived. */
    error: p.text().nullable(),
  },
});

export class DeliveryAttempt extends DeliveryAttemptSchema.class {}
DeliveryAttemptSchema.setClass(DeliveryAttempt);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof EndpointSchema | typeof DeliverySchema | typeof DeliveryAttemptSchema> {}
}
