// Tables of billing: plans, subscriptions, usage, invoices, credit notes and certified documents.
import { defineEntity, p } from '@mikro-orm/core';

export const PlanSchema = defineEntity({
  name: 'Plan',
  tableName: 'plans',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    currency: p.text().default('AOA'),
    /** The plan's fee for a calendar month in Luanda, without tax. */
    monthlyFeeMinor: p.bigint('number'),
    /** The number of payments per month that the monthly fee covers. */
    includedPayments: p.integer(),
    /** The fee of each further payment, without tax. */
    paymentFeeMinor: p.bigint('number'),
    createdAt: p.datetime(3),
    /** The time at which the plan was retired. Merchants cannot choose it then, but subscribed merchants keep it. */
    retiredAt: p.datetime(3).nullable(),
  },
});

/** A plan that merchants subscribe to. It never changes, so a new price needs a new plan. */
export class Plan extends PlanSchema.class {}
PlanSchema.setClass(Plan);

export const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscriptions',
  properties: {
    merchantId: p.uuid().primary(),
    /**
     * The first month of the subscription in Luanda, for example `2026-11`.
     * The merchant's next subscription ends it.
     */
    month: p.text().primary(),
    planId: p.uuid(),
    createdAt: p.datetime(3),
  },
});

/** The plan of a merchant from a given month on. */
export class Subscription extends SubscriptionSchema.class {}
SubscriptionSchema.setClass(Subscription);

export const BillingAccountSchema = defineEntity({
  name: 'BillingAccount',
  tableName: 'billing_accounts',
  properties: {
    id: p.uuid().primary(),
    /** The first month without an invoice, for example `2026-11`. */
    nextMonth: p.text(),
    /** The end of `nextMonth` in Luanda. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [{ name: 'billing_accounts_due', properties: ['dueAt'], where: 'due_at is not null' }],
});

/** The billing account of a subscribed merchant, with the next month to invoice. */
export class BillingAccount extends BillingAccountSchema.class {}
BillingAccountSchema.setClass(BillingAccount);

export const UsageSchema = defineEntity({
  name: 'UsageEntry',
  tableName: 'usage_entries',
  properties: {
    /** The received transaction. It counts once as usage, even if several events name it. */
    transactionId: p.uuid().primary(),
    merchantId: p.uuid(),
    amountMinor: p.bigint('number'),
    currency: p.text(),
    /** The type of the payment: `GPO` or `PPR`. */
    paymentType: p.text(),
    /** The time at which the transaction was recorded, so that the usage of a past day never changes. */
    occurredAt: p.datetime(3),
    /** The invoice that charges this usage. Null until that invoice exists. */
    invoiceId: p.uuid().nullable(),
  },
  indexes: [
    { name: 'usage_entries_merchant', properties: ['merchantId', 'occurredAt'] },
    { name: 'usage_entries_open', properties: ['merchantId', 'occurredAt'], where: 'invoice_id is null' },
  ],
});

/** One received transaction as usage. The first event that names the transaction writes the row. */
export class UsageEntry extends UsageSchema.class {}
UsageSchema.setClass(UsageEntry);

/** A line of an invoice: `amountMinor` = `quantity` × `unitMinor`. */
export type InvoiceLine = {
  kind: 'subscription' | 'payments';
  description: string;
  quantity: number;
  unitMinor: number;
  amountMinor: number;
};

/** How to pay a statement, from the operator's settings at the time of issue (payment.ts). Null: not configured. */
export type PaymentTerms = {
  iban: string | null;
  holder: string | null;
  /** The last day to pay in Luanda, for example `2026-12-15`. */
  dueOn: string | null;
  note: string | null;
  contact: string | null;
};

export const InvoiceSchema = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  properties: {
    id: p.uuid().primary(),
    /** Year and number of the invoice. Numbers are consecutive over all merchants, from 1 each year, without a gap. */
    year: p.integer(),
    serial: p.integer(),
    merchantId: p.uuid(),
    /** The next seven columns keep the values that were valid when the invoice was issued. */
    issuerName: p.text(),
    issuerTaxId: p.text(),
    /** Null for invoices of earlier releases, and so is `payment`. */
    issuerAddress: p.text().nullable(),
    payment: p.json().$type<PaymentTerms>().nullable(),
    merchantName: p.text(),
    merchantTaxId: p.text().nullable(),
    planName: p.text(),
    /** The invoiced month in Luanda, for example `2026-11`. */
    month: p.text(),
    lines: p.json().$type<InvoiceLine[]>(),
    paymentCount: p.integer(),
    /** The number of refunds in the month. A refund costs nothing and returns no fee. */
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

/** An invoice: the amount that a merchant owes for a month. It never changes. */
export class Invoice extends InvoiceSchema.class {}
InvoiceSchema.setClass(Invoice);

export const CreditNoteSchema = defineEntity({
  name: 'CreditNote',
  tableName: 'credit_notes',
  properties: {
    id: p.uuid().primary(),
    /**
     * Year and number of the credit note.
     * Numbers are consecutive over all merchants, from 1 each year, without a gap.
     */
    year: p.integer(),
    serial: p.integer(),
    merchantId: p.uuid(),
    /** The corrected invoice. All credit notes of an invoice together never exceed it (credit.ts). */
    invoiceId: p.uuid(),
    /** The reason of the credit note. It is unique for an invoice, so a repeated correction is written once. */
    reason: p.text(),
    issuerName: p.text(),
    issuerTaxId: p.text(),
    issuerAddress: p.text().nullable(),
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

/** A credit note: a correction that lowers an invoice. It never changes. */
export class CreditNote extends CreditNoteSchema.class {}
CreditNoteSchema.setClass(CreditNote);

export const FiscalDocumentSchema = defineEntity({
  name: 'FiscalDocument',
  tableName: 'fiscal_documents',
  properties: {
    /** The id of the certified invoice or credit note. */
    id: p.uuid().primary(),
    /** The series of the certified program. The next column has the number in the series. */
    series: p.text(),
    number: p.text(),
    /** The URL of the certified document, if the program returns one. */
    url: p.text().nullable(),
    /** The certified program's signature, as printed on the document. */
    hash: p.text(),
    issuedAt: p.datetime(3),
    /** The certified PDF. The next column has its SHA-256 in hex. */
    file: p.blob(),
    fileHash: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'fiscal_documents_number', properties: ['series', 'number'] }],
});

/** The certified document of an invoice or credit note. It comes from a program that the tax office validated. */
export class FiscalDocument extends FiscalDocumentSchema.class {}
FiscalDocumentSchema.setClass(FiscalDocument);

export const CertificationRequestSchema = defineEntity({
  name: 'CertificationRequest',
  tableName: 'certification_requests',
  properties: {
    /** The id of the invoice or credit note. */
    id: p.uuid().primary(),
    /** The time of the last request for certification. The gateway repeats the webhook for 72 hours from then on. */
    askedAt: p.datetime(3),
    /** The number of failed webhook attempts since that request. */
    tries: p.integer().default(0),
    /** The reason why the last webhook attempt failed. */
    fault: p.text().nullable(),
    /** The time at which the certified program confirmed the webhook. */
    toldAt: p.datetime(3).nullable(),
    /** The time of the next webhook attempt. Null after the confirmation or the last attempt. */
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
