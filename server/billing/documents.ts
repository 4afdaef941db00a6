// Builds the API views of invoices and credit notes: titles, numbers, certified documents and credits.
import { z } from 'zod';
import { addMinor, toMajor } from '../../shared/money.ts';
import { isAny, prepared, type Db } from '../database/db.ts';
import { pageQuery, uuidText } from '../http/fields.ts';
import type { CreditNote, FiscalDocument, Invoice, InvoiceLine } from './entities.ts';
import { paymentTerms, viewPaymentTerms } from './payment.ts';
import { month } from './schemas.ts';

/**
 * Titles and number prefixes of documents. They avoid the tax office's words (factura, FT, NC).
 * Since Decreto Presidencial 71/25, only software that the tax office validated may issue facturas.
 */
export const KINDS = {
  invoice: { title: 'Extracto mensal', prefix: 'EC' },
  credit_note: { title: 'Correcção de extracto mensal', prefix: 'CE' },
} as const;
export type DocumentKind = keyof typeof KINDS;

/** The note below the title of a document that is not certified. */
export const NOT_FISCAL = 'documento sem valor fiscal';

/** Formats a document number, for example `EC 2026/000001`. */
export function numberOf({ year, serial }: Pick<Invoice, 'year' | 'serial'>, kind: DocumentKind = 'invoice'): string {
  return `${KINDS[kind].prefix} ${year}/${String(serial).padStart(6, '0')}`;
}

/** The fields of a certified document, without its file. */
export type Fiscal = Pick<FiscalDocument, 'number' | 'series' | 'url' | 'hash' | 'issuedAt'>;

export function titleOf(kind: DocumentKind, fiscal: Fiscal | null): string {
  return fiscal ? KINDS[kind].title : `${KINDS[kind].title} · ${NOT_FISCAL}`;
}

export const listQuery = z.object(pageQuery);

export const byInvoice = z.object({ invoiceId: uuidText.describe('`id` of an invoice in the list') });
export const byCreditNote = z.object({
  creditNoteId: uuidText.describe('`id` of a credit note of an invoice'),
});

/** The certified documents by id, and the credit notes of invoices, oldest first. */
export type DocumentExtras = { fiscal: Map<string, Fiscal>; notes: CreditNote[] };

export async function findDocumentExtras(db: Db, invoiceIds: string[]): Promise<DocumentExtras> {
  const notes = await findNotes.all(db, { invoiceIds });
  const fiscal = await findFiscal.all(db, { ids: [...invoiceIds, ...notes.map(({ id }) => id)] });
  return { fiscal: new Map(fiscal.map((one) => [one.id, one])), notes };
}

const findNotes = prepared((tables, { invoiceIds }: { invoiceIds: string[] }) =>
  tables
    .selectFrom('credit_notes')
    .selectAll()
    .where('invoiceId', ...isAny(invoiceIds))
    .orderBy('year')
    .orderBy('serial'),
);

export const findFiscal = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('fiscal_documents')
    .select(['id', 'number', 'series', 'url', 'hash', 'issuedAt'])
    .where('id', ...isAny(ids)),
);

function viewFiscal(fiscal: Fiscal | undefined) {
  if (!fiscal) return null;
  const { number, series, url, hash, issuedAt } = fiscal;
  return { number, series, url: url ?? null, hash, issuedAt };
}

const fiscalDocument = z
  .object({
    number: z.string().describe('Number of the certified program'),
    series: z.string(),
    url: z.string().nullable().describe('Address of the document. Null if only this API has it, as PDF'),
    hash: z.string().describe('Signature of the certified program'),
    issuedAt: z.iso.datetime(),
  })
  .meta({ id: 'FiscalDocument' });

/** Builds the fields that invoices and credit notes share. */
function viewDocument(document: Invoice | CreditNote, kind: DocumentKind, { fiscal }: DocumentExtras) {
  const { id, issuedAt, currency, subtotalMinor, taxMinor, totalMinor } = document;
  const certified = fiscal.get(id);
  return {
    id,
    number: numberOf(document, kind),
    title: titleOf(kind, certified ?? null),
    issuedAt,
    currency,
    subtotal: toMajor(subtotalMinor, currency),
    tax: toMajor(taxMinor, currency),
    total: toMajor(totalMinor, currency),
    fiscal: viewFiscal(certified),
  };
}

const documentFields = (prefix: string, title: string) => ({
  id: z.uuid(),
  number: z.string().meta({ description: 'Consecutive in each year, without a gap', example: `${prefix} 2026/000001` }),
  title: z.string().meta({ description: 'Title of the document', example: `${title} · ${NOT_FISCAL}` }),
  issuedAt: z.iso.datetime(),
  currency: z.string(),
  subtotal: z.number(),
  tax: z.number().describe('IVA, rounded once, on the subtotal'),
  total: z.number(),
  fiscal: fiscalDocument
    .nullable()
    .describe('Its certified document. Null before the certification: this document has no fiscal value'),
});

export function viewInvoice(invoice: Invoice, standing: DocumentExtras) {
  return {
    ...viewDocument(invoice, 'invoice', standing),
    month: invoice.month,
    credited: toMajor(creditedOf(invoice, standing), invoice.currency),
  };
}

const notesOf = ({ id }: Invoice, { notes }: DocumentExtras) => notes.filter(({ invoiceId }) => invoiceId === id);

/** Returns the part of an invoice's total that its credit notes take back. */
const creditedOf = (invoice: Invoice, standing: DocumentExtras) =>
  addMinor(...notesOf(invoice, standing).map(({ totalMinor }) => totalMinor));

export const listedInvoice = z
  .object({
    ...documentFields(KINDS.invoice.prefix, KINDS.invoice.title),
    month: month('What it is for'),
    credited: z.number().describe('Part of the total that its credit notes take back'),
  })
  .meta({ id: 'ListedInvoice' });

export function viewInvoiceDetails(invoice: Invoice, standing: DocumentExtras) {
  const { planName, paymentCount, refundCount } = invoice;
  return {
    ...viewInvoice(invoice, standing),
    ...viewParties(invoice),
    payment: viewPaymentTerms(invoice, numberOf(invoice)),
    amountDue: toMajor(addMinor(invoice.totalMinor, -creditedOf(invoice, standing)), invoice.currency),
    plan: planName,
    payments: paymentCount,
    refunds: refundCount,
    lines: invoice.lines.map((line) => viewLine(line, invoice.currency)),
    creditNotes: notesOf(invoice, standing).map((note) => viewCreditNote(note, standing)),
  };
}

function viewParties(document: Invoice | CreditNote) {
  const { issuerName: name, issuerTaxId, issuerAddress, merchantName, merchantTaxId = null, taxBps } = document;
  const issuer = { name, taxId: issuerTaxId || null, address: issuerAddress || null };
  return { issuer, merchantName, merchantTaxId, taxPercent: taxBps / 100 };
}

function viewLine({ kind, description, quantity, unitMinor, amountMinor }: InvoiceLine, currency: string) {
  return {
    kind,
    description,
    quantity,
    unitPrice: toMajor(unitMinor, currency),
    amount: toMajor(amountMinor, currency),
  };
}

export function viewCreditNote(note: CreditNote, standing: DocumentExtras) {
  const { invoiceId, reason } = note;
  return { ...viewDocument(note, 'credit_note', standing), ...viewParties(note), invoiceId, reason };
}

const parties = {
  issuer: z.object({ name: z.string(), taxId: z.string().nullable(), address: z.string().nullable() }),
  merchantName: z.string(),
  merchantTaxId: z.string().nullable().describe('Tax number (NIF) of the receiver at the time of issue'),
  taxPercent: z.number(),
};

export const creditNote = z
  .object({
    ...documentFields(KINDS.credit_note.prefix, KINDS.credit_note.title),
    ...parties,
    invoiceId: z.uuid().describe('Corrected invoice'),
    reason: z.string(),
  })
  .meta({ id: 'CreditNote' });

export const invoiceDetails = listedInvoice
  .extend({
    ...parties,
    payment: paymentTerms.nullable().describe('How to pay. Null for an amount of zero, and for older statements'),
    amountDue: z.number().describe('Total without the credited part. The API does not record payments of statements'),
    plan: z.string(),
    payments: z.int().describe('Payments received, including those that the monthly fee covers'),
    refunds: z.int().describe('Refunds made in the month. They cost nothing and return no fee'),
    lines: z.array(
      z.object({
        kind: z.enum(['subscription', 'payments']),
        description: z.string(),
        quantity: z.int(),
        unitPrice: z.number(),
        amount: z.number(),
      }),
    ),
    creditNotes: z.array(creditNote).describe('Its credit notes, oldest first. They never exceed the invoice'),
  })
  .meta({ id: 'Invoice' });
