// Draws an invoice or a credit note as one A4 page, tagged for screen readers. Equal documents give equal bytes.
import { createRequire } from 'node:module';
import { openSync } from 'fontkit';
import PDFDocument from 'pdfkit';
import { showIban } from '../../shared/iban.ts';
import { showMoney } from '../../shared/money.ts';
import { KINDS, NOT_FISCAL, numberOf } from './documents.ts';
import type { CreditNote, Invoice, InvoiceLine } from './entities.ts';
import { capitalizeMonth, startOf } from '../../shared/luanda.ts';
import { viewPaymentTerms } from './payment.ts';

type Sheet = InstanceType<typeof PDFDocument>;

const INK = '#1B1A17';
const QUIET = '#5F5A51';
const LINE = '#E4DFD5';
const BRAND = '#0B5D5B';
const WARNING = '#8A5300';

const MARGIN = 56;
/** The right margin of an A4 page, in points. */
const RIGHT = 595.28 - MARGIN;
const WIDTH = RIGHT - MARGIN;

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
export async function drawDocument(document: DocumentSheet, isSandbox: boolean): Promise<Buffer> {
  const { title, number, issuerName, issuedAt } = document;
  const info = { Title: `${title} ${number}`, Author: issuerName, CreationDate: new Date(issuedAt) };
  const about = { info, lang: 'pt', displayTitle: true, tagged: true, pdfVersion: '1.7' } as const;
  const sheet = new PDFDocument({ size: 'A4', margin: MARGIN, ...about });
  const chunks: Buffer[] = [];
  sheet.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => sheet.on('end', resolve));
  const head = drawHead(sheet, document, isSandbox);
  const below = drawLines(sheet, document, drawFacts(sheet, document.facts, head) + 10);
  drawPayment(sheet, document, drawSums(sheet, document, below));
  drawFoot(sheet, document);
  sheet.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Draws the issuer, the title and the number. Returns the top position of the facts below. */
function drawHead(sheet: Sheet, document: DocumentSheet, isSandbox: boolean): number {
  const { title, number, issuerName, issuerTaxId, issuerAddress } = document;
  drawOrnament(sheet, () => sheet.rect(0, 0, 595.28, 8).fill(BRAND));
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

type Style = { size?: number; color?: string; bold?: boolean };
type Place = Style & {
  y: number;
  x?: number;
  width?: number;
  align?: 'left' | 'right';
  lines?: number;
  /** The structure type for screen readers. */
  tag?: 'H1' | 'P';
};

/** Writes text on the page. Longer text ends in an ellipsis, so that the document keeps to one page. */
function write(sheet: Sheet, text: string, place: Place): void {
  const { x = MARGIN, y, width = WIDTH, align = 'left', size = 11, color = INK, bold = false, lines = 3 } = place;
  const { tag = 'P' } = place;
  const { font, shown } = chooseFont(text.normalize('NFC'), bold);
  sheet.font(font, size).fillColor(color);
  const height = sheet.currentLineHeight(true) * (lines + 0.1);
  const draw = () => void sheet.text(shown, x, y, { width, align, height, ellipsis: '…' });
  sheet.addStructure(sheet.struct(tag, {}, draw));
}

/** The characters in the standard fonts that every PDF reader has (Windows-1252). */
const STANDARD = /^[\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/u;

const require = createRequire(import.meta.url);

const opened = new Map<string, ReturnType<typeof openSync>>();

/** Chooses the font of a text. Other characters need an embedded font, and missing ones show as code points. */
function chooseFont(text: string, bold: boolean): { font: string; shown: string } {
  if (STANDARD.test(text)) return { font: bold ? 'Helvetica-Bold' : 'Helvetica', shown: text };
  const font = require.resolve(`dejavu-fonts-ttf/ttf/DejaVuSans${bold ? '-Bold' : ''}.ttf`);
  const glyphs = opened.get(font) ?? openSync(font);
  opened.set(font, glyphs);
  const show = (letter: string) =>
    glyphs.hasGlyphForCodePoint(letter.codePointAt(0) as number) ? letter : nameOf(letter);
  return { font, shown: Array.from(text, show).join('') };
}

/** Writes a character as its code point, such as `[U+4E2D]`. A question mark would lose the character. */
const nameOf = (letter: string) =>
  `[U+${(letter.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}]`;

function drawRule(sheet: Sheet, y: number, from = MARGIN): void {
  drawOrnament(sheet, () => sheet.moveTo(from, y).lineTo(RIGHT, y).lineWidth(0.75).strokeColor(LINE).stroke());
}

/** Draws lines and areas that screen readers skip. */
function drawOrnament(sheet: Sheet, draw: () => void): void {
  sheet.markContent('Artifact', { type: 'Layout' });
  draw();
  sheet.endMarkedContent();
}

/** Creates the date formatter for each page, because at the start of the node it would take more time than a page. */
function formatLuanda(date: Date, style: Intl.DateTimeFormatOptions): string {
  return capitalizeMonth(new Intl.DateTimeFormat('pt-PT', { timeZone: 'Africa/Luanda', ...style }).format(date));
}

function showMonth(month: string): string {
  return formatLuanda(startOf(month), { month: 'long', year: 'numeric' });
}

/** Formats a count with groups of digits, such as `12 345`, separated by a no-break space. */
function group(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}
