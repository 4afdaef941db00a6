// Rows of a file out of rows that the database copied: byte for byte, but for what a dialect writes in its own way.
import { exponentOf } from '../../../shared/money.ts';
import type { Cell, CsvColumn } from '../csv.ts';

/** What of a file its dialect and its language decide. */
export type Style = {
  separator: string;
  /** Before decimals. */
  point: string;
  /** A moment to its hour. */
  hourOf(at: Date): string;
  /** For programs: moments have milliseconds and UTC, and digits are no risk. */
  isExact: boolean;
  flags: readonly [no: string, yes: string];
};

/** Letters of a moment up to its hour, in every way that it is written. */
export const HOUR = 13;
/** Of what comes behind it those of minute and second. */
const SECONDS = 6;

/** Where bytes come from, where they go to, and how far that is written. */
export type Copying = { from: Buffer; to: Buffer; at: number };

type CellWriter = (copying: Copying, start: number, end: number) => void;

/** @param cells where those of the row are, as `findCells` tells */
export function rowWriter(
  columns: readonly CsvColumn<string>[],
  style: Style,
  names: readonly string[],
  cells: Int32Array,
): (copying: Copying) => void {
  const places = columns.map(({ from }) => placeOf(names, from));
  const writers = columns.map((column) => cellWriter(column, style, names, cells));
  const separator = byteOf(style.separator);
  // A million times thirteen: nothing is made here that need not be.
  return (copying) => {
    for (let nth = 0; nth < writers.length; nth++) {
      if (nth > 0) copying.to[copying.at++] = separator;
      const start = cells[places[nth] as number] as number;
      const end = cells[(places[nth] as number) + 1] as number;
      if (start < end) (writers[nth] as CellWriter)(copying, start, end);
    }
    copying.to[copying.at++] = CR;
    copying.to[copying.at++] = LF;
    if (copying.at > copying.to.length) throw new RangeError('a cell is longer than it may become');
  };
}

function placeOf(names: readonly string[], name: string): number {
  const place = names.indexOf(name);
  if (place === -1) throw new Error(`no column ${name}`);
  return 2 * place;
}

const byteOf = (letter: string) => letter.charCodeAt(0);

const CR = byteOf('\r');
const LF = byteOf('\n');
const QUOTE = byteOf('"');
const APOSTROPHE = byteOf("'");
const SEMICOLON = byteOf(';');
const MINUS = byteOf('-');
const POINT = byteOf('.');
const ZERO = byteOf('0');
const TRUE = byteOf('t');
const UTC = byteOf('Z');

function cellWriter(column: CsvColumn<string>, style: Style, names: readonly string[], cells: Int32Array): CellWriter {
  switch (column.kind) {
    case 'text':
    case 'code': {
      const write = textWriter(riskOf(column.kind, !style.isExact));
      return 'words' in column && column.words ? wordWriter(column.words, write) : write;
    }
    case 'money':
      return moneyWriter(byteOf(style.point), cells, placeOf(names, column.currency));
    case 'time':
      return momentWriter(style);
    case 'number':
      return numberWriter(byteOf(style.point));
    case 'flag': {
      const [no, yes] = style.flags.map((flag) => Buffer.from(flag)) as [Buffer, Buffer];
      return (copying, start) => put(copying, copying.from[start] === TRUE ? yes : no);
    }
  }
}

/** Fewer bytes are sooner copied one by one. */
const MANY = 48;

function copy(copying: Copying, start: number, end: number, from = copying.from): void {
  const { to } = copying;
  let { at } = copying;
  if (end - start < MANY) for (let next = start; next < end; next++) to[at++] = from[next] as number;
  else at += from.copy(to, at, start, end);
  copying.at = at;
}

function put(copying: Copying, bytes: Buffer): void {
  copy(copying, 0, bytes.length, bytes);
}

/** First bytes that make a spreadsheet run or lose a text. */
const RISKY = new Set(Array.from('=+-@\t\r\n', byteOf));
const isLetter = (byte: number) => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

/** A cell's first bytes. Blanks beyond them count as a hidden formula. */
const SEEN_BYTES = 256;

/** An apostrophe before a text keeps spreadsheets from running it, and Excel from reading it as a number. */
function textWriter(isRisky: (text: string, first: number) => boolean): CellWriter {
  return (copying, start, end) => {
    const { from, to } = copying;
    const isQuoted = from[start] === QUOTE;
    const inside = isQuoted ? start + 1 : start;
    const first = from[inside] as number;
    if (isLetter(first) || !isRisky(from.toString('utf8', inside, Math.min(end, inside + SEEN_BYTES)), first))
      return copyCell(copying, start, end);
    // One byte more, in quotes whether they were there or not.
    to[copying.at++] = QUOTE;
    to[copying.at++] = APOSTROPHE;
    copy(copying, inside, end);
    if (!isQuoted) to[copying.at++] = QUOTE;
  };
}

/** Spreadsheets skip blanks and invisible marks, and read full-width signs as the plain ones. */
const SIGNIFICANT = /^[\s\p{Z}\p{C}]*([^\s\p{Z}\p{C}])/u;

function hasFormula(text: string, first: number): boolean {
  if (RISKY.has(first)) return true;
  if (isDigit(first)) return false;
  const sign = SIGNIFICANT.exec(text)?.[1];
  return sign === undefined ? text.length >= SEEN_BYTES / 4 : '=+-@'.includes(sign.normalize('NFKC'));
}

/** Digits that Excel would show as 2.44E+11, round, or cut of their zeros. `1E3` is a thousand for it. */
const LOST_DIGITS = /^(?:0\d+|\+?\d{12,}|\d+(?:[.,]\d+)?[eE][-+]?\d+)"?$/;

/** The numbers of phones, which no spreadsheet runs. */
const PHONE = /^\+\d{1,15}"?$/;

const runs = { text: hasFormula, code: (text: string, first: number) => hasFormula(text, first) && !PHONE.test(text) };

function riskOf(kind: 'text' | 'code', keepsDigits: boolean) {
  const isFormula = runs[kind];
  if (!keepsDigits) return isFormula;
  return (text: string, first: number) => isFormula(text, first) || LOST_DIGITS.test(text);
}

/** As it is, but that both dialects' separators are quoted, and that empty text is an empty cell. */
function copyCell(copying: Copying, start: number, end: number): void {
  const { from, to } = copying;
  if (from[start] === QUOTE) {
    if (end - start > 2) copy(copying, start, end);
    return;
  }
  let { at } = copying;
  let isPlain = true;
  for (let next = start; next < end; next++) {
    const byte = from[next] as number;
    if (byte === SEMICOLON) isPlain = false;
    to[at++] = byte;
  }
  if (isPlain) {
    copying.at = at;
    return;
  }
  to[copying.at++] = QUOTE;
  copy(copying, start, end);
  to[copying.at++] = QUOTE;
}

function wordWriter(words: Readonly<Record<string, string>>, write: CellWriter): CellWriter {
  const shown = new Map(Object.entries(words).map(([code, word]) => [code, Buffer.from(word)]));
  return (copying, start, end) => {
    const word = shown.get(read(copying, start, end));
    if (word) put(copying, word);
    else write(copying, start, end);
  };
}

function numberWriter(point: number): CellWriter {
  return (copying, start, end) => {
    const { from, to } = copying;
    for (let next = start; next < end; next++) to[copying.at++] = from[next] === POINT ? point : (from[next] as number);
  };
}

/** Minor units, with the point that their currency puts before the last of their digits. */
function moneyWriter(point: number, cells: Int32Array, currency: number): CellWriter {
  let known = NONE;
  let exponent = 0;
  return (copying, start, end) => {
    const { from, to } = copying;
    if (!isAt(from, cells[currency] as number, known)) {
      const code = read(copying, cells[currency] as number, cells[currency + 1] as number);
      exponent = exponentOf(code);
      known = Buffer.from(code);
    }
    let first = start;
    if (from[first] === MINUS) to[copying.at++] = from[first++] as number;
    const decimals = end - exponent;
    if (first < decimals) copy(copying, first, decimals);
    else to[copying.at++] = ZERO;
    if (exponent === 0) return;
    to[copying.at++] = point;
    for (let missing = decimals; missing < first; missing++) to[copying.at++] = ZERO;
    copy(copying, Math.max(first, decimals), end);
  };
}

/**
 * Moments come as PostgreSQL writes them, `2026-11-23 12:20:15.123+00`. Rows beside each other are mostly of one hour, of which
 * what is shown is kept: dates cost more than all other cells together.
 */
function momentWriter({ hourOf, isExact }: Style): CellWriter {
  let [hour, offset, shown] = [NONE, NONE, NONE];
  const write: CellWriter = (copying, start, end) => {
    const zone = end - OFFSET;
    if (!isAt(copying.from, start, hour) || !isAt(copying.from, zone, offset)) {
      const text = read(copying, start, end);
      // An offset of half an hour moves the minutes too.
      if (/:\d\d$/.test(text)) return writeElse(copying, Buffer.from(copiedAs(new Date(text.replace(' ', 'T')))));
      shown = Buffer.from(
        hourOf(new Date(`${text.slice(0, 10)}T${text.slice(11, HOUR)}:00:00${text.slice(-OFFSET)}:00`)),
      );
      hour = Buffer.from(text.slice(0, HOUR));
      offset = Buffer.from(text.slice(-OFFSET));
    }
    put(copying, shown);
    const seconds = start + HOUR + SECONDS;
    copy(copying, start + HOUR, seconds);
    if (!isExact) return;
    const { to } = copying;
    to[copying.at++] = POINT;
    // Without the zeros at its end.
    copy(copying, seconds + 1, zone);
    for (let written = Math.max(0, zone - seconds - 1); written < 3; written++) to[copying.at++] = ZERO;
    to[copying.at++] = UTC;
  };
  const writeElse = (copying: Copying, from: Buffer) => {
    const other = { ...copying, from };
    write(other, 0, from.length);
    copying.at = other.at;
  };
  return write;
}

const OFFSET = 3;
const NONE = Buffer.from([0]);

function read({ from }: Copying, start: number, end: number): string {
  return from.toString('latin1', start, end);
}

function isAt(bytes: Buffer, start: number, known: Buffer): boolean {
  for (let nth = 0; nth < known.length; nth++) if (bytes[start + nth] !== known[nth]) return false;
  return true;
}

/** A value that is reckoned here as the database would copy it. */
export function copiedAs(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return quote(value instanceof Date ? value.toISOString().replace('T', ' ').replace('Z', '+00') : String(value));
}

export function quote(text: string): string {
  return /[",;\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
