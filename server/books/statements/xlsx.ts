// Reads the sheets of an Excel workbook (XLSX) as rows of cells.
import { MAC_DAYS, readSerial } from './dates.ts';
import { decodeXml } from './decode.ts';
import { MAX_CELLS, type Cell, type Row } from './rows.ts';
import { MAX_ROWS, tooManyLines, wrongFile } from './statement.ts';
import { attributeOf, MAX_ELEMENTS, MAX_ENTITIES, readXml, type XmlBudget, type XmlHandler } from './xml.ts';
import { unzip } from './zip.ts';

const SHEET = /^xl\/worksheets\/sheet(\d{1,4})\.xml$/i;
const PARTS = /^xl\/(?:sharedStrings|styles|workbook)\.xml$/i;

/** The most characters of a cell that are kept. Thousands of cells may share one long text. */
const MAX_CELL = 1_000;
/** The workbook's own settings are at its beginning. */
const MAX_SETTINGS = 10_000;

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
  // All parts share one budget, because a workbook may have many sheets.
  const budget = { elements: 2 * MAX_ELEMENTS, entities: MAX_ENTITIES };
  const settings = (partOf('xl/workbook.xml') ?? '').slice(0, MAX_SETTINGS);
  const book = {
    texts: readTexts(partOf('xl/sharedstrings.xml'), budget),
    dateStyles: readDateStyles(partOf('xl/styles.xml'), budget),
    isMac: /<workbookPr[^>]{0,500}date1904\s*=\s*["'](?:1|true)["']/.test(settings),
  };
  const rows: Row[] = [];
  for (const name of sheets) readSheet(decodeXml(parts.get(name)!), { book, budget, rows });
  return rows;
}

/** Reads the texts that cells share. A text may have parts of several styles. */
function readTexts(xml: string | null, budget: XmlBudget): string[] {
  const texts: string[] = [];
  if (xml === null) return texts;
  let [text, isText, isPhonetic] = ['', false, false];
  const handler: XmlHandler = {
    open(name) {
      if (name === 'si') text = '';
      if (name === 't') isText = true;
      if (name === 'rPh') isPhonetic = true;
    },
    text(part) {
      if (isText && !isPhonetic && text.length < MAX_CELL) text += part.slice(0, MAX_CELL);
    },
    close(name) {
      if (name === 't') isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name === 'si') texts.push(text.trim());
    },
  };
  readXml(xml, handler, budget);
  return texts;
}

/** Excel's own formats of dates, by their numbers (ECMA-376, 18.8.30). */
const isBuiltInDate = (id: number) => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

/** The numbers of the cell styles that show a date. */
function readDateStyles(xml: string | null, budget: XmlBudget): Set<number> {
  const styles = new Set<number>();
  if (xml === null) return styles;
  const dates = new Set<number>();
  let [isCells, nth] = [false, 0];
  const handler: XmlHandler = {
    open(name, attributes) {
      if (name === 'numFmt') {
        const format = (attributeOf(attributes, 'formatCode') ?? '').slice(0, 200);
        const code = format.replace(/"[^"]*"|\[[^[\]]*\]|\\./g, '');
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
  };
  readXml(xml, handler, budget);
  return styles;
}

type Book = { texts: string[]; dateStyles: Set<number>; isMac: boolean };
type Sheet = { book: Book; budget: XmlBudget; rows: Row[] };

/** Adds the rows of a sheet. */
function readSheet(xml: string, { book, budget, rows }: Sheet): void {
  const before = rows.at(-1)?.line ?? 0;
  let row: Row = { line: before, cells: [], isTooWide: false };
  let cell = { at: 0, type: 'n', style: -1, value: '' };
  let isValue = false;
  const handler: XmlHandler = {
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
      if (isValue && cell.value.length < MAX_CELL) cell.value += part.slice(0, MAX_CELL);
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false;
      if (name === 'c') addCell(row, cell, book);
    },
  };
  readXml(xml, handler, budget);
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
