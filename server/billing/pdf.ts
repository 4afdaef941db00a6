// An invoice as a sheet of A4, the same bytes each time it is asked for.
import type PDFDocument from 'pdfkit';
import { showMoney } from '../../shared/money.ts';
import { rarely } from '../rare.ts';
import type { Invoice, InvoiceLine } from './entities.ts';
import { numberOf } from './schemas.ts';
import { startOf } from '../../shared/luanda.ts';

type Sheet = InstanceType<typeof PDFDocument>;

const loadPdfkit = rarely<typeof PDFDocument>('pdfkit');

const INK = '#1B1A17';
const QUIET = '#5F5A51';
const LINE = '#E4DFD5';
const BRAND = '#0B5D5B';
const WARNING = '#8A5300';

const MARGIN = 56;
/** Of A4, in points. */
const RIGHT = 595.28 - MARGIN;
const WIDTH = RIGHT - MARGIN;

/** Draws it in Portuguese. @param isSandbox says on it that it is no invoice anybody owes */
export async function drawInvoice(invoice: Invoice, isSandbox: boolean): Promise<Buffer> {
  const number = numberOf(invoice);
  const info = { Title: `Fatura ${number}`, Author: invoice.issuerName, CreationDate: new Date(invoice.issuedAt) };
  const sheet = new (loadPdfkit())({ size: 'A4', margin: MARGIN, info, lang: 'pt', displayTitle: true });
  const chunks: Buffer[] = [];
  sheet.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => sheet.on('end', resolve));
  drawHead(sheet, invoice, isSandbox);
  const below = drawLines(sheet, invoice, drawParties(sheet, invoice));
  drawSums(sheet, invoice, below);
  drawFoot(sheet, invoice);
  sheet.end();
  await ended;
  return Buffer.concat(chunks);
}

function drawHead(sheet: Sheet, invoice: Invoice, isSandbox: boolean): void {
  sheet.rect(0, 0, 595.28, 8).fill(BRAND);
  if (isSandbox)
    write(sheet, 'SANDBOX · documento de teste, sem valor', { y: 28, size: 10, color: WARNING, bold: true });
  // A name of the register is often long: smaller, rather than cut.
  const size = invoice.issuerName.length > 40 ? 14 : 20;
  write(sheet, invoice.issuerName, { y: 56, size, bold: true, width: 300 });
  if (invoice.issuerTaxId)
    write(sheet, `NIF ${invoice.issuerTaxId}`, { y: sheet.y + 2, size: 10, color: QUIET, width: 300 });
  write(sheet, 'Fatura', { y: 56, size: 20, align: 'right' });
  write(sheet, numberOf(invoice), { y: 82, size: 14, bold: true, align: 'right' });
}

/** Answers where the lines begin. */
function drawParties(sheet: Sheet, invoice: Invoice): number {
  const facts = [
    ['Cliente', invoice.merchantName],
    ['Período', showMonth(invoice.month)],
    ['Data de emissão', formatLuanda(invoice.issuedAt, { dateStyle: 'long' })],
    ['Plano', invoice.planName],
    ['Pagamentos recebidos', group(invoice.paymentCount)],
    ...(invoice.refundCount ? [['Devoluções feitas', group(invoice.refundCount)] as const] : []),
  ] as const;
  let y = 148;
  for (const [name, value] of facts) {
    write(sheet, name, { y, color: QUIET, width: 130 });
    write(sheet, value, { y, x: MARGIN + 136, width: WIDTH - 136, lines: 2 });
    y = Math.max(y + 20, sheet.y + 6);
  }
  return Math.max(284, y + 10);
}

/** Where each column ends, and how wide it is. */
const COLUMNS = {
  quantity: { x: 250, width: 65 },
  unit: { x: 320, width: 95 },
  amount: { x: 415, width: RIGHT - 415 },
} as const;

/** Answers where the table ends. */
function drawLines(sheet: Sheet, { lines, currency }: Invoice, top: number): number {
  let y = top;
  const drawRow = (cells: [string, string, string, string], style: Style) => {
    const [description, quantity, unit, amount] = cells;
    for (const [text, column] of [
      [quantity, COLUMNS.quantity],
      [unit, COLUMNS.unit],
      [amount, COLUMNS.amount],
    ] as const)
      write(sheet, text, { ...style, ...column, y, align: 'right' });
    write(sheet, description, { ...style, y, width: COLUMNS.quantity.x - MARGIN });
    y = sheet.y + 8;
    drawRule(sheet, y);
    y += 10;
  };
  drawRow(['Descrição', 'Quantidade', 'Preço unitário', 'Valor'], { size: 9, color: QUIET });
  const show = (minor: number) => showMoney(minor, currency);
  const cellsOf = ({ description, quantity, unitMinor, amountMinor }: InvoiceLine) =>
    [description, group(quantity), show(unitMinor), show(amountMinor)] as [string, string, string, string];
  for (const line of lines) drawRow(cellsOf(line), {});
  return y;
}

const SUMS_X = 250;

function drawSums(sheet: Sheet, { subtotalMinor, taxBps, taxMinor, totalMinor, currency }: Invoice, top: number): void {
  let y = top + 6;
  const drawSum = (name: string, minor: number, style: Style) => {
    write(sheet, name, { ...style, y, x: SUMS_X, width: 70 });
    write(sheet, showMoney(minor, currency), {
      ...style,
      y,
      x: SUMS_X + 70,
      width: RIGHT - SUMS_X - 70,
      align: 'right',
    });
    y = sheet.y + 8;
  };
  drawSum('Subtotal', subtotalMinor, {});
  drawSum(`IVA ${String(taxBps / 100).replace('.', ',')} %`, taxMinor, {});
  drawRule(sheet, y, SUMS_X);
  y += 10;
  drawSum('Total', totalMinor, { size: 16, bold: true });
}

function drawFoot(sheet: Sheet, { id }: Invoice): void {
  drawRule(sheet, 758);
  const text = 'Os meses e as datas são os de Luanda. Guarde este documento: pode voltar a obtê-lo em qualquer altura.';
  write(sheet, text, { y: 766, size: 8, color: QUIET, lines: 1 });
  write(sheet, id, { y: 777, size: 8, color: QUIET, lines: 1 });
}

type Style = { size?: number; color?: string; bold?: boolean };
type Place = Style & { y: number; x?: number; width?: number; align?: 'left' | 'right'; lines?: number };

/** Text beyond its lines ends in an ellipsis: the sheet stays one. */
function write(sheet: Sheet, text: string, place: Place): void {
  const { x = MARGIN, y, width = WIDTH, align = 'left', size = 11, color = INK, bold = false, lines = 3 } = place;
  sheet.font(bold ? 'Helvetica-Bold' : 'Helvetica', size).fillColor(color);
  sheet.text(toLatin(text), x, y, {
    width,
    align,
    height: sheet.currentLineHeight(true) * (lines + 0.1),
    ellipsis: '…',
  });
}

/** The fonts that every reader has know Western letters only; others would come out as random ones. */
function toLatin(text: string): string {
  return text.normalize('NFC').replace(/[^\x20-\x7e\xa0-\xff‘’“”–—…€]/gu, '?');
}

function drawRule(sheet: Sheet, y: number, from = MARGIN): void {
  sheet.moveTo(from, y).lineTo(RIGHT, y).lineWidth(0.75).strokeColor(LINE).stroke();
}

/** Its words are read anew for each sheet: to have them ready takes a start of the node longer than a sheet. */
function formatLuanda(date: Date, style: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('pt-PT', { timeZone: 'Africa/Luanda', ...style }).format(date);
}

function showMonth(month: string): string {
  return formatLuanda(startOf(month), { month: 'long', year: 'numeric' });
}

/** `12 345`, the space unbreakable. */
function group(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}
