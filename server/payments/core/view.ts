// Builds the API view of a payment: amounts in major units, times in ISO 8601, absent values as null.
import { sql } from 'kysely';
import { z } from 'zod';
import { toMajor } from '../../../shared/money.ts';
import { REFUND_EXTENTS } from '../../../shared/refund.ts';
import { STANDINGS } from '../../../shared/standing.ts';
import { PAYMENT_STATUS_WORDS, PAYMENT_TYPE_WORDS } from '../../../shared/state-words.ts';
import { ATTENTION_FLAGS, FAILURE_CODES, PAYMENT_STATUSES } from '../../../shared/status.ts';
import { PAYMENT_METHODS, PAYMENT_TYPES } from '../../../shared/methods.ts';
import { REFERENCE_STATUSES, REFERENCE_TYPES } from '../../../shared/reference.ts';
import type { Core } from '../../core.ts';
import { knownValues } from '../../http/fields.ts';
import { parseExactJson } from '../../http/json.ts';
import type { CsvColumn } from '../../exports/csv.ts';
import { viewCanceler } from './creator.ts';
import { MONEY_COLUMNS, viewMoney } from './attention.ts';
import {
  CASHIER_COLUMN,
  FEE_COLUMNS,
  LINK_COLUMN,
  METADATA_COLUMN,
  METHOD_COLUMN,
  PAYER_COLUMNS,
  REFUNDED_COLUMN,
  STANDING_COLUMN,
} from './file-columns.ts';
import type { Reference } from './entities.ts';
import { clientTokenOf } from './token.ts';
import type { Payment, PaymentWithReference, Transaction } from './entities.ts';
import { payerOf, type Payer } from './rows.ts';

/** English messages for the values of `failure.code`. */
const FAILURE_MESSAGES: Record<string, string> = {
  customer_refused: 'The customer refused the payment.',
  insufficient_funds: 'The customer’s balance is insufficient.',
  limit_exceeded: 'The amount exceeds the customer’s limit.',
  number_not_active: 'The phone number is not active in Multicaixa Express.',
  timed_out: 'The customer did not answer in time.',
  terminal_closed: 'The terminal is closed.',
  issuer_refused: 'The customer’s bank refused the payment.',
  acquirer_setup: 'The account at the acquirer is not set up for this payment.',
  rail_unavailable: 'The provider could not be reached; no money moved.',
};

type Viewed = Omit<Payment, 'customMetadata' | 'dueAt' | 'dueCount'> & {
  customMetadata?: string | object | null | undefined;
};

/** Builds the details of one payment. @param reference of a payment by reference @param payer of a link's payment */
export function viewPayment(
  core: Pick<Core, 'keyring' | 'publicUrl'>,
  payment: Viewed,
  transactions: Transaction[],
  reference: Omit<Reference, 'paymentId'> | null = null,
  payer: Partial<Payer> | null = null,
) {
  const customer = payerOf(reference ?? payer ?? { documentNumber: payment.payerTaxId });
  const clientToken = clientTokenOf(core.keyring, payment.id);
  return {
    ...viewListed(payment),
    merchantId: payment.merchantId,
    createdByClient: payment.createdByKind === 'client' ? (payment.createdById ?? null) : null,
    ...viewCanceler(payment),
    shiftId: payment.shiftId ?? null,
    entity: reference?.entity ?? null,
    amountPaid: toMajor(payment.amountPaidMinor, payment.currency),
    amountRefunded: toMajor(payment.refundedMinor, payment.currency),
    authorizationId: payment.authorizationId ?? null,
    amountAuthorized: majorOrNull(payment.authorizedMinor, payment.currency),
    amountCaptured: majorOrNull(payment.capturedMinor, payment.currency),
    operation: payment.operation ?? null,
    maxTransactions: payment.maxTransactions ?? null,
    acceptedTransactions: payment.maxTransactions ? payment.acceptedCount : null,
    late: payment.late,
    resolvedAt: payment.resolvedAt ?? null,
    replacedBy: payment.replacedById ?? null,
    replaces: payment.replacesId ?? null,
    linkId: payment.linkId ?? null,
    completedAt: payment.completedAt ?? null,
    expiresAt: payment.expiresAt ?? null,
    description: payment.description ?? null,
    customer: { email: customer.customerEmail, name: customer.customerName, telephone: customer.customerTelephone },
    ...customer,
    referenceType: reference?.type ?? null,
    referenceStatus: reference?.status ?? null,
    registeredAt: reference?.registeredAt ?? null,
    failure: payment.failureCode
      ? { code: payment.failureCode, message: FAILURE_MESSAGES[payment.failureCode] ?? payment.failureCode }
      : null,
    transactions: transactions.map(viewTransaction),
    checkoutUrl: `${core.publicUrl}/checkout/${clientToken}`,
    clientToken,
  };
}

/** Builds the response of a creation by reference, with the id of the reference. */
export function viewPair(core: Pick<Core, 'keyring' | 'publicUrl'>, { payment, reference }: PaymentWithReference) {
  return { ...viewPayment(core, payment, [], reference), id: reference.id };
}

/** Returns the customMetadata of a row with every digit of its numbers. */
export function viewCustom(custom: string | object | null | undefined): unknown {
  return typeof custom === 'string' ? parseExactJson(custom) : (custom ?? null);
}

function majorOrNull(minor: number | null | undefined, currency: string): ReturnType<typeof toMajor> | null {
  return minor == null ? null : toMajor(minor, currency);
}

export function viewListed(payment: Viewed) {
  return {
    // A payment by reference shows its reference's digits as `id`.
    id: payment.paymentType === 'PPR' ? payment.reference : payment.id,
    internalId: payment.id,
    reference: payment.reference,
    amount: toMajor(payment.amountMinor, payment.currency),
    currency: payment.currency,
    paymentType: payment.paymentType,
    paymentMethod: payment.paymentMethod,
    status: payment.status,
    ...viewMoney(payment),
    flags: payment.flags,
    createdAt: payment.createdAt,
    createdBy: payment.createdByKind === 'user' ? (payment.createdById ?? null) : null,
    customMetadata: viewCustom(payment.customMetadata),
  };
}

function viewTransaction(transaction: Transaction) {
  return {
    id: transaction.id,
    amount: toMajor(transaction.amountMinor, transaction.currency),
    currency: transaction.currency,
    status: transaction.status,
    occurredAt: transaction.occurredAt,
    late: transaction.late,
    terminalId: null,
    clearingPeriod: null,
    transactionNumber: null,
    ...transaction.details,
  };
}

export const time = z.iso.datetime();

/** The schema of `viewMoney`. */
export const moneyFields = {
  refundStatus: z.enum(REFUND_EXTENTS).describe('How much of the money was refunded'),
  attention: z
    .enum(ATTENTION_FLAGS)
    .nullable()
    .describe('The kind of money that a person must refund, complete or resolve. null: no kind, or resolved'),
  standing: z
    .enum(STANDINGS)
    .describe('What the console and files show: the status, or the difference of its money that the status hides'),
};

/** One payment in the response of `GET /api/payments`. */
export const listedPayment = z
  .object({
    id: z.string(),
    internalId: z.uuid(),
    reference: z.string(),
    amount: z.number(),
    currency: z.string(),
    paymentType: z.enum(PAYMENT_TYPES),
    paymentMethod: z.string().meta(knownValues(PAYMENT_METHODS)),
    status: z.enum(PAYMENT_STATUSES),
    ...moneyFields,
    flags: z.array(z.string()).describe('amount_mismatch, overpaid, recovered'),
    createdAt: time,
    createdBy: z.uuid().nullable().describe('The person who charged. Null for API clients, and for payers of a link'),
    customMetadata: z.looseObject({}).nullable(),
  })
  .meta({ id: 'ListedPayment' });

/** The payment in the response of its creation and of its details. */
export const paymentDetails = listedPayment
  .extend({
    merchantId: z.uuid(),
    createdByClient: z.string().nullable().describe('The API client that charged. Null for people and payers'),
    canceledBy: z
      .uuid()
      .nullable()
      .describe('The person who canceled. Null for API clients and without a cancellation'),
    canceledByClient: z.string().nullable().describe('The API client that canceled. Null for people'),
    shiftId: z.uuid().nullable().describe('The open shift of the person who charged'),
    entity: z.string().nullable(),
    amountPaid: z.number().describe('Sum of accepted transactions'),
    amountRefunded: z.number().describe('What of it was given back'),
    authorizationId: z.uuid().nullable().describe('capture: the authorization it takes from'),
    amountAuthorized: z.number().nullable().describe('authorization: what the provider really reserved'),
    amountCaptured: z.number().nullable().describe('authorization: what was captured of it; the rest is released'),
    operation: z.enum(['capturing', 'voiding']).nullable().describe('authorization: what is under way'),
    maxTransactions: z.int().nullable().describe('qrcode: payments it accepts'),
    acceptedTransactions: z.int().nullable().describe('qrcode: payments it has accepted'),
    late: z.boolean().describe('Money, or a reservation, came after the payment had ended'),
    resolvedAt: time.nullable().describe('When a person resolved the attention. Later odd money clears it'),
    replacedBy: z.uuid().nullable().describe('internalId of the payment that replaced this one'),
    replaces: z.uuid().nullable().describe('internalId of the payment that this one replaces'),
    linkId: z.uuid().nullable().describe('The payment link that it was begun by'),
    completedAt: time.nullable(),
    expiresAt: time.nullable(),
    description: z.string().nullable(),
    customer: z.object({ email: z.string().nullable(), name: z.string().nullable(), telephone: z.string().nullable() }),
    customerEmail: z.string().nullable(),
    customerName: z.string().nullable(),
    customerTelephone: z.string().nullable(),
    documentNumber: z.string().nullable().describe('The payer’s document, mostly the tax number (NIF)'),
    referenceType: z.enum(REFERENCE_TYPES).nullable().describe('PPR'),
    referenceStatus: z.enum(REFERENCE_STATUSES).nullable().describe('PPR: whether the reference can be paid'),
    registeredAt: time.nullable().describe('PPR: since when the provider knows it; payable from then on'),
    failure: z.object({ code: z.string().meta(knownValues(FAILURE_CODES)), message: z.string() }).nullable(),
    transactions: z.array(
      z.looseObject({
        id: z.uuid(),
        amount: z.number(),
        currency: z.string(),
        status: z.string(),
        occurredAt: time,
        late: z.boolean(),
        terminalId: z.string().nullable(),
        clearingPeriod: z.string().nullable(),
        transactionNumber: z.string().nullable(),
      }),
    ),
    checkoutUrl: z.url(),
    clientToken: z.string(),
  })
  .meta({ id: 'Payment' });

/** The created payment. For a QR code, it also has the code's content and an image of it. */
export const createdPayment = paymentDetails
  .extend({
    qrCode: z
      .object({
        content: z.string().nullable().describe('Null where the provider draws the code and tells only its picture'),
        svg: z.string(),
        deeplink: z.string().nullable().describe('Opens Multicaixa Express with the code, on the phone it is on'),
      })
      .optional()
      .describe('qrcode with Prefer: return=representation, or with an Accept of JSON only'),
    warnings: z
      .array(z.object({ pointer: z.string(), code: z.string(), message: z.string() }))
      .optional()
      .describe('What the gateway read otherwise than you may have meant, such as an unknown `paymentMethod`'),
  })
  .meta({ id: 'CreatedPayment' });

/** Selects the newest transaction number of a payment. The CSV file of movements lists every transaction. */
const NEWEST_NUMBER = sql<string | null>`(select t.details ->> 'transactionNumber' from transactions t
  where t.payment_id = payments.id order by t.created_at desc, t.id desc limit 1)`;

const FIRST_COLUMNS = [
  { kind: 'time', from: 'createdAt', pt: 'Criado em', en: 'Created at', fr: 'Créé le' },
  { kind: 'time', from: 'completedAt', pt: 'Concluído em', en: 'Completed at', fr: 'Terminé le' },
  { kind: 'code', from: 'id', pt: 'Id interno', en: 'Internal id', fr: 'Id interne' },
  { kind: 'code', from: 'reference', pt: 'Referência', en: 'Reference', fr: 'Référence' },
  { kind: 'code', from: 'paymentType', words: PAYMENT_TYPE_WORDS, pt: 'Tipo', en: 'Type', fr: 'Type' },
  METHOD_COLUMN,
  { kind: 'code', from: 'status', words: PAYMENT_STATUS_WORDS, pt: 'Estado', en: 'Status', fr: 'État' },
] as const satisfies CsvColumn<string>[];

const AMOUNT_COLUMNS = [
  { kind: 'money', from: 'amountMinor', currency: 'currency', pt: 'Montante', en: 'Amount', fr: 'Montant' },
  { kind: 'money', from: 'amountPaidMinor', currency: 'currency', pt: 'Pago', en: 'Paid', fr: 'Payé' },
  REFUNDED_COLUMN,
] as const satisfies CsvColumn<string>[];

const OTHER_COLUMNS = [
  { kind: 'code', from: 'currency', pt: 'Moeda', en: 'Currency', fr: 'Devise' },
  { kind: 'text', from: 'description', pt: 'Descrição', en: 'Description', fr: 'Description' },
] as const satisfies CsvColumn<string>[];

export const COLUMNS = [
  ...FIRST_COLUMNS,
  STANDING_COLUMN,
  ...PAYER_COLUMNS,
  ...AMOUNT_COLUMNS,
  ...FEE_COLUMNS,
  ...OTHER_COLUMNS,
  CASHIER_COLUMN,
  LINK_COLUMN,
  { kind: 'text', from: 'transactionNumber', pt: 'N.º da transacção', en: 'Transaction no.', fr: 'N° de transaction' },
  METADATA_COLUMN,
] as const satisfies CsvColumn<string>[];

export const SELECTED = [
  ...new Set([
    ...[...FIRST_COLUMNS, ...AMOUNT_COLUMNS, ...OTHER_COLUMNS, METADATA_COLUMN].map(({ from }) => from),
    ...MONEY_COLUMNS,
  ]),
  NEWEST_NUMBER.as('transactionNumber'),
];
