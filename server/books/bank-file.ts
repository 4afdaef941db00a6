// Reads a bank's CSV statement (`date;amount;description`).
// If a line is wrong, it refuses the file and lists such lines.
import { hash } from 'node:crypto';
import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { isDay } from '../../shared/luanda.ts';
import { readAmount } from '../../shared/money.ts';
import { requiredInteger } from '../http/fields.ts';
import { invalidFields, type Fault } from '../http/problem.ts';
import { readSignedMinor } from './amount.ts';

const MAX_LINES = 5_000;
/** The longest file in base64 characters. The body of a request is at most 1 MiB. */
const MAX_FILE_CHARACTERS = 1_000_000;

const column = z.union([requiredInteger(1, 50), z.string().min(1).max(60)]);

/** The separators of columns, in the order in which the reader prefers them. */
const SEPARATORS = ['\t', ';', ','] as const;

/** The format of a bank's CSV file and the names of its columns. */
export const bankMapping = z
  .object({
    separator: z.enum(SEPARATORS).optional().describe('Default: the sign that separates most lines of the file'),
    decimal: z.enum([',', '.']).optional().describe('If set, amounts with another decimal sign are refused'),
    date: column.default(1).describe('Number of the column, from 1, or its heading'),
    amount: column.default(2),
    description: column.default(3),
  })
  .meta({ id: 'BankMapping' });

export type BankMapping = z.output<typeof bankMapping>;

/** A bank's file in a request. */
export const bankFile = z
  .base64()
  .max(MAX_FILE_CHARACTERS)
  .describe('A bank’s CSV in UTF-8, as base64: `date;amount;description`, dates as 30/11/2026 or 2026-11-30');

/** A line of a bank's file. Equal lines in different files have the same `hash`. */
export type BankLine = { line: number; date: string; amountMinor: number; description: string; hash: string };

/** Reads a bank's file. @throws Problem validation_failed that names the file's encoding, or each unreadable line */
export function readBankFile(
  file: string,
  mapping: BankMapping,
  currency: string,
): { hash: string; lines: BankLine[] } {
  const bytes = Buffer.from(file, 'base64');
  const text = decode(bytes);
  const rows = splitRows(text, mapping.separator ?? findSeparator(text));
  const { columns, first } = findColumns(rows, mapping);
  const faults: Fault[] = [];
  const seen = new Map<string, number>();
  const lines = rows.slice(first).flatMap((row): BankLine[] => {
    if (row.cells.every((cell) => cell === '')) return [];
    const [date, amount, description] = columns.map((at) => row.cells[at] ?? '') as [string, string, string];
    const [day, amountMinor] = [readDate(date), readCell(amount, mapping.decimal, currency)];
    if (day === null || amountMinor === null) {
      faults.push({ pointer: '/file', code: 'file_line', params: { line: row.line } });
      return [];
    }
    const said = `${day}|${amountMinor}|${description}`;
    const nth = seen.get(said) ?? 0;
    seen.set(said, nth + 1);
    return [{ line: row.line, date: day, amountMinor, description, hash: digest(`${currency}|${said}|${nth}`) }];
  });
  if (faults.length > 0) throw invalidFields(faults);
  if (lines.length === 0) throw invalidFields([{ pointer: '/file', code: 'file_line', params: { line: 1 } }]);
  if (lines.length > MAX_LINES) throw tooManyLines();
  return { hash: digest(bytes), lines };
}

const tooManyLines = () =>
  invalidFields([{ pointer: '/file', code: 'too_big', params: { maximum: MAX_LINES, isList: true } }]);

const digest = (value: string | Buffer) => hash('sha256', value, 'base64url');

function decode(bytes: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Text in another encoding would give wrong names and signs without any error.
  }
  throw invalidFields([{ pointer: '/file', code: 'file_encoding' }]);
}

type Row = { line: number; cells: string[] };

/** Finds the separator: the sign that most lines contain. Each line with a decimal comma has a separator too. */
function findSeparator(text: string): string {
  const lines = text.split('\n', MAX_ROWS);
  const count = (sign: string) => lines.filter((line) => line.includes(sign)).length;
  return SEPARATORS.toSorted((a, b) => count(b) - count(a))[0] ?? ';';
}

/** The limits of the CSV reader: rows, cells of a row, and bytes of a row. Headers and empty rows count. */
const [MAX_ROWS, MAX_CELLS, MAX_ROW_BYTES] = [2 * MAX_LINES, 100, 65_536];

/** Splits a file into rows with trimmed cells, each with its first line number. @throws Problem validation_failed */
function splitRows(text: string, delimiter: string): Row[] {
  const rows: Row[] = [];
  let line = 1;
  const wrongLine = () => invalidFields([{ pointer: '/file', code: 'file_line', params: { line } }]);
  try {
    // The CSV parser counts each \r within quotes as a separate line.
    parse(text.replaceAll('\r', ''), {
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
      relax_quotes: true,
      ltrim: true,
      rtrim: true,
      max_record_size: MAX_ROW_BYTES,
      cast(cell, { index }) {
        if (index >= MAX_CELLS) throw wrongLine();
        return cell.trim();
      },
      on_record(cells: string[], { lines }) {
        if (rows.push({ line, cells }) > MAX_ROWS) throw tooManyLines();
        line = lines + 1;
        return null;
      },
    });
  } catch (error) {
    // The parser failed: an open quote, text after a closing quote, or a row that is too long.
    throw error instanceof CsvError ? wrongLine() : error;
  }
  return rows;
}

/** Finds the columns by their headers, and the first row after them. Banks write other lines above the headers. */
function findColumns(rows: Row[], mapping: BankMapping): { columns: number[]; first: number } {
  const wanted = [mapping.date, mapping.amount, mapping.description];
  const names = wanted.filter((each) => typeof each === 'string').map((each) => each.toLowerCase());
  const headOf = ({ cells }: Row) => cells.map((cell) => cell.toLowerCase());
  const head = names.length > 0 ? rows.findIndex((row) => names.every((each) => headOf(row).includes(each))) : -1;
  if (names.length > 0 && head < 0) throw invalidFields([{ pointer: '/mapping', code: 'file_head' }]);
  const heads = rows[head] ? headOf(rows[head]) : [];
  const columns = wanted.map((each) => (typeof each === 'number' ? each - 1 : heads.indexOf(each.toLowerCase())));
  // The date and the amount of a line have digits, so that a wrong first line is not taken for headings.
  const hasHead = head < 0 && columns.slice(0, 2).every((at) => !/\d/.test(rows[0]?.cells[at] ?? ''));
  return { columns, first: head >= 0 ? head + 1 : hasHead ? 1 : 0 };
}

/** Reads a date such as `2026-11-30`, or with the day first, as people in Angola write it. */
function readDate(text: string): string | null {
  const [, dayOfMonth, month, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  const day = year ? `${year}-${month?.padStart(2, '0')}-${dayOfMonth?.padStart(2, '0')}` : text.slice(0, 10);
  return isDay(day) ? day : null;
}

/** Reads an amount with its sign. @param decimal the decimal sign, if the mapping names it */
function readCell(text: string, decimal: BankMapping['decimal'], currency: string): number | null {
  const read = readAmount(text, { currency, decimal, isSigned: true });
  return read === null ? null : readSignedMinor(read, currency);
}
