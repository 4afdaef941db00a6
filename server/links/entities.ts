// A payment link that anybody can send, and the payments that were begun by it.
import { defineEntity, p } from '@mikro-orm/core';
import type { Asked } from '../../shared/link.ts';
import type { Way } from '../../shared/ways.ts';

export const LinkSchema = defineEntity({
  name: 'Link',
  tableName: 'links',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** What its address ends in: drawn, never chosen (slug.ts). */
    slug: p.text(),
    title: p.text(),
    /** Null: the payer chooses, within the bounds where there are any. */
    amountMinor: p.bigint('number').nullable(),
    minMinor: p.bigint('number').nullable(),
    maxMinor: p.bigint('number').nullable(),
    currency: p.text(),
    /** How many payments it takes; 1: one use; null: as many as come. */
    stock: p.integer().nullable(),
    expiresAt: p.datetime(3).nullable(),
    /** The ways that its payments offer; null: the merchant's. */
    methods: p.array().$type<Way[]>().nullable(),
    /** What its page asks of the payer, all of it required. */
    asks: p.array().$type<Asked[]>().default([]),
    /** What is said to who has paid. */
    thanks: p.text().nullable(),
    returnUrl: p.text().nullable(),
    /** Grows with every change by its merchant: who changes an older one is told (change.ts). */
    revision: p.integer().default(1),
    /** Payments that can still be paid, and that were: counted in the transaction of each payment's change, by the trigger `count_link`. */
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

/** `Open` holds a place of the stock, `Paid` has it, `Released` gave it back: failed, expired or canceled. */
export const LINK_PAYMENT_STATUSES = ['Open', 'Paid', 'Released'] as const;

export const LinkPaymentSchema = defineEntity({
  name: 'LinkPayment',
  tableName: 'link_payments',
  properties: {
    /** The payment that was begun; what took its place by reference counts as the same. No foreign key, as of payments to merchants. */
    paymentId: p.uuid().primary(),
    linkId: p.uuid(),
    merchantId: p.uuid(),
    /** Written by the trigger `count_link` once it is there. */
    status: p.text().$type<(typeof LINK_PAYMENT_STATUSES)[number]>(),
    /** What its payer was asked: personal data, of this payment alone. */
    customerName: p.text().nullable(),
    customerEmail: p.text().nullable(),
    customerTelephone: p.text().nullable(),
    documentNumber: p.text().nullable(),
    /** A keyed digest of the address that began it; null where the gateway does not count addresses. */
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

/** Their tables, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof LinkSchema | typeof LinkPaymentSchema> {}
}
