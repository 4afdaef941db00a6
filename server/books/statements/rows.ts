// Splits a bank's text file into rows of cells. Each step moves forward, so the time grows with the size of the file.
import { MAX_ROWS, tooManyLines } from './statement.ts';

/** A cell: text, or the number that a workbook stores. */
export type Cell = string | number;

/** A row with its cells. `line` is its first line in the file. `isTooWide` rows have more cells than are kept. */
export type Row = { line: number; cells: Cell[]; isTooWide: boolean };

/** The separators of columns, in the order in which the reader prefers them. */
export const SEPARATORS = ['\t', ';', ',', '|'] as const;

/** The most cells of a row, and the most characters of a cell that continues on the next lines. */
export const MAX_CELLS = 100;
const MAX_QUOTED = 4_096;

/** Splits text into rows. @param separator default: the sign that most lines contain */
export function splitRows(text: string, separator?: string): Row[] {
  const plain = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const [, hint] = /^sep=([;,\t|])\n/i.exec(plain) ?? [];
  const sign = separator ?? hint ?? findSeparator(plain);
  const rows: Row[] = [];
  for (let at = 0, line = 1; at < plain.length; line++) {
    const newline = plain.indexOf('\n', at);
    const end = newline < 0 ? plain.length : newline;
    const row = { line, cells: [] as Cell[], isTooWide: false };
    if (rows.push(row) > MAX_ROWS) throw tooManyLines();
    const whole = plain.slice(at, end);
    at = end + 1;
    if (whole.includes('"')) {
      const quoted = splitQuoted(plain, at - 1 - whole.length, sign);
      row.cells = quoted.cells;
      at = quoted.end + 1;
      line += quoted.newlines;
    } else row.cells = whole.split(sign, MAX_CELLS + 1).map((cell) => cell.trim());
    row.isTooWide = row.cells.length > MAX_CELLS;
    if (row.isTooWide) row.cells.length = MAX_CELLS;
  }
  return rows;
}

/** Finds the separator: the sign that most lines contain. Each line with a decimal comma has a separator too. */
function findSeparator(text: string): string {
  const lines = text.split('\n', MAX_ROWS);
  const count = (sign: string) => lines.filter((line) => line.includes(sign)).length;
  return SEPARATORS.toSorted((a, b) => count(b) - count(a))[0] ?? ';';
}

/** Splits a row that has quotation marks. A row that is too wide ends at its next line break. */
function splitQuoted(text: string, start: number, separator: string) {
  const cells: string[] = [];
  let [at, newlines] = [start, 0];
  for (;;) {
    const quoted = readQuoted(text, at, separator);
    const end = quoted?.end ?? endOfCell(text, at, separator);
    cells.push(quoted?.cell ?? text.slice(at, end).trim());
    newlines += quoted?.newlines ?? 0;
    if (text[end] !== separator) return { cells, end, newlines };
    if (cells.length > MAX_CELLS) return { cells, end: endOfCell(text, end, '\n'), newlines };
    at = end + 1;
  }
}

function endOfCell(text: string, from: number, separator: string): number {
  let at = from;
  while (at < text.length && text[at] !== separator && text[at] !== '\n') at++;
  return at;
}

/**
 * Reads a cell in quotation marks. Two marks within it are one. Null if the marks only belong to the text.
 * The search ends at the first single mark, so an open mark never hides the rest of the file.
 */
function readQuoted(text: string, from: number, separator: string) {
  let open = from;
  while (text[open] === ' ') open++;
  if (text[open] !== '"') return null;
  let close = open;
  do {
    close = text.indexOf('"', close + 1);
    if (close < 0 || close - open > MAX_QUOTED) return null;
  } while (text[close + 1] === '"' && close++);
  let end = close + 1;
  while (text[end] === ' ') end++;
  if (end < text.length && text[end] !== separator && text[end] !== '\n') return null;
  const cell = text.slice(open + 1, close);
  return { cell: cell.replaceAll('""', '"').trim(), end, newlines: cell.split('\n').length - 1 };
}
