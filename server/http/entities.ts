// Tables of HTTP: stored responses by Idempotency-Key, and the immutable files of every build.
import { defineEntity, p } from '@mikro-orm/core';

export const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    merchantId: p.uuid().primary(),
    key: p.text().primary(),
    /** The SHA-256 of method, path and body. Another request under the same key is refused. */
    fingerprint: p.text(),
    status: p.smallint().nullable(),
    body: p.text().nullable(),
    /** The latest end of the first request while it runs. Null after that. */
    inFlightUntil: p.datetime(3).nullable(),
    /** The payment of the first request. A later response is built from it. */
    paymentId: p.uuid().nullable(),
    createdAt: p.datetime(3).index(),
  },
});

export class IdempotencyKey extends IdempotencyKeySchema.class {}
IdempotencyKeySchema.setClass(IdempotencyKey);

export const PublishedFileSchema = defineEntity({
  name: 'PublishedFile',
  tableName: 'published_files',
  properties: {
    path: p.text().primary(),
    bytes: p.blob(),
    /** The time of the last node start with this file. */
    seenAt: p.datetime(3),
  },
});

export class PublishedFile extends PublishedFileSchema.class {}
PublishedFileSchema.setClass(PublishedFile);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof IdempotencyKeySchema | typeof PublishedFileSchema> {}
}
