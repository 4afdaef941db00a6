// The terminal that a command runs in: its errors, the values it reads from arguments, and the tables it prints.
import type { Readable, Writable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import { normalizeEmail } from '../../shared/email.ts';
import { readAmount } from '../../shared/money.ts';
import type { Clock } from '../clock.ts';
import { moment, UUID } from '../http/fields.ts';

export type Shell = {
  /** Replaces the environment of the process. */
  env?: Record<string, string | undefined>;
  clock: Clock;
  /** Prints a result to stdout, for people and programs. */
  say(line: string): void;
  /** Prints a message to stderr, for people. */
  complain(line: string): void;
  terminal: Terminal;
  /** Aborts on Ctrl-C, which from then on no longer ends the process. */
  untilStopped(): AbortSignal;
};

/** A terminal where a command can ask a person. */
export type Terminal = { input: Readable & { isTTY?: boolean }; output: Writable };

/** The result of a command. `--json` prints `json`; people see `text`, else a table of these columns, else every field. */
export type Output = { json: unknown; text?: string; columns?: string[] };

/** The arguments do not fit together: exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** The command failed for a reason that its message explains: exit code 1. */
export class CommandError extends Error {
  /** True if the same command may succeed a moment later. */
  readonly isTemporary: boolean;
  /** The HTTP status of the gateway's refusal; null without one. */
  readonly status: number | null;
  constructor(message: string, { isTemporary = false, status = null as number | null } = {}) {
    super(message);
    this.name = 'CommandError';
    this.isTemporary = isTemporary;
    this.status = status;
  }
}

/** A parser of one argument, for commander: it returns `null` for text that is wrong, and `rule` says what is right. */
export function parser<T>(read: (text: string) => T | null, rule: string): (text: string) => T {
  return (text) => {
    const value = read(text);
    if (value === null) throw new InvalidArgumentError(`It must be ${rule}.`);
    return value;
  };
}

/** A parser of text that matches a pattern. */
export const matching = (pattern: RegExp, rule: string) => parser((text) => (pattern.test(text) ? text : null), rule);

const anId = matching(UUID, 'an id such as 0190a0b0-0000-7000-8000-000000000000');
export const readId = (text: string) => anId(text).toLowerCase();

export const readEmail = parser(normalizeEmail, 'an e-mail address');

export const readMoment = parser((text) => moment.safeParse(text).data ?? null, 'a time such as 2026-12-01T09:00:00Z');

const readHttp = (text: string) => (/^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null);
export const readUrl = parser(readHttp, 'an address such as http://localhost:8080');

/** Text with at least one visible character. */
export const readText = parser((text) => text.trim() || null, 'a text with a visible character');

/** A whole number from `least` to `most`. */
export const readCount = (least: number, most: number) =>
  parser(
    (text) => (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null),
    `a whole number from ${least} to ${most}`,
  );

/** The exact decimal text of an amount in major units; null for ambiguous or invalid text. */
export function findMoney(text: string, currency: string): string | null {
  return readAmount(text, /^[A-Z]{3}$/.test(currency) ? { currency, isSigned: true } : { isSigned: true });
}

/** Aligns two columns and indents them. */
export function alignRows(rows: string[][]): string {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

/** A result as people see it. */
export function draw({ json, text, columns }: Output): string {
  if (text !== undefined) return text;
  return columns ? drawTable(json as Fields[], columns) : drawFields(json as Fields);
}

type Fields = Record<string, unknown>;

/** Draws these fields of each row in columns. */
export function drawTable(rows: Fields[], columns: string[]): string {
  if (rows.length === 0) return 'There are none.';
  const heads = columns.map((column) => column.replace(/[A-Z]/g, ' $&').toUpperCase());
  const cells = [heads, ...rows.map((row) => columns.map((column) => showCell(row[column])))];
  const widths = columns.map((_, nth) => Math.max(...cells.map((row) => (row[nth] ?? '').length)));
  const drawLine = (row: string[]) => row.map((cell, nth) => cell.padEnd(widths[nth] ?? 0)).join('  ');
  return cells.map((row) => drawLine(row).trimEnd()).join('\n');
}

/** Draws each field in a line of its name and value. */
function drawFields(fields: Fields): string {
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
  // A rail's text must not move the cursor, or start a line.
  return text.replace(/\p{Cc}/gu, '�') || '-';
}
