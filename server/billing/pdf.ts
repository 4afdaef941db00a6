// Draws an invoice or a credit note as one A4 page, tagged for screen readers. Equal documents give equal bytes.
import { showIban } from '../../shared/iban.ts';
import { showMoney } from '../../shared/money.ts';
import { KINDS, NOT_FISCAL, numberOf } from './documents.ts';
import type { CreditNote, Invoice, InvoiceLine } from './entities.ts';
import { startOf } from '../../shared/luanda.ts';
import {
  BRAND,
  drawOrnament,
  drawPdf,
  drawRule,
  formatLuanda,
  group,
  MARGIN,
  PAGE_WIDTH,
  QUIET,
  RIGHT,
  WARNING,
  WIDTH,
  write,
  type Sheet,
  type Style,
} from '../exports/pdf.ts';
import { viewPaymentTerms } from './payment.ts';

/** The contents of an invoice or credit note on the page. */
export type DocumentSheet = Pick<
  Invoice,
  | 'id'
  | 'issuerName'
  | 'issuerTaxId'
  | 'issuerAddress'
  | 'issuedAt'
  | 'currency'
  | 'lines'
  | 'subtotalMinor'
  | 'taxBps'
  | 'taxMinor'
  | 'totalMinor'
> & { title: string; number: string; total: string; facts: Facts; payment: Facts };

type Facts = (readonly [name: string, value: string])[];

/** Returns the receiver of a document, with the tax number if it is known. */
function receiverOf({ merchantName, merchantTaxId }: Invoice | CreditNote): Facts {
  return [['Cliente', merchantName], ...(merchantTaxId ? [['NIF do cliente', merchantTaxId] as const] : [])];
}

export function sheetOfInvoice(invoice: Invoice): DocumentSheet {
  const facts = [
    ...receiverOf(invoice),
    ['Período', showMonth(invoice.month)],
    ['Data de emissão', formatLuanda(invoice.issuedAt, { dateStyle: 'long' })],
    ['Plano', invoice.planName],
    ['Pagamentos recebidos', group(invoice.paymentCount)],
    ...(invoice.refundCount ? [['Devoluções feitas', group(invoice.refundCount)] as const] : []),
  ] as const;
  const number = numberOf(invoice);
  const payment = listPayment(invoice, number);
  return { ...invoice, title: KINDS.invoice.title, number, total: 'Total', facts: [...facts], payment };
}

/** Returns the lines about the payment of an invoice. Empty for invoices of earlier releases. */
function listPayment(invoice: Invoice, number: string): Facts {
  if (!invoice.payment) return [];
  const terms = viewPaymentTerms(invoice, number);
  if (!terms) return [['Pagamento', 'Não há nada a pagar.']];
  const { iban, holder, dueOn, reference, note, contact } = terms;
  if (!iban) return [['Como pagar', contact ? `Pergunte ao operador: ${contact}` : 'Pergunte ao operador.']];
  return [
    ...(dueOn ? [['Pagar até', formatLuanda(startOf(dueOn), { dateStyle: 'long' })] as const] : []),
    ['IBAN', showIban(iban)],
    ...(holder ? [['Titular', holder] as const] : []),
    ['Referência a indicar', reference],
    ...(note ? [['Nota', note] as const] : []),
  ];
}

/** Returns the contents of a credit note's page. @param corrects the number of the corrected invoice */
export function sheetOfNote(note: CreditNote, corrects: string): DocumentSheet {
  const facts = [
    ...receiverOf(note),
    ['Corrige', corrects],
    ['Data de emissão', formatLuanda(note.issuedAt, { dateStyle: 'long' })],
  ] as const;
  const { subtotalMinor: amountMinor, reason: description } = note;
  const line = { kind: 'subscription', description, quantity: 1, unitMinor: amountMinor, amountMinor } as const;
  const number = numberOf(note, 'credit_note');
  // The page shows "Creditado", so that readers do not take a credit note for a debt.
  const payment = [['Pagamento', `Não há nada a pagar: desconta-se em ${corrects}.`]] as const;
  return {
    ...note,
    title: KINDS.credit_note.title,
    number,
    total: 'Creditado',
    facts: [...facts],
    lines: [line],
    payment: [...payment],
  };
}

/**
 * Draws a document that is not certified, in Portuguese, with a note that says so.
 * @param isSandbox true adds the note that the amount is not owed
 */
export function drawDocument(document: DocumentSheet, isSandbox: boolean): Promise<Buffer> {
  const { title, number, issuerName, issuedAt } = document;
  const about = { title: `${title} ${number}`, author: issuerName, createdAt: new Date(issuedAt), lang: 'pt' } as const;
  return drawPdf(about, (sheet) => {
    const head = drawHead(sheet, document, isSandbox);
    const below = drawLines(sheet, document, drawFacts(sheet, document.facts, head) + 10);
    drawPayment(sheet, document, drawSums(sheet, document, below));
    drawFoot(sheet, document);
  });
}

/** Draws the issuer, the title and the number. Returns the top position of the facts below. */
function drawHead(sheet: Sheet, document: DocumentSheet, isSandbox: boolean): number {
  const { title, number, issuerName, issuerTaxId, issuerAddress } = document;
  drawOrnament(sheet, () => sheet.rect(0, 0, PAGE_WIDTH, 8).fill(BRAND));
  if (isSandbox)
    write(sheet, 'AMBIENTE DE TESTES · documento sem valor fiscal', { y: 28, size: 10, color: WARNING, bold: true });
  // Registered company names are often long. A long name is printed smaller instead of being cut.
  const size = issuerName.length > 40 ? 14 : 20;
  write(sheet, issuerName, { y: 56, size, bold: true, width: 270 });
  const small = { size: 10, color: QUIET, width: 270 };
  if (issuerTaxId) write(sheet, `NIF ${issuerTaxId}`, { ...small, y: sheet.y + 2 });
  if (issuerAddress) write(sheet, issuerAddress, { ...small, y: sheet.y + 2 });
  const bottom = sheet.y;
  const right = { x: MARGIN + 280, width: WIDTH - 280, align: 'right' } as const;
  write(sheet, title, { ...right, y: 56, size: title.length > 20 ? 14 : 20, tag: 'H1' });
  write(sheet, NOT_FISCAL, { ...right, y: 82, size: 10, color: QUIET });
  write(sheet, number, { ...right, y: 98, size: 14, bold: true });
  return Math.max(148, bottom + 14);
}

/** Draws names with their values. Returns the bottom position. */
function drawFacts(sheet: Sheet, facts: Facts, top: number): number {
  let y = top;
  for (const [name, value] of facts) {
    write(sheet, name, { y, color: QUIET, width: 130 });
    write(sheet, value, { y, x: MARGIN + 136, width: WIDTH - 136 });
    y = Math.max(y + 20, sheet.y + 6);
  }
  return y;
}

/** The right edge and the width of each table column. */
const COLUMNS = {
  quantity: { x: 250, width: 65 },
  unit: { x: 320, width: 95 },
  amount: { x: 415, width: RIGHT - 415 },
} as const;

/** Draws the table of lines. Returns the bottom position of the table. */
function drawLines(sheet: Sheet, { lines, currency }: DocumentSheet, top: number): number {
  let y = Math.max(284, top);
  const drawRow = (cells: [string, string, string, string], style: Style) => {
    const [description, quantity, unit, amount] = cells;
    // A credit note shows its whole reason of up to 200 letters.
    write(sheet, description, { ...style, y, width: COLUMNS.quantity.x - MARGIN, lines: 10 });
    const bottom = sheet.y;
    for (const [text, column] of [
      [quantity, COLUMNS.quantity],
      [unit, COLUMNS.unit],
      [amount, COLUMNS.amount],
    ] as const)
      write(sheet, text, { ...style, ...column, y, align: 'right' });
    y = bottom + 8;
    drawRule(sheet, y);
    y += 10;
  };
  drawRow(['Descrição', 'Quantidade', 'Preço unitário', 'Montante'], { size: 9, color: QUIET });
  const show = (minor: number) => showMoney(minor, currency);
  const cellsOf = ({ description, quantity, unitMinor, amountMinor }: InvoiceLine) =>
    [description, group(quantity), show(unitMinor), show(amountMinor)] as [string, string, string, string];
  for (const line of lines) drawRow(cellsOf(line), {});
  return y;
}

const SUMS_X = 250;

/** Draws subtotal, tax and total. Returns the bottom position. */
function drawSums(sheet: Sheet, document: DocumentSheet, top: number): number {
  const { subtotalMinor, taxBps, taxMinor, total, totalMinor, currency } = document;
  let y = top + 6;
  const drawSum = (name: string, minor: number, style: Style) => {
    write(sheet, name, { ...style, y, x: SUMS_X, width: 90 });
    write(sheet, showMoney(minor, currency), {
      ...style,
      y,
      x: SUMS_X + 90,
      width: RIGHT - SUMS_X - 90,
      align: 'right',
    });
    y = sheet.y + 8;
  };
  drawSum('Subtotal', subtotalMinor, {});
  drawSum(`IVA ${String(taxBps / 100).replace('.', ',')} %`, taxMinor, {});
  drawRule(sheet, y, SUMS_X);
  y += 10;
  drawSum(total, totalMinor, { size: 16, bold: true });
  return y;
}

function drawPayment(sheet: Sheet, { payment }: DocumentSheet, top: number): void {
  if (payment.length === 0) return;
  drawRule(sheet, top + 8);
  drawFacts(sheet, payment, top + 20);
}

function drawFoot(sheet: Sheet, { id }: DocumentSheet): void {
  drawRule(sheet, 758);
  const text = 'Documento sem valor fiscal: não é uma factura, nem a substitui. Os meses e as datas são os de Luanda.';
  write(sheet, text, { y: 766, size: 8, color: QUIET, lines: 1 });
  write(sheet, id, { y: 777, size: 8, color: QUIET, lines: 1 });
}

function showMonth(month: string): string {
  return formatLuanda(startOf(month), { month: 'long', year: 'numeric' });
}
