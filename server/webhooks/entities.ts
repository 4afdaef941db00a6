// Where a merchant is called (endpoints), what it is told (deliveries), and each call that was made for it (attempts).
import { defineEntity, p } from '@mikro-orm/core';

/** `callback`: the two of decisions §13, one endpoint a merchant. `webhook`: events of its choice, several (decisions §9). */
export type EndpointKind = 'callback' | 'webhook';

export const EndpointSchema = defineEntity({
  name: 'Endpoint',
  tableName: 'endpoints',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    kind: p.text().$type<EndpointKind>(),
    url: p.text(),
    /** Of a callback endpoint: sent as `Access-Key`; sealed. */
    accessKey: p.text().nullable(),
    /** Of a webhook: sealed JSON of its signing secrets, the newest first; a rotated one signs along until its time. */
    secrets: p.text().nullable(),
    /** Of a webhook: event types, or `payment.*`; null: all. */
    types: p.array().$type<string[]>().nullable(),
    description: p.text().nullable(),
    /** Failed attempts in a row. */
    failures: p.integer().default(0),
    /** When the first of them ended. */
    failingSince: p.datetime(3).nullable(),
    /** While its circuit is open: when one attempt tries it again; nothing else goes out. */
    probeAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** Nothing goes there any more; what was sent stays told. */
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
 * `Pending`: will be tried (again). `Delivered`: the merchant confirmed. `Abandoned`: given up after 72 hours, or told so
 * by 410. `Skipped`: there was no endpoint; it can be replayed.
 */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type DeliveryKind = EndpointKind | 'test';

/** `webhookId` of callbacks and their tests. Null would not do: an index gives no order behind `is null`. */
export const NO_WEBHOOK = '00000000-0000-0000-0000-000000000000';

/** The webhook whose list shows a delivery, as PostgreSQL writes the expression. */
const SHOWN_BY = `CASE WHEN ((kind = 'callback'::text) OR ((kind = 'test'::text) AND (type ~~ 'callback.%'::text))) THEN '${NO_WEBHOOK}'::uuid ELSE endpoint_id END`;

export const DeliverySchema = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  properties: {
    /** Order of insertion; of one payment's also the order of its changes, since its row is locked first. */
    seq: p.bigint('number').primary().autoincrement(),
    /** `Balcao-Delivery`: the same at every attempt. */
    id: p.uuid(),
    merchantId: p.uuid(),
    /** Null: there was none. */
    endpointId: p.uuid().nullable(),
    kind: p.text().$type<DeliveryKind>(),
    /** `callback.ppr`, `callback.qrcode`, or the event's type. */
    type: p.text(),
    paymentId: p.uuid().nullable(),
    /** Of a callback: the money it tells of; told once, however many events tell of that money. */
    transactionId: p.uuid().nullable(),
    /** Of a webhook: the event it tells. */
    eventSeq: p.bigint('number').nullable(),
    status: p.text().$type<DeliveryStatus>(),
    /** Claims so far: the number of the newest attempt, and whose result counts. */
    attempts: p.integer().default(0),
    /** Attempts in this run of the schedule: a replay starts another. */
    tries: p.integer().default(0),
    /** When the first attempt of this run began: 72 hours are counted from it. */
    triesSince: p.datetime(3).nullable(),
    /** When its very first attempt had ended: later deliveries of the same payment wait for that, and for no more. */
    firstTriedAt: p.datetime(3).nullable(),
    /** An attempt is under way, at the latest until then; after a crash another node takes over. Not indexed: claiming is cheap. */
    leasedUntil: p.datetime(3).nullable(),
    /** When the attempt under way began. */
    claimedAt: p.datetime(3).nullable(),
    /** When it is tried next; null: not any more. */
    dueAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    deliveredAt: p.datetime(3).nullable(),
    /** The webhook whose list shows it, or NO_WEBHOOK. */
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
 * How a call ended. `delivered`: 2xx and, of a callback, `Success` true. `refused`: 2xx without it. `status`: any other
 * status. `interrupted`: the node died before it knew.
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
    /** `Balcao-Attempt`, from 1. */
    number: p.integer().primary(),
    startedAt: p.datetime(3),
    /** Null where nobody saw it end. */
    durationMs: p.integer().nullable(),
    outcome: p.text().$type<AttemptOutcome>(),
    /** The answer's HTTP status; null where none came. */
    status: p.smallint().nullable(),
    /** The first 2 KiB of the answer. */
    answer: p.text().nullable(),
    /** What went wrong below HTTP, in a word. */
    error: p.text().nullable(),
  },
});

export class DeliveryAttempt extends DeliveryAttemptSchema.class {}
DeliveryAttemptSchema.setClass(DeliveryAttempt);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof EndpointSchema | typeof DeliverySchema | typeof DeliveryAttemptSchema> {}
}
