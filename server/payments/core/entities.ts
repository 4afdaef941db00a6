// Tables of payments, of their orders to the rail (attempts), of received money (transactions), and of payment
// references (PPR).
import { defineEntity, p } from '@mikro-orm/core';
import type { PaymentMethod, PaymentType, QrSize, QrType } from '../../../shared/methods.ts';
import type { ReferenceStatus, ReferenceType } from '../../../shared/reference.ts';
import type { FailureCode, PaymentStatus } from '../../../shared/status.ts';
import type { Way } from '../../../shared/ways.ts';
import type { OrderKind } from '../../providers/provider.ts';

export const FLAGGED = "flags && '{overpaid,amount_mismatch}'";

export const PaymentSchema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  properties: {
    id: p.uuid().primary(),
    /** No foreign key: every creation would lock the merchant's one row. */
    merchantId: p.uuid(),
    reference: p.text(),
    amountMinor: p.bigint('number'),
    currency: p.text(),
    paymentType: p.text().$type<PaymentType>(),
    paymentMethod: p.text().$type<PaymentMethod>(),
    /** Written by states.ts only. */
    status: p.text().$type<PaymentStatus>(),
    /** Grows with every visible change, so that a page never goes back to an older state. */
    revision: p.integer(),
    description: p.text().nullable(),
    /** JSON as text, so that the API returns the key order and long numbers as the merchant sent them. */
    customMetadata: p.text().nullable(),
    /** E.164, of the push in flight or the last one. */
    phone: p.text().nullable(),
    /** The tax number of the request. References and link payments keep their own (events/payer.ts). */
    payerTaxId: p.text().nullable(),
    provider: p.text().nullable(),
    gpoMerchantId: p.text().nullable(),
    gpoPosId: p.text().nullable(),
    returnUrl: p.text().nullable(),
    cancelUrl: p.text().nullable(),
    /** webframe: the payer may pay by reference after a refusal. */
    allowReferenceFallback: p.boolean().default(false),
    /** webframe: the payment methods of its page. Null means the merchant's setting. */
    checkoutMethods: p.array().$type<Way[]>().nullable(),
    /** `key=value` of customMetadata, for the merchant's `searchKeys`. */
    searchTerms: p.array().$type<string[]>().nullable(),
    /** The payment by reference in place of this canceled one, and the reverse. */
    replacedById: p.uuid().nullable(),
    replacesId: p.uuid().nullable(),
    linkId: p.uuid().nullable(),
    /** capture: its authorization. */
    authorizationId: p.uuid().nullable(),
    /** authorization: the sum that the rail reserved, and the captured part. */
    authorizedMinor: p.bigint('number').nullable(),
    capturedMinor: p.bigint('number').nullable(),
    /** authorization: the running operation. It excludes another capture, cancel and expiry. */
    operation: p.text().$type<'capturing' | 'voiding'>().nullable(),
    operationId: p.uuid().nullable(),
    qrContent: p.text().nullable(),
    /** Opens the payer's app with the code, where the rail gives such a link. */
    qrDeeplink: p.text().nullable(),
    qrSize: p.text().$type<QrSize>().nullable(),
    qrType: p.text().$type<QrType>().nullable(),
    maxTransactions: p.integer().nullable(),
    acceptedCount: p.integer().default(0),
    /** Money or a reservation came after the payment had failed, expired or been canceled. */
    late: p.boolean().default(false),
    amountPaidMinor: p.bigint('number').default(0),
    refundedMinor: p.bigint('number').default(0),
    flags: p.array().$type<string[]>().default([]),
    failureCode: p.text().$type<FailureCode>().nullable(),
    attemptsMade: p.smallint().default(0),
    createdAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
    /** Its expiry or next check; null: nothing is left to do. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
    /** The claimed reference of a merchant with `uniqueReferences`; states.ts releases it. */
    referenceClaim: p.text().nullable(),
  },
  checks: [{ name: 'payments_amounts', expression: 'amount_minor >= 0 and amount_paid_minor >= 0' }],
  indexes: [
    { name: 'payments_list', properties: ['merchantId', 'createdAt', 'id'] },
    { name: 'payments_status', properties: ['merchantId', 'status', 'paymentType', 'createdAt', 'id'] },
    {
      name: 'payments_currency',
      properties: ['merchantId', 'currency', 'createdAt', 'id'],
      where: "currency <> 'AOA'",
    },
    { name: 'payments_flagged', properties: ['merchantId', 'createdAt', 'id'], where: FLAGGED },
    { name: 'payments_late', properties: ['merchantId', 'createdAt', 'id'], where: 'late' },
    { name: 'payments_reference', properties: ['merchantId', 'reference'] },
    { name: 'payments_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'payments_authorization', properties: ['authorizationId'], where: 'authorization_id is not null' },
    { name: 'payments_amount', properties: ['merchantId', 'amountMinor', 'createdAt', 'id'] },
    { name: 'payments_phone', properties: ['merchantId', 'phone', 'createdAt', 'id'], where: 'phone is not null' },
    { name: 'payments_search', properties: ['searchTerms'], type: 'gin', where: 'search_terms is not null' },
  ],
  uniques: [
    {
      // A merchant has at most one push in flight with the same reference, amount and phone (reference_in_flight).
      name: 'payments_in_flight',
      properties: ['merchantId', 'reference', 'amountMinor', 'phone'],
      where: "status = 'Processing' and payment_type = 'GPO'",
    },
    { name: 'payments_claim', properties: ['merchantId', 'referenceClaim'], where: 'reference_claim is not null' },
    { name: 'payments_replaces', properties: ['replacesId'], where: 'replaces_id is not null' },
  ],
});

export class Payment extends PaymentSchema.class {}
PaymentSchema.setClass(Payment);

export type AttemptKind = OrderKind | 'qrcode' | 'refund';

/** The orders that decide a payment's status. Codes of a page and voids do not. */
export const PUSHES: AttemptKind[] = ['purchase', 'authorization', 'capture'];

/** `Sent`: the rail has the order or may have it. `Unsent`: no answer yet. `Unreached`: no call made a connection. */
export type AttemptStatus = 'Unsent' | 'Unreached' | 'Sent' | 'Approved' | 'Declined';

export const AttemptSchema = defineEntity({
  name: 'Attempt',
  tableName: 'attempts',
  properties: {
    /** Also the rail's idempotency key: the same id never charges twice. */
    id: p.uuid().primary(),
    paymentId: () => p.manyToOne(Payment).mapToPk().fieldName('payment_id').deleteRule('restrict'),
    kind: p.text().$type<AttemptKind>().default('purchase'),
    /** The id of its rail account, which never changes; `gpo`: the node's own (rails/rail-accounts.ts). */
    rail: p.text().default('gpo'),
    /** Our id of it at the rail, if that differs from `id`. */
    railKey: p.text().nullable(),
    /** The rail's id of it, from an answer. */
    railOrderId: p.text().nullable(),
    /** Pushes only. */
    phone: p.text().nullable(),
    status: p.text().$type<AttemptStatus>(),
    failureCode: p.text().$type<FailureCode>().nullable(),
    providerRef: p.text().nullable(),
    createdAt: p.datetime(3),
    /** The start of the last call. The order may still arrive until that call has ended. */
    sentAt: p.datetime(3),
    resolvedAt: p.datetime(3).nullable(),
    /** The next poll; null: resolved, or left to a person. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [
    { name: 'attempts_payment', properties: ['paymentId'] },
    { name: 'attempts_phone', properties: ['phone', 'createdAt'] },
    { name: 'attempts_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'attempts_turn', properties: ['rail', 'dueAt'], where: 'due_at is not null' },
    { name: 'attempts_open', properties: ['createdAt'], where: "status in ('Unsent', 'Unreached', 'Sent')" },
    { name: 'attempts_rail_order', properties: ['rail', 'railOrderId'], where: 'rail_order_id is not null' },
  ],
  uniques: [{ name: 'attempts_rail_key', properties: ['rail', 'railKey'], where: 'rail_key is not null' }],
});

export class Attempt extends AttemptSchema.class {}
AttemptSchema.setClass(Attempt);

export const TransactionSchema = defineEntity({
  name: 'Transaction',
  tableName: 'transactions',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    paymentId: () => p.manyToOne(Payment).mapToPk().fieldName('payment_id').deleteRule('restrict'),
    /** The account of its attempt or reference, and the rail's id of this money: together they are unique. */
    rail: p.text(),
    providerRef: p.text(),
    attemptId: p.uuid().nullable(),
    amountMinor: p.bigint('number'),
    currency: p.text(),
    status: p.text().$type<'Accepted'>(),
    late: p.boolean(),
    occurredAt: p.datetime(3),
    createdAt: p.datetime(3),
    /** The clearing period (shared/clearing.ts) of its rail. */
    period: p.text(),
    /** The rail's fee, if the rail reports it. */
    feeMinor: p.bigint('number').nullable(),
    /** The refunded sum, and the sum of refunds in progress: together at most the amount (refund/create.ts). */
    refundedMinor: p.bigint('number').default(0),
    refundingMinor: p.bigint('number').default(0),
    /** From the rail: transactionNumber, clearingPeriod, terminalId … */
    details: p.json().$type<Record<string, string>>(),
  },
  indexes: [
    { name: 'transactions_payment', properties: ['paymentId', 'createdAt', 'id'] },
    { name: 'transactions_list', properties: ['merchantId', 'occurredAt', 'id'] },
    { name: 'transactions_period', properties: ['merchantId', 'rail', 'period', 'occurredAt', 'id'] },
  ],
  uniques: [{ name: 'transactions_rail_ref', properties: ['rail', 'providerRef'] }],
});

export class Transaction extends TransactionSchema.class {}
TransactionSchema.setClass(Transaction);

/** Payments of a `legacy` reference cause no callback, because that contract never had one. */
export type ReferenceContract = 'current' | 'legacy';

/** A payment reference (PPR) has the digits for an ATM and its status at the rail. It belongs to one payment. */
export const ReferenceSchema = defineEntity({
  name: 'Reference',
  tableName: 'payment_references',
  properties: {
    /** Also the rail's idempotency key: a rail registers one id once, and never again after its withdrawal. */
    id: p.uuid().primary(),
    paymentId: () => p.manyToOne(Payment).mapToPk().fieldName('payment_id').deleteRule('restrict'),
    merchantId: p.uuid(),
    entity: p.text(),
    reference: p.text(),
    type: p.text().$type<ReferenceType>(),
    contract: p.text().$type<ReferenceContract>(),
    /** The id of its rail account, which never changes; `ppr`: the node's own. */
    rail: p.text().default('ppr'),
    /** Written by reference/states.ts only. A Charging reference stays Pending after its payment is Paid. */
    status: p.text().$type<ReferenceStatus>(),
    customerEmail: p.text().nullable(),
    customerName: p.text().nullable(),
    customerTelephone: p.text().nullable(),
    documentNumber: p.text().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /** Since when it is not payable and its digits rest. */
    closedAt: p.datetime(3).nullable(),
    /** Payers can pay it since then. */
    registeredAt: p.datetime(3).nullable(),
    withdrawnAt: p.datetime(3).nullable(),
    /** The reason of the rail's last refusal; null after a success. */
    railFault: p.text().nullable(),
    /** The next call to the rail, or its expiry; null: nothing is left to do. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [
    // Filters are part of it, so that a page and its count read nothing else.
    { name: 'payment_references_list', properties: ['merchantId', 'createdAt', 'id', 'type', 'status'] },
    { name: 'payment_references_status', properties: ['merchantId', 'status', 'type', 'createdAt', 'id'] },
    { name: 'payment_references_digits', properties: ['entity', 'reference', 'createdAt'] },
    { name: 'payment_references_own', properties: ['merchantId', 'reference', 'createdAt'] },
    { name: 'payment_references_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'payment_references_turn', properties: ['rail', 'dueAt'], where: 'due_at is not null' },
  ],
  uniques: [
    { name: 'payment_references_payment', properties: ['paymentId'] },
    {
      // Live references of an entity have different digits, also across merchants.
      name: 'payment_references_live',
      properties: ['entity', 'reference'],
      where: "status = 'Pending'",
    },
  ],
});

export class Reference extends ReferenceSchema.class {}
ReferenceSchema.setClass(Reference);

/** The `railFault` of a closed reference that its rail cannot withdraw: payers can pay it until its last day ends. */
export const NOT_WITHDRAWABLE = 'unsupported';

export type PaymentWithReference = { payment: Payment; reference: Reference };

export type RecordedAttempt = {
  payment: Payment;
  /** `makerId`: the attempt of a capture's authorization, if the caller has read it. */
  attempt: Pick<Attempt, 'id' | 'kind' | 'rail' | 'createdAt'> & Partial<Pick<Attempt, 'phone'>> & { makerId?: string };
  written?: AttemptSnapshot;
};

/** The columns that the poll schedule reads. `wasUnreached`: no call before this one made a connection. */
export type AttemptSnapshot = Pick<Attempt, 'id' | 'kind' | 'status' | 'createdAt' | 'sentAt' | 'dueAt'> & {
  wasUnreached?: boolean;
};

/** Their tables, to the typed queries. */
declare module '../../database/db.ts' {
  interface Tables extends TablesOf<
    typeof PaymentSchema | typeof AttemptSchema | typeof TransactionSchema | typeof ReferenceSchema
  > {}
}
