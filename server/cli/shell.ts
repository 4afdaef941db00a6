// The terminal of a command: errors, parsers of arguments, and tables.
import type { Readable, Writable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import { normalizeEmail } from '../../shared/email.ts';
import { readAmount } from '../../shared/money.ts';
import type { Clock } from '../clock.ts';
import { moment, UUID } from '../http/fields.ts';

export type Shell = {
  /** `env`: replaces the process environment. */
  env?: Record<string, string | undefined>;
  clock: Clock;
  /** `say`: prints a result to stdout, for people or programs. */
  say(line: string): void;
  /** `complain`: prints a message for people to stderr. */
  complain(line: string): void;
  terminal: Terminal;
  /** Returns a signal that aborts on Ctrl-C. After this call Ctrl-C no longer ends the process. */
  untilStopped(): AbortSignal;
};

/** A terminal in which a command can ask for confirmation. */
export type Terminal = { input: Readable & { isTTY?: boolean }; output: Writable };

/** Result of a command. `--json` prints `json`. People see `text`, else a table of `columns`, else every field. */
export type Output = { json: unknown; text?: string; columns?: string[] };

/** Error of invalid command-line arguments. Exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Error of a command that failed, with the explanation as its message. Exit code 1. */
export class CommandError extends Error {
  /** `isTemporary`: true if the same command may succeed later. */
  readonly isTemporary: boolean;
  /** `status`: HTTP status of the gateway's refusal. Null for other errors. */
  readonly status: number | null;
  constructor(message: string, { isTemporary = false, status = null as number | null } = {}) {
    super(message);
    this.name = 'CommandError';
    this.isTemporary = isTemporary;
    this.status = status;
  }
}

/** Creates commander's parser of an argument. `read` returns null for invalid text, and `rule` describes valid text. */
export function createArgumentParser<T>(read: (text: string) => T | null, rule: string): (text: string) => T {
  return (text) => {
    const value = read(text);
    if (value === null) throw new InvalidArgumentError(`It must be ${rule}.`);
    return value;
  };
}

/** Creates a parser of an argument that matches a pattern. */
export const createPatternParser = (pattern: RegExp, rule: string) =>
  createArgumentParser((text) => (pattern.test(text) ? text : null), rule);

const anId = createPatternParser(UUID, 'an id such as 0190a0b0-0000-7000-8000-000000000000');
export const readId = (text: string) => anId(text).toLowerCase();

export const readEmail = createArgumentParser(normalizeEmail, 'an e-mail address');

export const readMoment = createArgumentParser(
  (text) => moment.safeParse(text).data ?? null,
  'a time such as 2026-12-01T09:00:00Z',
);

const readHttp = (text: string) => (/^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null);
export const readUrl = createArgumentParser(readHttp, 'an address such as http://localhost:8080');

/** Parser of an argument with at least one visible character. */
export const readText = createArgumentParser((text) => text.trim() || null, 'a text with a visible character');

/** Creates a parser of whole numbers from `least` to `most`. */
export const readCount = (least: number, most: number) =>
  createArgumentParser(
    (text) => (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null),
    `a whole number from ${least} to ${most}`,
  );

/** Returns the exact decimal text of an amount in major units. Null if the text is ambiguous or invalid. */
export function findMoney(text: string, currency: string): string | null {
  return readAmount(text, /^[A-Z]{3}$/.test(currency) ? { currency, isSigned: true } : { isSigned: true });
}

/** Formats rows as two aligned, indented columns. */
export function alignRows(rows: string[][]): string {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

/** Formats a command's result for people. */
export function formatOutput({ json, text, columns }: Output): string {
  if (text !== undefined) return text;
  return columns ? formatTable(json as Fields[], columns) : formatFields(json as Fields);
}

type Fields = Record<string, unknown>;

/** Formats rows as a table with the given columns. */
export function formatTable(rows: Fields[], columns: string[]): string {
  if (rows.length === 0) return 'No entries.';
  const heads = columns.map((column) => column.replace(/[A-Z]/g, ' $&').toUpperCase());
  const cells = [heads, ...rows.map((row) => columns.map((column) => showCell(row[column])))];
  const widths = columns.map((_, nth) => Math.max(...cells.map((row) => (row[nth] ?? '').length)));
  const drawLine = (row: string[]) => row.map((cell, nth) => cell.padEnd(widths[nth] ?? 0)).join('  ');
  return cells.map((row) => drawLine(row).trimEnd()).join('\n');
}

/** Formats an object as one line per field, with name and value. */
function formatFields(fields: Fields): string {
  return alignRows(Object.entries(fields).map(([name, value]) => [name, showCell(value)])).replace(/^ {2}/gm, '');
}

function showCell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z');
  const text = Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
  // A rail's text may contain control characters, which would move the cursor or begin a new line.
  return text.replace(/\p{Cc}/gu, '�') || '-';
}
