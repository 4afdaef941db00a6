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
    /** `merchantId` has no foreign key, because every new payment would lock the merchant's row. */
    merchantId: p.uuid(),
    reference: p.text(),
    amountMinor: p.bigint('number'),
    currency: p.text(),
    paymentType: p.text().$type<PaymentType>(),
    paymentMethod: p.text().$type<PaymentMethod>(),
    /** The payment's status. Only states.ts writes it. */
    status: p.text().$type<PaymentStatus>(),
    /** Grows with every visible change of the payment, so that a page never shows an older state again. */
    revision: p.integer(),
    description: p.text().nullable(),
    /**
     * The merchant's JSON as text, so that the API returns its key order and long numbers as the merchant sent them.
     */
    customMetadata: p.text().nullable(),
    /** The phone number (E.164) of the running push or, without one, of the last push. */
    phone: p.text().nullable(),
    /**
     * The payer's tax number from the request. References and link payments have their own column (events/payer.ts).
     */
    payerTaxId: p.text().nullable(),
    provider: p.text().nullable(),
    gpoMerchantId: p.text().nullable(),
    gpoPosId: p.text().nullable(),
    returnUrl: p.text().nullable(),
    cancelUrl: p.text().nullable(),
    /** Hosted page (`webframe`) only: the payer may pay by reference after a refused push. */
    allowReferenceFallback: p.boolean().default(false),
    /** Hosted page (`webframe`) only: the payment methods that the page offers. Null means the merchant's setting. */
    checkoutMethods: p.array().$type<Way[]>().nullable(),
    /** Search terms `key=value` from customMetadata, for the keys in the merchant's `searchKeys`. */
    searchTerms: p.array().$type<string[]>().nullable(),
    /** The payment by reference that replaced this canceled payment. The next column points back. */
    replacedById: p.uuid().nullable(),
    replacesId: p.uuid().nullable(),
    linkId: p.uuid().nullable(),
    /** Captures only: the id of the captured authorization. */
    authorizationId: p.uuid().nullable(),
    /** Authorizations only: the sum that the rail reserved. The next column has the captured part. */
    authorizedMinor: p.bigint('number').nullable(),
    capturedMinor: p.bigint('number').nullable(),
    /** Authorizations only: the running operation. It excludes another capture, a cancellation and the expiry. */
    operation: p.text().$type<'capturing' | 'voiding'>().nullable(),
    operationId: p.uuid().nullable(),
    qrContent: p.text().nullable(),
    /** A link that opens the payer's app with the QR code, if the rail returns one. */
    qrDeeplink: p.text().nullable(),
    qrSize: p.text().$type<QrSize>().nullable(),
    qrType: p.text().$type<QrType>().nullable(),
    maxTransactions: p.integer().nullable(),
    acceptedCount: p.integer().default(0),
    /** True if money or a reservation arrived after the payment had failed, expired or been canceled. */
    late: p.boolean().default(false),
    /** The status that the payment had before its latest late money or reservation. Null without late money. */
    lateAfter: p.text().$type<PaymentStatus>().nullable(),
    /** The time at which a person resolved the payment's odd money. Newer odd money clears it. */
    resolvedAt: p.datetime(3).nullable(),
    amountPaidMinor: p.bigint('number').default(0),
    refundedMinor: p.bigint('number').default(0),
    flags: p.array().$type<string[]>().default([]),
    failureCode: p.text().$type<FailureCode>().nullable(),
    attemptsMade: p.smallint().default(0),
    createdAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
    /** The time of the payment's expiry or next check. Null if no work is left. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
    /** The person or API client that created the payment. Null for a payer who opened a link, and before 0.2.0. */
    createdByKind: p.text().$type<'user' | 'client'>().nullable(),
    createdById: p.text().nullable(),
    /** The person or API client that canceled the payment, or whose cancellation is at the rail. */
    canceledByKind: p.text().$type<'user' | 'client'>().nullable(),
    canceledById: p.text().nullable(),
    /** The open shift of the person who charged, at the creation (shifts/counting.ts). It never changes. */
    shiftId: p.uuid().nullable(),
    /** The reference that this payment reserves for a merchant with `uniqueReferences`. states.ts releases it. */
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
    { name: 'payments_method', properties: ['merchantId', 'paymentMethod', 'createdAt', 'id'] },
    { name: 'payments_link', properties: ['merchantId', 'createdAt', 'id'], where: 'link_id is not null' },
    {
      name: 'payments_creator',
      properties: ['merchantId', 'createdById', 'createdAt', 'id'],
      where: "created_by_kind = 'user'",
    },
    { name: 'payments_shift', properties: ['shiftId'], where: 'shift_id is not null' },
    { name: 'payments_search', properties: ['searchTerms'], type: 'gin', where: 'search_terms is not null' },
  ],
  uniques: [
    {
      // A merchant has at most one running push with the same reference, amount and phone (reference_in_flight).
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

/** The kinds of orders that decide a payment's status. QR codes of a page and voids do not decide it. */
export const PUSHES: AttemptKind[] = ['purchase', 'authorization', 'capture'];

/** `Sent`: the rail may have the order. `Unsent`: no response yet. `Unreached`: no call could connect. */
export type AttemptStatus = 'Unsent' | 'Unreached' | 'Sent' | 'Approved' | 'Declined';

export const AttemptSchema = defineEntity({
  name: 'Attempt',
  tableName: 'attempts',
  properties: {
    /** The attempt's id is also the idempotency key at the rail: the same id never charges twice. */
    id: p.uuid().primary(),
    paymentId: () => p.manyToOne(Payment).mapToPk().fieldName('payment_id').deleteRule('restrict'),
    kind: p.text().$type<AttemptKind>().default('purchase'),
    /**
     * The id of the attempt's rail account, which never changes.
     * `gpo`: the node's own account (rails/rail-accounts.ts).
     */
    rail: p.text().default('gpo'),
    /** The gateway's id of the attempt at the rail, if it differs from `id`. */
    railKey: p.text().nullable(),
    /** The rail's own id of the order, from one of its responses. */
    railOrderId: p.text().nullable(),
    /** Pushes only: the payer's phone number. */
    phone: p.text().nullable(),
    status: p.text().$type<AttemptStatus>(),
    failureCode: p.text().$type<FailureCode>().nullable(),
    providerRef: p.text().nullable(),
    createdAt: p.datetime(3),
    /** The start of the attempt's last call. The order may still arrive at the rail until that call has ended. */
    sentAt: p.datetime(3),
    resolvedAt: p.datetime(3).nullable(),
    /** The time of the attempt's next poll. Null if the attempt is resolved or needs manual review. */
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
    /** The rail account of the attempt or reference. This account and the rail's transaction id are unique together. */
    rail: p.text(),
    providerRef: p.text(),
    attemptId: p.uuid().nullable(),
    amountMinor: p.bigint('number'),
    currency: p.text(),
    status: p.text().$type<'Accepted'>(),
    late: p.boolean(),
    occurredAt: p.datetime(3),
    createdAt: p.datetime(3),
    /** The rail's clearing period of the transaction (shared/clearing.ts). */
    period: p.text(),
    /** The fee of the transaction, if the rail reports it. */
    feeMinor: p.bigint('number').nullable(),
    /** The shift that counts this transaction (shifts/counting.ts). Null outside of a shift and after its close. */
    shiftId: p.uuid().nullable(),
    /** The refunded sum. The next column has the sum of running refunds. Both together never exceed the amount. */
    refundedMinor: p.bigint('number').default(0),
    refundingMinor: p.bigint('number').default(0),
    /** Further fields from the rail: transactionNumber, clearingPeriod, terminalId … */
    details: p.json().$type<Record<string, string>>(),
  },
  indexes: [
    { name: 'transactions_payment', properties: ['paymentId', 'createdAt', 'id'] },
    { name: 'transactions_list', properties: ['merchantId', 'occurredAt', 'id'] },
    { name: 'transactions_period', properties: ['merchantId', 'rail', 'period', 'occurredAt', 'id'] },
    { name: 'transactions_shift', properties: ['shiftId'], where: 'shift_id is not null' },
  ],
  uniques: [{ name: 'transactions_rail_ref', properties: ['rail', 'providerRef'] }],
});

export class Transaction extends TransactionSchema.class {}
TransactionSchema.setClass(Transaction);

/**
 * The API contract of a reference.
 * Payments of a `legacy` reference send no callback, because that contract defines no callback.
 */
export type ReferenceContract = 'current' | 'legacy';

/** A payment reference (PPR): its digits for an ATM and its status at the rail. It belongs to one payment. */
export const ReferenceSchema = defineEntity({
  name: 'Reference',
  tableName: 'payment_references',
  properties: {
    /** The reference's id is also the idempotency key at the rail, which registers one id only once. */
    id: p.uuid().primary(),
    paymentId: () => p.manyToOne(Payment).mapToPk().fieldName('payment_id').deleteRule('restrict'),
    merchantId: p.uuid(),
    entity: p.text(),
    reference: p.text(),
    type: p.text().$type<ReferenceType>(),
    contract: p.text().$type<ReferenceContract>(),
    /** The id of the reference's rail account, which never changes. `ppr`: the node's own account. */
    rail: p.text().default('ppr'),
    /** The reference's status. Only reference/states.ts writes it. A paid Charging reference stays Pending. */
    status: p.text().$type<ReferenceStatus>(),
    customerEmail: p.text().nullable(),
    customerName: p.text().nullable(),
    customerTelephone: p.text().nullable(),
    documentNumber: p.text().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /** The time since which the reference is not payable. From then on, its digits may not be used for a while. */
    closedAt: p.datetime(3).nullable(),
    /** The time since which payers can pay the reference. */
    registeredAt: p.datetime(3).nullable(),
    withdrawnAt: p.datetime(3).nullable(),
    /** The reason of the rail's last refusal to register or withdraw the reference. Null after a success. */
    railFault: p.text().nullable(),
    /** The time of the next call to the rail, or of the reference's expiry. Null if no work is left. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [
    // The filters of the list are in the index, so a page and its count read only the index.
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
      // Live references of one entity have different digits, even if they belong to different merchants.
      name: 'payment_references_live',
      properties: ['entity', 'reference'],
      where: "status = 'Pending'",
    },
  ],
});

export class Reference extends ReferenceSchema.class {}
ReferenceSchema.setClass(Reference);

/** The `railFault` of a closed reference that its rail cannot withdraw. Payers can pay it until its last day ends. */
export const NOT_WITHDRAWABLE = 'unsupported';

export type PaymentWithReference = { payment: Payment; reference: Reference };

export type RecordedAttempt = {
  payment: Payment;
  /** Captures only: `makerId` is the attempt that made the hold, if the caller has read it. */
  attempt: Pick<Attempt, 'id' | 'kind' | 'rail' | 'createdAt'> & Partial<Pick<Attempt, 'phone'>> & { makerId?: string };
  written?: AttemptSnapshot;
};

/** The columns of an attempt that the poll schedule reads. `wasUnreached`: no earlier call made a connection. */
export type AttemptSnapshot = Pick<Attempt, 'id' | 'kind' | 'status' | 'createdAt' | 'sentAt' | 'dueAt'> & {
  wasUnreached?: boolean;
};

export const PaymentSearchSchema = defineEntity({
  name: 'PaymentSearch',
  tableName: 'payment_search',
  properties: {
    paymentId: p.uuid().primary(),
    merchantId: p.uuid(),
    createdAt: p.datetime(3),
    /** The folded words of the payment. Triggers write them (database/functions/payment-words.ts). */
    words: p.text(),
    /** True if the index of word parts has the words (search-index.ts). */
    isIndexed: p.boolean().default(false),
  },
  indexes: [
    { name: 'payment_search_list', properties: ['merchantId', 'createdAt', 'paymentId'] },
    { name: 'payment_search_fresh', properties: ['merchantId', 'paymentId'], where: 'not is_indexed' },
    {
      name: 'payment_search_keys',
      expression:
        'create index "payment_search_keys" on "payment_search" using gin (search_keys(merchant_id, words)) ' +
        'with (gin_pending_list_limit = 512) where is_indexed',
    },
  ],
});

/** The words that find a payment: one row for each payment. */
export class PaymentSearch extends PaymentSearchSchema.class {}
PaymentSearchSchema.setClass(PaymentSearch);

/** Adds the tables of payments to the typed queries. */
declare module '../../database/db.ts' {
  interface Tables extends TablesOf<
    | typeof PaymentSchema
    | typeof AttemptSchema
    | typeof TransactionSchema
    | typeof ReferenceSchema
    | typeof PaymentSearchSchema
  > {}
}
