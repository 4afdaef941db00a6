// A bank's statement as CSV (`date;amount;description`): read exactly, or refused with the line that is wrong; each line known again.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { isDay } from '../../shared/luanda.ts';
import { readAmount } from '../../shared/money.ts';
import { requiredInteger } from '../http/fields.ts';
import { invalid, type Fault } from '../http/problem.ts';
import { readSignedMinor } from './amount.ts';

const MAX_LINES = 5_000;
/** So that with its base64 it stays within a body of 1 MiB. */
const MAX_FILE_CHARACTERS = 1_000_000;

const column = z.union([requiredInteger(1, 50), z.string().min(1).max(60)]);

/** Where in a bank's file is what. */
export const bankMapping = z
  .object({
    separator: z.enum([';', ',', '\t']).default(';'),
    decimal: z.enum([',', '.']).default(','),
    date: column.default(1).describe('Number of the column, from 1, or what its head says'),
    amount: column.default(2),
    description: column.default(3),
  })
  .meta({ id: 'BankMapping' });

export type BankMapping = z.output<typeof bankMapping>;

/** A file in a request. */
export const bankFile = z
  .base64()
  .max(MAX_FILE_CHARACTERS)
  .describe('A bank’s CSV in UTF-8, as base64: `date;amount;description`, dates as 30/11/2026 or 2026-11-30');

/** A line as it stands in the file; `hash` is the same whenever it comes again, in this file or another. */
export type BankLine = { line: number; date: string; amountMinor: number; description: string; hash: string };

/** @throws Problem validation_failed naming the file's encoding, or each line that cannot be read */
export function readBankFile(
  file: string,
  mapping: BankMapping,
  currency: string,
): { hash: string; lines: BankLine[] } {
  const bytes = Buffer.from(file, 'base64');
  const rows = splitRows(decode(bytes), mapping.separator);
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
  if (faults.length > 0) throw invalid(faults);
  if (lines.length === 0) throw invalid([{ pointer: '/file', code: 'file_line', params: { line: 1 } }]);
  if (lines.length > MAX_LINES) throw tooManyLines();
  return { hash: digest(bytes), lines };
}

const tooManyLines = () =>
  invalid([{ pointer: '/file', code: 'too_big', params: { maximum: MAX_LINES, isList: true } }]);

const digest = (value: string | Buffer) => hash('sha256', value, 'base64url');

function decode(bytes: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Told below: in another encoding names and signs would be wrong in silence.
  }
  throw invalid([{ pointer: '/file', code: 'file_encoding' }]);
}

type Row = { line: number; cells: string[] };

/** With heads and empty rows. More is nobody's statement, and work for whoever reads it. */
const [MAX_ROWS, MAX_CELLS] = [2 * MAX_LINES, 100];

/** Cells in quotes may hold separators, line breaks, and quotes that are doubled. @throws Problem validation_failed */
function splitRows(text: string, separator: string): Row[] {
  const rows: Row[] = [];
  let [line, startedAt, cells, cell, isBlank, isQuoted] = [1, 1, [] as string[], '', true, false];
  const endCell = () => {
    if (cells.push(cell.trim()) > MAX_CELLS)
      throw invalid([{ pointer: '/file', code: 'file_line', params: { line: startedAt } }]);
    [cell, isBlank] = ['', true];
  };
  const endRow = () => {
    endCell();
    if (rows.push({ line: startedAt, cells }) > MAX_ROWS) throw tooManyLines();
    cells = [];
  };
  const add = (sign: string) => {
    cell += sign;
    isBlank &&= sign.trim() === '';
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (sign === '\n') line++;
    if (isQuoted && sign === '"' && text[at + 1] === '"') add(text[at++] as string);
    else if (sign === '"' && (isQuoted || isBlank)) isQuoted = !isQuoted;
    else if (isQuoted) add(sign);
    else if (sign === separator) endCell();
    else if (sign === '\n') {
      endRow();
      startedAt = line;
    } else if (sign !== '\r') add(sign);
  }
  endRow();
  return rows;
}

/** Where the columns are, and the first row behind their heads; banks write lines of their own before them. */
function findColumns(rows: Row[], mapping: BankMapping): { columns: number[]; first: number } {
  const wanted = [mapping.date, mapping.amount, mapping.description];
  const names = wanted.filter((each) => typeof each === 'string').map((each) => each.toLowerCase());
  const headOf = ({ cells }: Row) => cells.map((cell) => cell.toLowerCase());
  const head = names.length > 0 ? rows.findIndex((row) => names.every((each) => headOf(row).includes(each))) : -1;
  if (names.length > 0 && head < 0) throw invalid([{ pointer: '/mapping', code: 'file_head' }]);
  const heads = rows[head] ? headOf(rows[head]) : [];
  const columns = wanted.map((each) => (typeof each === 'number' ? each - 1 : heads.indexOf(each.toLowerCase())));
  const hasHead = head < 0 && readDate(rows[0]?.cells[columns[0] as number] ?? '') === null;
  return { columns, first: head >= 0 ? head + 1 : hasHead ? 1 : 0 };
}

/** `2026-11-30`, or as people write it here: the day first. */
function readDate(text: string): string | null {
  const [, dayOfMonth, month, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  const day = year ? `${year}-${month?.padStart(2, '0')}-${dayOfMonth?.padStart(2, '0')}` : text.slice(0, 10);
  return isDay(day) ? day : null;
}

/** `1.234,56`, `1 234,56`, `-1234,56`; with a decimal point the other way round. */
function readCell(text: string, decimal: ',' | '.', currency: string): number | null {
  const read = readAmount(text, { currency, decimal, isSigned: true });
  return read === null ? null : readSignedMinor(read, currency);
}
