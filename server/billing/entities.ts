// What merchants pay the operator for: plans, subscriptions, usage counted once, invoices, what corrects and what certifies them.
import { defineEntity, p } from '@mikro-orm/core';

export const PlanSchema = defineEntity({
  name: 'Plan',
  tableName: 'plans',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    currency: p.text().default('AOA'),
    /** A calendar month in Luanda, without tax. */
    monthlyFeeMinor: p.bigint('number'),
    /** Payments received in a month that the fee covers. */
    includedPayments: p.integer(),
    /** Of each payment beyond them, without tax. */
    paymentFeeMinor: p.bigint('number'),
    createdAt: p.datetime(3),
    /** Nobody can choose it any more; who has it keeps it. */
    retiredAt: p.datetime(3).nullable(),
  },
});

/** What a merchant may subscribe to. It never changes: another price is another plan. */
export class Plan extends PlanSchema.class {}
PlanSchema.setClass(Plan);

export const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscriptions',
  properties: {
    merchantId: p.uuid().primary(),
    /** `2026-11`: the first month in Luanda for which the plan is in force, until the next one. */
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
    /** The first month without an invoice; `2026-11`. */
    nextMonth: p.text(),
    /** When that month is over in Luanda. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [{ name: 'billing_accounts_due', properties: ['dueAt'], where: 'due_at is not null' }],
});

/** Up to where a merchant with a subscription was invoiced. */
export class BillingAccount extends BillingAccountSchema.class {}
BillingAccountSchema.setClass(BillingAccount);

export const UsageSchema = defineEntity({
  name: 'UsageEntry',
  tableName: 'usage_entries',
  properties: {
    /** The money received: counted once, however many events tell of it. */
    transactionId: p.uuid().primary(),
    merchantId: p.uuid(),
    amountMinor: p.bigint('number'),
    currency: p.text(),
    /** `GPO` or `PPR`. */
    paymentType: p.text(),
    /** When it was recorded: a day that is over never changes. */
    occurredAt: p.datetime(3),
    /** Whose usage it became; null: none yet. */
    invoiceId: p.uuid().nullable(),
  },
  indexes: [
    { name: 'usage_entries_merchant', properties: ['merchantId', 'occurredAt'] },
    { name: 'usage_entries_open', properties: ['merchantId', 'occurredAt'], where: 'invoice_id is null' },
  ],
});

/** One payment received, written in the statement of the first event that tells of it. */
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
    /** One after the other without a gap, over all merchants, each year from 1. */
    year: p.integer(),
    serial: p.integer(),
    merchantId: p.uuid(),
    /** These five as they were then: it never changes. */
    issuerName: p.text(),
    issuerTaxId: p.text(),
    merchantName: p.text(),
    merchantTaxId: p.text().nullable(),
    planName: p.text(),
    /** `2026-11`, in Luanda. */
    month: p.text(),
    lines: p.json().$type<InvoiceLine[]>(),
    paymentCount: p.integer(),
    /** Refunds made in the month, which cost nothing and bring no fee back. */
    refundCount: p.integer().default(0),
    currency: p.text(),
    subtotalMinor: p.bigint('number'),
    /** Of the tax (IVA), in hundredths of a percent. */
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

/** What a merchant owes for a month. It never changes. */
export class Invoice extends InvoiceSchema.class {}
InvoiceSchema.setClass(Invoice);

export const CreditNoteSchema = defineEntity({
  name: 'CreditNote',
  tableName: 'credit_notes',
  properties: {
    id: p.uuid().primary(),
    /** A range of their own: one after the other without a gap, over all merchants, each year from 1. */
    year: p.integer(),
    serial: p.integer(),
    merchantId: p.uuid(),
    /** What it corrects: all notes of an invoice together never credit more than it asks for (credit.ts). */
    invoiceId: p.uuid(),
    /** Why; of one invoice no two have the same, so that a correction that is repeated is made once. */
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

/** What an invoice asked for too much. It never changes, as the invoice does not. */
export class CreditNote extends CreditNoteSchema.class {}
CreditNoteSchema.setClass(CreditNote);

export const FiscalDocumentSchema = defineEntity({
  name: 'FiscalDocument',
  tableName: 'fiscal_documents',
  properties: {
    /** Of the invoice or credit note that it certifies. */
    id: p.uuid().primary(),
    /** As the certified program numbered it. */
    series: p.text(),
    number: p.text(),
    /** Where it can be looked at, when the program says. */
    url: p.text().nullable(),
    /** What the program signed it with, as it prints it. */
    hash: p.text(),
    issuedAt: p.datetime(3),
    /** The PDF, and its SHA-256 in hex. */
    file: p.blob(),
    fileHash: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'fiscal_documents_number', properties: ['series', 'number'] }],
});

/** What a program that the tax office certified made of an invoice or credit note. It never changes. */
export class FiscalDocument extends FiscalDocumentSchema.class {}
FiscalDocumentSchema.setClass(FiscalDocument);

export const CertificationRequestSchema = defineEntity({
  name: 'CertificationRequest',
  tableName: 'certification_requests',
  properties: {
    /** Of the invoice or credit note. */
    id: p.uuid().primary(),
    /** When it was asked for, or last asked for again: from then on it is tried for 72 hours. */
    askedAt: p.datetime(3),
    /** Failed attempts since then. */
    tries: p.integer().default(0),
    /** Why the last attempt failed. */
    fault: p.text().nullable(),
    /** When the certified program took it. */
    toldAt: p.datetime(3).nullable(),
    /** When it is told (again); null: it was, or it was given up. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [{ name: 'certification_requests_due', properties: ['dueAt'], where: 'due_at is not null' }],
});

/** What the operator's certified program is to be told of (handover.ts). */
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
