// Tables of payment links, and of the payments that payers started through them.
import { defineEntity, p } from '@mikro-orm/core';
import type { PayerField } from '../../shared/link.ts';
import type { Way } from '../../shared/ways.ts';

export const LinkSchema = defineEntity({
  name: 'Link',
  tableName: 'links',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** Random last part of the link's URL (slug.ts). Merchants cannot choose the slug. */
    slug: p.text(),
    title: p.text(),
    /** `amountMinor`: null if the payer chooses the amount, between `minMinor` and `maxMinor` if these are set. */
    amountMinor: p.bigint('number').nullable(),
    minMinor: p.bigint('number').nullable(),
    maxMinor: p.bigint('number').nullable(),
    currency: p.text(),
    /** `stock`: the maximum number of paid payments. 1: a single-use link. Null: unlimited. */
    stock: p.integer().nullable(),
    expiresAt: p.datetime(3).nullable(),
    /** `methods`: payment methods of the link's payments. Null: the merchant's `checkoutMethods`. */
    methods: p.array().$type<Way[]>().nullable(),
    /** `asks`: fields that the link's page requires from the payer. */
    asks: p.array().$type<PayerField[]>().default([]),
    /** `thanks`: text shown to the payer after the payment. */
    thanks: p.text().nullable(),
    returnUrl: p.text().nullable(),
    /** `revision`: grows with every change. A merchant who changes an older revision gets a conflict (change.ts). */
    revision: p.integer().default(1),
    /** Number of open and of paid payments. The trigger `count_link` updates both in the transaction of the payment. */
    openCount: p.integer().default(0),
    paidCount: p.integer().default(0),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    withdrawnAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'links_list', properties: ['merchantId', 'createdAt', 'id'] }],
  uniques: [{ name: 'links_slug', properties: ['slug'] }],
});

export class Link extends LinkSchema.class {}
LinkSchema.setClass(Link);

/** Statuses of a use. `Open` holds one unit of stock, `Paid` has used it, and `Released` has returned it. */
export const LINK_PAYMENT_STATUSES = ['Open', 'Paid', 'Released'] as const;

export const LinkPaymentSchema = defineEntity({
  name: 'LinkPayment',
  tableName: 'link_payments',
  properties: {
    /** Id of the payment, without a foreign key. A reference that replaces the payment counts as the same use. */
    paymentId: p.uuid().primary(),
    linkId: p.uuid(),
    merchantId: p.uuid(),
    /** The trigger `count_link` updates the status after the insert. */
    status: p.text().$type<(typeof LINK_PAYMENT_STATUSES)[number]>(),
    /** The name that the payer entered on the link's page: personal data, stored for this payment only. */
    customerName: p.text().nullable(),
    customerEmail: p.text().nullable(),
    customerTelephone: p.text().nullable(),
    documentNumber: p.text().nullable(),
    /** Keyed digest of the payer's IP address. Null if the operator has switched off rate limits per IP address. */
    openedFrom: p.text().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'link_payments_list', properties: ['linkId', 'createdAt', 'paymentId'] },
    { name: 'link_payments_status', properties: ['linkId', 'status', 'createdAt', 'paymentId'] },
    { name: 'link_payments_opened_from', properties: ['linkId', 'openedFrom'], where: "status = 'Open'" },
  ],
});

export class LinkPayment extends LinkPaymentSchema.class {}
LinkPaymentSchema.setClass(LinkPayment);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof LinkSchema | typeof LinkPaymentSchema> {}
}
