// A merchant: whose payments these are, and what they may use.
import { defineEntity, p } from '@mikro-orm/core';
import type { Language } from '../../shared/language.ts';
import type { Way } from '../../shared/ways.ts';

export const MerchantSchema = defineEntity({
  name: 'Merchant',
  tableName: 'merchants',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    defaultLanguage: p.text().$type<Language>().default('pt'),
    /** Its tax number (NIF), which the operator's documents name. */
    taxId: p.text().nullable(),
    brandColor: p.text().nullable(),
    /** `data:image/png;base64,…` or a JPEG's or WebP's. */
    brandLogo: p.text().nullable(),
    /** A second live or paid GPO payment with a reference is refused (decisions §1). */
    uniqueReferences: p.boolean().default(false),
    /** Whom its payers ask about their data, and what it tells them of it in its own words (checkout/notice.ts). */
    privacyContact: p.text().nullable(),
    privacyNotice: p.text().nullable(),
    /** Origins that may frame the checkout. */
    allowedOrigins: p.array().$type<string[]>(),
    /** Origins that `returnUrl` and `cancelUrl` may point to. */
    returnOrigins: p.array().$type<string[]>(),
    /** What the hosted page offers, in this order, where the merchant's accounts can do it. */
    checkoutMethods: p.array().$type<Way[]>().default(['push']),
    /** Keys of customMetadata by which payments are found. */
    searchKeys: p.array().$type<string[]>().default([]),
    /** What a cashier may give back in a day, in cêntimos; null: nothing. */
    cashierRefundLimitMinor: p.bigint('number').nullable(),
    /** GPO merchant ids the operator assigned; the first is the one used when a request names none. */
    gpoMerchantIds: p.array().$type<string[]>(),
    /** GPO point-of-sale ids, likewise. */
    gpoPosIds: p.array().$type<string[]>(),
    /** Five digits that payment references (PPR) are paid to; the operator assigns it. Merchants may share one. */
    entity: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});

export class Merchant extends MerchantSchema.class {}
MerchantSchema.setClass(Merchant);

export const RequestErrorSchema = defineEntity({
  name: 'RequestError',
  tableName: 'request_errors',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    occurredAt: p.datetime(3).index(),
    method: p.text(),
    /** As it is declared, `/api/payments/{paymentId}`: no id, no query. */
    path: p.text(),
    status: p.smallint(),
    code: p.text(),
    faults: p.json().$type<{ pointer: string; code: string }[]>(),
    requestId: p.text(),
    clientId: p.text().nullable(),
  },
  indexes: [{ name: 'request_errors_list', properties: ['merchantId', 'occurredAt', 'id'] }],
});

/** A request of a merchant's that was refused (refusals.ts). */
export class RequestError extends RequestErrorSchema.class {}
RequestErrorSchema.setClass(RequestError);

/** Their tables, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof MerchantSchema | typeof RequestErrorSchema> {}
}
