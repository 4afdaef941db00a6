// Reads the sheets of an Excel workbook (XLSX) as rows of cells.
import { MAC_DAYS, readSerial } from './dates.ts';
import { decodeXml } from './decode.ts';
import { MAX_CELLS, type Cell, type Row } from './rows.ts';
import { MAX_ROWS, tooManyLines, wrongFile } from './statement.ts';
import { attributeOf, readXml } from './xml.ts';
import { unzip } from './zip.ts';

const SHEET = /^xl\/worksheets\/sheet(\d{1,4})\.xml$/i;
const PARTS = /^xl\/(?:sharedStrings|styles|workbook)\.xml$/i;

/** The most characters of a cell. Excel has the same limit. */
const MAX_CELL = 32_767;

/** Reads all sheets. The rows of a sheet are numbered after those of the sheet before. @throws Problem */
export function readXlsx(bytes: Buffer): Row[] {
  const parts = unzip(bytes, (name) => SHEET.test(name) || PARTS.test(name));
  const partOf = (name: string) => {
    const found = [...parts].find(([each]) => each.toLowerCase() === name);
    return found ? decodeXml(found[1]) : null;
  };
  const numberOf = (name: string) => Number(SHEET.exec(name)?.[1]);
  const sheets = [...parts.keys()].filter((name) => SHEET.test(name)).toSorted((a, b) => numberOf(a) - numberOf(b));
  if (sheets.length === 0) throw wrongFile('format');
  const book = {
    texts: readTexts(partOf('xl/sharedstrings.xml')),
    dateStyles: readDateStyles(partOf('xl/styles.xml')),
    isMac: /<workbookPr[^>]{0,500}date1904\s*=\s*["'](?:1|true)["']/.test(partOf('xl/workbook.xml') ?? ''),
  };
  const rows: Row[] = [];
  for (const name of sheets) readSheet(decodeXml(parts.get(name)!), book, rows);
  return rows;
}

/** Reads the texts that cells share. A text may have parts of several styles. */
function readTexts(xml: string | null): string[] {
  const texts: string[] = [];
  if (xml === null) return texts;
  let [text, isText, isPhonetic] = ['', false, false];
  readXml(xml, {
    open(name) {
      if (name === 'si') text = '';
      if (name === 't') isText = true;
      if (name === 'rPh') isPhonetic = true;
    },
    text(part) {
      if (isText && !isPhonetic && text.length < MAX_CELL) text += part;
    },
    close(name) {
      if (name === 't') isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name === 'si') texts.push(text.trim());
    },
  });
  return texts;
}

/** Excel's own formats of dates, by their numbers (ECMA-376, 18.8.30). */
const isBuiltInDate = (id: number) => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

/** The numbers of the cell styles that show a date. */
function readDateStyles(xml: string | null): Set<number> {
  const styles = new Set<number>();
  if (xml === null) return styles;
  const dates = new Set<number>();
  let [isCells, nth] = [false, 0];
  readXml(xml, {
    open(name, attributes) {
      if (name === 'numFmt') {
        const code = (attributeOf(attributes, 'formatCode') ?? '').slice(0, 200).replace(/"[^"]*"|\[[^\]]*\]|\\./g, '');
        if (/[dy]/i.test(code)) dates.add(Number(attributeOf(attributes, 'numFmtId')));
      }
      if (name === 'cellXfs') isCells = true;
      if (name !== 'xf' || !isCells) return;
      const id = Number(attributeOf(attributes, 'numFmtId') ?? 0);
      if (dates.has(id) || isBuiltInDate(id)) styles.add(nth);
      nth++;
    },
    text() {},
    close(name) {
      if (name === 'cellXfs') isCells = false;
    },
  });
  return styles;
}

type Book = { texts: string[]; dateStyles: Set<number>; isMac: boolean };

/** Adds the rows of a sheet. */
function readSheet(xml: string, book: Book, rows: Row[]): void {
  const before = rows.at(-1)?.line ?? 0;
  let row: Row = { line: before, cells: [], isTooWide: false };
  let cell = { at: 0, type: 'n', style: -1, value: '' };
  let isValue = false;
  readXml(xml, {
    open(name, attributes) {
      if (name === 'row') {
        const number = Number(attributeOf(attributes, 'r'));
        const line = Number.isSafeInteger(number) && number > 0 ? before + number : row.line + 1;
        row = { line, cells: [], isTooWide: false };
        if (rows.push(row) > MAX_ROWS) throw tooManyLines();
      }
      if (name === 'c') {
        const at = columnOf(attributeOf(attributes, 'r') ?? '') ?? row.cells.length;
        const [type, style] = [attributeOf(attributes, 't') ?? 'n', Number(attributeOf(attributes, 's') ?? -1)];
        cell = { at, type, style, value: '' };
      }
      if (name === 'v' || name === 't') isValue = true;
    },
    text(part) {
      if (isValue && cell.value.length < MAX_CELL) cell.value += part;
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false;
      if (name === 'c') addCell(row, cell, book);
    },
  });
}

/** The position of a column: `C5` is 2. */
function columnOf(name: string): number | null {
  let column = 0;
  for (let at = 0; at < 3 && name[at]! >= 'A' && name[at]! <= 'Z'; at++)
    column = column * 26 + name.charCodeAt(at) - 64;
  return column > 0 ? column - 1 : null;
}

type RawCell = { at: number; type: string; style: number; value: string };

function addCell(row: Row, { at, type, style, value }: RawCell, { texts, dateStyles, isMac }: Book): void {
  if (value === '') return;
  if (at >= MAX_CELLS) {
    row.isTooWide = true;
    return;
  }
  while (row.cells.length < at) row.cells.push('');
  row.cells[at] = readValue();

  function readValue(): Cell {
    if (type === 's') return texts[Number(value)] ?? '';
    if (type !== 'n') return value.trim();
    const number = Number(value);
    if (!Number.isFinite(number)) return value.trim();
    return (dateStyles.has(style) && readSerial(number + (isMac ? MAC_DAYS : 0))) || number;
  }
}
