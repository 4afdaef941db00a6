// Sheets of paper as PDF: A4 pages, tagged for screen readers. Equal contents give equal bytes.
import { createRequire } from 'node:module';
import { openSync } from 'fontkit';
import PDFDocument from 'pdfkit';
import type { Language } from '../../shared/language.ts';
import { capitalizeMonth } from '../../shared/luanda.ts';

export type Sheet = InstanceType<typeof PDFDocument>;

export const INK = '#1B1A17';
export const QUIET = '#5F5A51';
const LINE = '#E4DFD5';
export const BRAND = '#0B5D5B';
export const WARNING = '#8A5300';

export const MARGIN = 56;
/** The width of an A4 page and its right margin, in points. */
export const PAGE_WIDTH = 595.28;
export const RIGHT = PAGE_WIDTH - MARGIN;
export const WIDTH = RIGHT - MARGIN;

type About = { title: string; author: string; createdAt: Date; lang: Language };

/** Draws a document with one or more pages. @param draw draws the pages, before their bytes are written */
export async function drawPdf(
  { title, author, createdAt, lang }: About,
  draw: (sheet: Sheet) => void,
): Promise<Buffer> {
  const info = { Title: title, Author: author, CreationDate: createdAt };
  const about = { info, lang, displayTitle: true, tagged: true, pdfVersion: '1.7', bufferPages: true } as const;
  const sheet = new PDFDocument({ size: 'A4', margin: MARGIN, ...about });
  const chunks: Buffer[] = [];
  sheet.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => sheet.on('end', resolve));
  draw(sheet);
  sheet.end();
  await ended;
  return Buffer.concat(chunks);
}

export type Style = { size?: number; color?: string; bold?: boolean };
type Place = Style & {
  y: number;
  x?: number;
  width?: number;
  align?: 'left' | 'right';
  lines?: number;
  /** The structure type for screen readers. */
  tag?: 'H1' | 'H2' | 'P';
};

/** Writes text on the page. Longer text ends in an ellipsis, so that the document keeps to one page. */
export function write(sheet: Sheet, text: string, place: Place): void {
  const { x = MARGIN, y, width = WIDTH, align = 'left', size = 11, color = INK, bold = false, lines = 3 } = place;
  const { tag = 'P' } = place;
  const { font, shown } = chooseFont(text.normalize('NFC'), bold);
  sheet.font(font, size).fillColor(color);
  const height = sheet.currentLineHeight(true) * (lines + 0.1);
  const draw = () => void sheet.text(shown, x, y, { width, align, height, ellipsis: '…' });
  sheet.addStructure(sheet.struct(tag, {}, draw));
}

/** The lowest position of text on a page. The footer is below it. */
const BOTTOM = 770;

/** Returns the position for a part of this height: the given one, or the top of a new page. */
export function breakPage(sheet: Sheet, y: number, height: number): number {
  if (y + height <= BOTTOM) return y;
  sheet.addPage();
  return MARGIN;
}

export type TableColumn = { title: string; width: number; isNumber?: boolean };

type TableOf = {
  title: string;
  columns: readonly TableColumn[];
  rows: readonly string[][];
  /** The last row, below a rule. A table with one row needs no total. */
  total?: readonly string[];
};

const CELL = { size: 8.5, gap: 6, row: 15 };

/** Draws a table with a heading. Its head is repeated on each page. Returns the bottom position. */
export function drawTable(sheet: Sheet, { title, columns, rows, total }: TableOf, top: number): number {
  let y = breakPage(sheet, top, 70);
  write(sheet, title, { y, size: 12, bold: true, tag: 'H2' });
  y = sheet.y + 4;
  const table = sheet.struct('Table');
  sheet.addStructure(table);
  const drawRow = (cells: readonly string[], tag: 'TH' | 'TD', style: Style): void => {
    const row = sheet.struct('TR');
    table.add(row);
    let [x, bottom] = [MARGIN, y];
    columns.forEach(({ width, isNumber }, nth) => {
      const { font, shown } = chooseFont((cells[nth] ?? '').normalize('NFC'), style.bold ?? false);
      sheet.font(font).fontSize(CELL.size);
      // An amount is printed smaller instead of being cut.
      const room = width - CELL.gap;
      const wide = sheet.widthOfString(shown);
      const size = isNumber && tag === 'TD' && wide > room ? (CELL.size * room) / wide : CELL.size;
      const [left, at] = [x, y];
      const draw = () => {
        sheet
          .font(font)
          .fontSize(size)
          .fillColor(style.color ?? INK);
        const height = sheet.currentLineHeight(true) * 2.1;
        const align = isNumber ? 'right' : 'left';
        sheet.text(shown, isNumber ? left + CELL.gap : left, at, { width: room, height, align, ellipsis: '…' });
        bottom = Math.max(bottom, sheet.y);
      };
      row.add(sheet.struct(tag, {}, draw));
      x += width;
    });
    row.end();
    drawRule(sheet, bottom + 2);
    y = bottom + 5;
  };
  const heads = columns.map((column) => column.title);
  drawRow(heads, 'TH', { color: QUIET });
  for (const cells of rows) {
    if (breakPage(sheet, y, 2 * CELL.row) !== y) {
      y = MARGIN;
      drawRow(heads, 'TH', { color: QUIET });
    }
    drawRow(cells, 'TD', {});
  }
  if (total && rows.length > 1) {
    y = breakPage(sheet, y, CELL.row);
    drawRow(total, 'TD', { bold: true });
  }
  table.end();
  return y + 12;
}

/** Writes the footer of each page, after all pages are drawn. @param textsOf the left and the right text of a page */
export function drawFooters(sheet: Sheet, textsOf: (page: number, pages: number) => [string, string]): void {
  const { start, count } = sheet.bufferedPageRange();
  for (let nth = 0; nth < count; nth++) {
    sheet.switchToPage(start + nth);
    const [left, right] = textsOf(nth + 1, count);
    const { font, shown } = chooseFont(left.normalize('NFC'), false);
    drawOrnament(sheet, () => {
      sheet.font(font, 7.5).fillColor(QUIET);
      sheet.text(shown, MARGIN, 790, { width: WIDTH - 80, height: 9, ellipsis: '…', lineBreak: false });
      sheet.text(right, RIGHT - 80, 790, { width: 80, height: 9, align: 'right', lineBreak: false });
    });
  }
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

export function drawRule(sheet: Sheet, y: number, from = MARGIN): void {
  drawOrnament(sheet, () => sheet.moveTo(from, y).lineTo(RIGHT, y).lineWidth(0.75).strokeColor(LINE).stroke());
}

/** Draws lines and areas that screen readers skip. */
export function drawOrnament(sheet: Sheet, draw: () => void): void {
  sheet.markContent('Artifact', { type: 'Layout' });
  draw();
  sheet.endMarkedContent();
}

/** Creates the date formatter for each page, because at the start of the node it would take more time than a page. */
export function formatLuanda(date: Date, style: Intl.DateTimeFormatOptions, lang: Language = 'pt'): string {
  const locale = { pt: 'pt-PT', en: 'en-GB', fr: 'fr-FR' }[lang];
  const text = new Intl.DateTimeFormat(locale, { timeZone: 'Africa/Luanda', ...style }).format(date);
  return lang === 'pt' ? capitalizeMonth(text) : text;
}

/** Formats a count with groups of digits, such as `12 345`, separated by a no-break space. */
export function group(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}
