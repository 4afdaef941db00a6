// Tables of merchants and of their refused requests.
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
    /** The merchant's tax number (NIF), which the operator's documents name. */
    taxId: p.text().nullable(),
    brandColor: p.text().nullable(),
    /** The merchant's logo: a data: URL of a PNG, JPEG or WebP image. */
    brandLogo: p.text().nullable(),
    /** `uniqueReferences`: if true, a second live or paid GPO payment with the same merchant reference is refused. */
    uniqueReferences: p.boolean().default(false),
    /** Contact for payers' questions about their data, and the merchant's own privacy text (checkout/notice.ts). */
    privacyContact: p.text().nullable(),
    privacyNotice: p.text().nullable(),
    /** `allowedOrigins`: web origins that may show the checkout in a frame. */
    allowedOrigins: p.array().$type<string[]>(),
    /** `returnOrigins`: web origins to which `returnUrl` and `cancelUrl` may point. */
    returnOrigins: p.array().$type<string[]>(),
    /** `checkoutMethods`: payment methods on the hosted page, in this order. The rail accounts may support fewer. */
    checkoutMethods: p.array().$type<Way[]>().default(['push']),
    /** Keys of `customMetadata` that the search of payments indexes. */
    searchKeys: p.array().$type<string[]>().default([]),
    /** Limit of a cashier's refunds per day, in cêntimos. Null: cashiers cannot refund. */
    cashierRefundLimitMinor: p.bigint('number').nullable(),
    /** True if the shop also takes cash, which its shifts then count (server/shifts). */
    takesCash: p.boolean().default(false),
    /** GPO merchant ids assigned by the operator. A request without a GPO merchant id uses the first one. */
    gpoMerchantIds: p.array().$type<string[]>(),
    /** GPO point-of-sale ids assigned by the operator. A request without a point-of-sale id uses the first one. */
    gpoPosIds: p.array().$type<string[]>(),
    /** PPR entity of the merchant's references: five digits, assigned by the operator. Merchants may share entities. */
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
    /** The request's path as declared, such as `/api/payments/{paymentId}`, without ids and query. */
    path: p.text(),
    status: p.smallint(),
    code: p.text(),
    faults: p.json().$type<{ pointer: string; code: string }[]>(),
    requestId: p.text(),
    clientId: p.text().nullable(),
  },
  indexes: [{ name: 'request_errors_list', properties: ['merchantId', 'occurredAt', 'id'] }],
});

/** A request that a merchant sent and the API refused (refusals.ts). */
export class RequestError extends RequestErrorSchema.class {}
RequestErrorSchema.setClass(RequestError);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof MerchantSchema | typeof RequestErrorSchema> {}
}
