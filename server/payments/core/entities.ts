// A payment, what the rail was asked for it (attempts), the money received for it (transactions), and its reference (PPR).
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
    /** Grows with every change, so that a page never replaces a newer state by an older one. */
    revision: p.integer(),
    description: p.text().nullable(),
    /** JSON as text: key order and the digits of long numbers come back as sent (decisions §1). */
    customMetadata: p.text().nullable(),
    /** E.164, of the push in flight or the last one. */
    phone: p.text().nullable(),
    /** The payer's tax number, of the request; of a reference and of a link's payment kept with these (events/payer.ts). */
    payerTaxId: p.text().nullable(),
    provider: p.text().nullable(),
    gpoMerchantId: p.text().nullable(),
    gpoPosId: p.text().nullable(),
    returnUrl: p.text().nullable(),
    cancelUrl: p.text().nullable(),
    /** Of a webframe: after a refusal its payer may go on by reference (decisions §11). */
    allowReferenceFallback: p.boolean().default(false),
    /** Of a webframe: the ways its page offers; null: the merchant's. */
    checkoutMethods: p.array().$type<Way[]>().nullable(),
    /** `key=value` of customMetadata, under the keys that the merchant is found by. */
    searchTerms: p.array().$type<string[]>().nullable(),
    /** The payment that took this one's place, which is withdrawn then; and the other way round. */
    replacedById: p.uuid().nullable(),
    replacesId: p.uuid().nullable(),
    /** The payment link it was begun by. */
    linkId: p.uuid().nullable(),
    /** Of a capture: the authorization it takes from. */
    authorizationId: p.uuid().nullable(),
    /** Of an authorization: what the rail really reserved, and what of it was taken. */
    authorizedMinor: p.bigint('number').nullable(),
    capturedMinor: p.bigint('number').nullable(),
    /** Who claimed an authorization, until the outcome is known: no capture, cancel or expiry beside it (decisions §3); and the claim's attempt. */
    operation: p.text().$type<'capturing' | 'voiding'>().nullable(),
    operationId: p.uuid().nullable(),
    /** Of a QR code: what the rail wrote into it, how it is drawn, how often it may be paid and was. */
    qrContent: p.text().nullable(),
    /** Opens the payer's app with the code, where the rail gives such a link. */
    qrDeeplink: p.text().nullable(),
    qrSize: p.text().$type<QrSize>().nullable(),
    qrType: p.text().$type<QrType>().nullable(),
    maxTransactions: p.integer().nullable(),
    acceptedCount: p.integer().default(0),
    /** Something good came after the payment had failed, expired or been canceled. */
    late: p.boolean().default(false),
    amountPaidMinor: p.bigint('number').default(0),
    /** What of it was given back. */
    refundedMinor: p.bigint('number').default(0),
    flags: p.array().$type<string[]>().default([]),
    failureCode: p.text().$type<FailureCode>().nullable(),
    attemptsMade: p.smallint().default(0),
    createdAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
    /** When it expires, or is looked at again; null = nothing left to do. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
    /** The reference, while nobody else of a merchant with `uniqueReferences` may take it; failed, canceled and expired let go (states.ts). */
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
      // Two pushes for the same thing can never be out at once (decisions §1, reference_in_flight).
      name: 'payments_in_flight',
      properties: ['merchantId', 'reference', 'amountMinor', 'phone'],
      where: "status = 'Processing' and payment_type = 'GPO'",
    },
    { name: 'payments_claim', properties: ['merchantId', 'referenceClaim'], where: 'reference_claim is not null' },
    // Two taps at once can never make two of one.
    { name: 'payments_replaces', properties: ['replacesId'], where: 'replaces_id is not null' },
  ],
});

export class Payment extends PaymentSchema.class {}
PaymentSchema.setClass(Payment);

/** What the rail was asked to do: an order, to make a QR code, or to give money back. */
export type AttemptKind = OrderKind | 'qrcode' | 'refund';

/** The orders that a payment stands or falls by: codes of a page, and what takes them back, stand beside its push. */
export const PUSHES: AttemptKind[] = ['purchase', 'authorization', 'capture'];

/**
 * `Sent`: the rail has it or may have it. `Unsent`: the intent is recorded, the call not yet answered. `Unreached`: none of its
 * calls made a connection, so that the rail surely has nothing; it may go out again, as `Unsent`.
 */
export type AttemptStatus = 'Unsent' | 'Unreached' | 'Sent' | 'Approved' | 'Declined';

export const AttemptSchema = defineEntity({
  name: 'Attempt',
  tableName: 'attempts',
  properties: {
    /** Also the rail's idempotency key: the same id never charges twice. */
    id: p.uuid().primary(),
    paymentId: () => p.manyToOne(Payment).mapToPk().fieldName('payment_id').deleteRule('restrict'),
    kind: p.text().$type<AttemptKind>().default('purchase'),
    /** The rail account that is asked, for ever: its id, or `gpo` for the node's own (rails/rail-accounts.ts). */
    rail: p.text().default('gpo'),
    /** What the rail knows it by, where that is not its id. */
    railKey: p.text().nullable(),
    /** The rail's own id of it, once an answer told. */
    railOrderId: p.text().nullable(),
    /** Who is asked, where somebody is: pushes only. */
    phone: p.text().nullable(),
    status: p.text().$type<AttemptStatus>(),
    failureCode: p.text().$type<FailureCode>().nullable(),
    providerRef: p.text().nullable(),
    createdAt: p.datetime(3),
    /** When the last call with this id began: until it has surely ended, a rail that never saw it may still get it. */
    sentAt: p.datetime(3),
    resolvedAt: p.datetime(3).nullable(),
    /** When the rail is asked next; null = resolved, or left to a person. */
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
    /** The rail account as its attempt or reference names it, and the rail's own id for this money: recorded once whatever is repeated. */
    rail: p.text(),
    providerRef: p.text(),
    attemptId: p.uuid().nullable(),
    amountMinor: p.bigint('number'),
    currency: p.text(),
    status: p.text().$type<'Accepted'>(),
    /** The payment was already failed, canceled or expired when the money came. */
    late: p.boolean(),
    occurredAt: p.datetime(3),
    createdAt: p.datetime(3),
    /** Its clearing period (shared/clearing.ts); with `rail` it is one. */
    period: p.text(),
    /** What the rail keeps of it, where the rail tells. */
    feeMinor: p.bigint('number').nullable(),
    /** What of it was given back, and what is on its way back: together never more than there is (refunds/create.ts). */
    refundedMinor: p.bigint('number').default(0),
    refundingMinor: p.bigint('number').default(0),
    /** What the rail said of it: transactionNumber, clearingPeriod, terminalId … */
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

/** `legacy`: made through the legacy endpoint; its payments bring no callback (decisions §4). */
export type ReferenceContract = 'current' | 'legacy';

/** A payment reference (PPR): what a payer types at an ATM, and what the rail knows of it. The other face of one payment. */
export const ReferenceSchema = defineEntity({
  name: 'Reference',
  // "references" is a word of SQL's own.
  tableName: 'payment_references',
  properties: {
    /** Also the rail's idempotency key: one id is registered once, and once withdrawn never again. */
    id: p.uuid().primary(),
    paymentId: () => p.manyToOne(Payment).mapToPk().fieldName('payment_id').deleteRule('restrict'),
    merchantId: p.uuid(),
    /** Five digits, given by the operator. */
    entity: p.text(),
    /** 9 to 15 digits; a string for ever, leading zeros are part of it. */
    reference: p.text(),
    type: p.text().$type<ReferenceType>(),
    contract: p.text().$type<ReferenceContract>(),
    /** The rail account it is registered by, for ever: its id, or `ppr` for the node's own. */
    rail: p.text().default('ppr'),
    /** Written by references/states.ts only: whether it can be paid, which for Charging is not what became of its payment. */
    status: p.text().$type<ReferenceStatus>(),
    customerEmail: p.text().nullable(),
    customerName: p.text().nullable(),
    customerTelephone: p.text().nullable(),
    documentNumber: p.text().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /** When it stopped being payable: its digits may be used again from then on. */
    closedAt: p.datetime(3).nullable(),
    /** When the rail took it; until then nobody can pay it. */
    registeredAt: p.datetime(3).nullable(),
    /** When the rail let go of it, after it was closed. */
    withdrawnAt: p.datetime(3).nullable(),
    /** Why the rail last did not take it; null once it did. */
    railFault: p.text().nullable(),
    /** When the rail is told (again), or it expires; null = nothing left to do. */
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
      // Of one entity's live references no two have the same digits, whoever's they are (decisions §4).
      name: 'payment_references_live',
      properties: ['entity', 'reference'],
      where: "status = 'Pending'",
    },
  ],
});

export class Reference extends ReferenceSchema.class {}
ReferenceSchema.setClass(Reference);

/** The fault of one that its rail cannot withdraw: closed here, and payable there until its last day is over. */
export const NOT_WITHDRAWABLE = 'unsupported';

/** A payment and its reference, as they are written together. */
export type PaymentWithReference = { payment: Payment; reference: Reference };

/** What is recorded before the rail is asked. */
export type RecordedAttempt = {
  payment: Payment;
  /** `makerId`: of a capture what made its authorization, where that is at hand. */
  attempt: Pick<Attempt, 'id' | 'kind' | 'rail' | 'createdAt'> & Partial<Pick<Attempt, 'phone'>> & { makerId?: string };
  /** Its row as it was written, where that is at hand. */
  written?: KnownAttempt;
};

/** What must be known of an attempt to say when its rail is asked again; `wasUnreached`: no call before this one reached anybody. */
export type KnownAttempt = Pick<Attempt, 'id' | 'kind' | 'status' | 'createdAt' | 'sentAt' | 'dueAt'> & {
  wasUnreached?: boolean;
};

/** Their tables, to the typed queries. */
declare module '../../database/db.ts' {
  interface Tables extends TablesOf<
    typeof PaymentSchema | typeof AttemptSchema | typeof TransactionSchema | typeof ReferenceSchema
  > {}
}
