// Tables of billing: plans, subscriptions, usage, invoices, credit notes and certified documents.
import { defineEntity, p } from '@mikro-orm/core';

export const PlanSchema = defineEntity({
  name: 'Plan',
  tableName: 'plans',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    currency: p.text().default('AOA'),
    /** The fee of a calendar month in Luanda, without tax. */
    monthlyFeeMinor: p.bigint('number'),
    /** The number of payments in a month that the fee covers. */
    includedPayments: p.integer(),
    /** The fee of each further payment, without tax. */
    paymentFeeMinor: p.bigint('number'),
    createdAt: p.datetime(3),
    /** Merchants cannot choose a retired plan. Subscribed merchants keep it. */
    retiredAt: p.datetime(3).nullable(),
  },
});

/** A plan that merchants subscribe to. It never changes: another price is another plan. */
export class Plan extends PlanSchema.class {}
PlanSchema.setClass(Plan);

export const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscriptions',
  properties: {
    merchantId: p.uuid().primary(),
    /** The first month of the plan in Luanda, such as `2026-11`. It ends with the next subscription. */
    month: p.text().primary(),
    planId: p.uuid(),
    createdAt: p.datetime(3),
  },
});

/** A merchant's plan from a month on. */
export class Subscription extends SubscriptionSchema.class {}
SubscriptionSchema.setClass(Subscription);

export const BillingAccountSchema = defineEntity({
  name: 'BillingAccount',
  tableName: 'billing_accounts',
  properties: {
    id: p.uuid().primary(),
    /** The first month without an invoice, such as `2026-11`. */
    nextMonth: p.text(),
    /** The end of that month in Luanda. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [{ name: 'billing_accounts_due', properties: ['dueAt'], where: 'due_at is not null' }],
});

/** The next month to invoice of a merchant with a subscription. */
export class BillingAccount extends BillingAccountSchema.class {}
BillingAccountSchema.setClass(BillingAccount);

export const UsageSchema = defineEntity({
  name: 'UsageEntry',
  tableName: 'usage_entries',
  properties: {
    /** The received transaction. It counts once, also if several events name it. */
    transactionId: p.uuid().primary(),
    merchantId: p.uuid(),
    amountMinor: p.bigint('number'),
    currency: p.text(),
    /** `GPO` or `PPR`. */
    paymentType: p.text(),
    /** The time of recording, so that a past day never changes. */
    occurredAt: p.datetime(3),
    /** The invoice that charges it. Null before the invoice. */
    invoiceId: p.uuid().nullable(),
  },
  indexes: [
    { name: 'usage_entries_merchant', properties: ['merchantId', 'occurredAt'] },
    { name: 'usage_entries_open', properties: ['merchantId', 'occurredAt'], where: 'invoice_id is null' },
  ],
});

/** One received payment. The statement of the first event that names it writes the row. */
export class UsageEntry extends UsageSchema.class {}
UsageSchema.setClass(UsageEntry);

/** A line of an invoice; `amountMinor` = `quantity` × `unitMinor`. */
export type InvoiceLine = {
  kind: 'subscription' | 'payments';
  description: string;
  quantity: number;
  unitMinor: number;
  amountMinor: number;
};

export const InvoiceSchema = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  properties: {
    id: p.uuid().primary(),
    /** Consecutive numbers over all merchants, from 1 in each year, without a gap. */
    year: p.integer(),
    serial: p.integer(),
    merchantId: p.uuid(),
    /** The next five columns keep the values of the time of issue. */
    issuerName: p.text(),
    issuerTaxId: p.text(),
    merchantName: p.text(),
    merchantTaxId: p.text().nullable(),
    planName: p.text(),
    /** The invoiced month in Luanda, such as `2026-11`. */
    month: p.text(),
    lines: p.json().$type<InvoiceLine[]>(),
    paymentCount: p.integer(),
    /** The refunds of the month. They cost nothing and return no fee. */
    refundCount: p.integer().default(0),
    currency: p.text(),
    subtotalMinor: p.bigint('number'),
    /** The tax rate (IVA) in hundredths of a percent. */
    taxBps: p.integer(),
    taxMinor: p.bigint('number'),
    totalMinor: p.bigint('number'),
    issuedAt: p.datetime(3),
  },
  uniques: [
    { name: 'invoices_month', properties: ['merchantId', 'month'] },
    { name: 'invoices_serial', properties: ['year', 'serial'] },
  ],
});

/** The amount that a merchant owes for a month. It never changes. */
export class Invoice extends InvoiceSchema.class {}
InvoiceSchema.setClass(Invoice);

export const CreditNoteSchema = defineEntity({
  name: 'CreditNote',
  tableName: 'credit_notes',
  properties: {
    id: p.uuid().primary(),
    /** Consecutive numbers of credit notes over all merchants, from 1 in each year, without a gap. */
    year: p.integer(),
    serial: p.integer(),
    merchantId: p.uuid(),
    /** The corrected invoice. All notes of an invoice never exceed it (credit.ts). */
    invoiceId: p.uuid(),
    /** The reason, unique for an invoice, so that a repeated correction is written once. */
    reason: p.text(),
    issuerName: p.text(),
    issuerTaxId: p.text(),
    merchantName: p.text(),
    merchantTaxId: p.text().nullable(),
    currency: p.text(),
    subtotalMinor: p.bigint('number'),
    taxBps: p.integer(),
    taxMinor: p.bigint('number'),
    totalMinor: p.bigint('number'),
    issuedAt: p.datetime(3),
  },
  checks: [{ name: 'credit_notes_amounts', expression: 'subtotal_minor > 0 and tax_minor >= 0' }],
  uniques: [
    { name: 'credit_notes_serial', properties: ['year', 'serial'] },
    { name: 'credit_notes_reason', properties: ['invoiceId', 'reason'] },
  ],
});

/** A correction that lowers an invoice. It never changes, like the invoice. */
export class CreditNote extends CreditNoteSchema.class {}
CreditNoteSchema.setClass(CreditNote);

export const FiscalDocumentSchema = defineEntity({
  name: 'FiscalDocument',
  tableName: 'fiscal_documents',
  properties: {
    /** The id of the certified invoice or credit note. */
    id: p.uuid().primary(),
    /** Series and number of the certified program. */
    series: p.text(),
    number: p.text(),
    /** The address of the document, if the program names one. */
    url: p.text().nullable(),
    /** The program's signature, as printed on the document. */
    hash: p.text(),
    issuedAt: p.datetime(3),
    /** The PDF. The next column has its SHA-256 in hex. */
    file: p.blob(),
    fileHash: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'fiscal_documents_number', properties: ['series', 'number'] }],
});

/** The document of a program that the tax office certified, for an invoice or credit note. It never changes. */
export class FiscalDocument extends FiscalDocumentSchema.class {}
FiscalDocumentSchema.setClass(FiscalDocument);

export const CertificationRequestSchema = defineEntity({
  name: 'CertificationRequest',
  tableName: 'certification_requests',
  properties: {
    /** The id of the invoice or credit note. */
    id: p.uuid().primary(),
    /** When the certification was requested last. The gateway repeats the webhook for 72 hours from then on. */
    askedAt: p.datetime(3),
    /** The failed attempts since that request. */
    tries: p.integer().default(0),
    /** Why the last attempt failed. */
    fault: p.text().nullable(),
    /** When the certified program confirmed the request. */
    toldAt: p.datetime(3).nullable(),
    /** The time of the next attempt. Null after the confirmation or the last attempt. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [{ name: 'certification_requests_due', properties: ['dueAt'], where: 'due_at is not null' }],
});

/** A document that the gateway reports to the operator's certified program (handover.ts). */
export class CertificationRequest extends CertificationRequestSchema.class {}
CertificationRequestSchema.setClass(CertificationRequest);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<
    | typeof PlanSchema
    | typeof SubscriptionSchema
    | typeof BillingAccountSchema
    | typeof UsageSchema
    | typeof InvoiceSchema
    | typeof CreditNoteSchema
    | typeof FiscalDocumentSchema
    | typeof CertificationRequestSchema
  > {}
}
