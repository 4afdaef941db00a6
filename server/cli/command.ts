// What a command is, its arguments, and tables as it prints them.
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { em, type Db } from '../database/db.ts';
import { readAmount } from '../../shared/money.ts';
import { UUID } from '../http/fields.ts';
import { Merchant } from '../merchants/entities.ts';
import { lockMerchant } from '../merchants/find.ts';

/** A flag, as `parseArgs` reads it, with what the help says of it. */
export type Option = {
  type: 'string' | 'boolean';
  short?: string;
  default?: string;
  /** The value's name in the help: `<url>`. */
  value?: string;
  about: string;
};

/** What the shell said. */
export type Call = { values: Record<string, string | boolean | undefined>; positionals: string[]; isJson: boolean };

/** Where it was said. */
export type Shell = {
  /** Instead of the process's own. */
  env?: Record<string, string | undefined>;
  clock: Clock;
  /** For who called, and programs: stdout. */
  say(line: string): void;
  /** For who called alone: stderr. */
  complain(line: string): void;
  terminal: Terminal;
  /** From here on Ctrl-C does not end the process, but aborts this. */
  untilStopped(): AbortSignal;
};

/** Where a person can be asked. */
export type Terminal = { input: Readable & { isTTY?: boolean }; output: Writable };

/** What a command that ends by itself has to tell. */
export type Output = { text: string; json: unknown };

export type Command = {
  /** What follows the command's name. */
  usage: string;
  options: Record<string, Option>;
  /** Further lines of its help. */
  notes?: string;
  /** Nothing when it has printed everything already. @throws UsageError, CommandError */
  run(call: Call, shell: Shell): Promise<Output | undefined>;
};

/** The call was wrong: exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** It could not be done, for a reason that a person understands: exit code 1. */
export class CommandError extends Error {
  /** The same may work in a moment: nobody answered, or nobody had the time. */
  readonly isTemporary: boolean;
  /** Of the answer that says no, where there is one. */
  readonly status: number | null;
  constructor(message: string, told: { isTemporary?: boolean; status?: number } = {}) {
    super(message);
    this.name = 'CommandError';
    this.isTemporary = told.isTemporary ?? false;
    this.status = told.status ?? null;
  }
}

/** The value of a flag that takes one. */
export function textOf({ values }: Call, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The help of one command. */
export function describeCommand(name: string, about: string, { usage, options, notes }: Command): string {
  const all: Record<string, Option> = { ...options, ...COMMON_OPTIONS };
  const rows = Object.entries(all).map(([flag, { value, default: initial, about }]) => [
    `--${flag}${value ? ` <${value}>` : ''}`,
    initial === undefined ? about : `${about} (${initial})`,
  ]);
  const head = `Usage: npm run balcao -- ${name} ${usage}\n\n${about[0]?.toUpperCase()}${about.slice(1)}.`;
  return `${[head, alignRows(rows), ...(notes ? [notes] : [])].join('\n\n')}\n`;
}

/** What every command takes. */
export const COMMON_OPTIONS = {
  json: { type: 'boolean', about: 'for programs: JSON instead of words' },
  help: { type: 'boolean', short: 'h', about: 'this' },
} as const satisfies Record<string, Option>;

/** Two columns, indented. */
export function alignRows(rows: string[][]): string {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

/** @throws UsageError */
export function readId(text: string | undefined, name: string): string {
  if (text && UUID.test(text)) return text.toLowerCase();
  throw new UsageError(`${name} must be an id such as 0190a0b0-0000-7000-8000-000000000000, not ${text}`);
}

/** @throws UsageError when the id is none; CommandError when nobody has it */
export async function findMerchantOf(db: Db, text: string | undefined): Promise<Merchant> {
  const id = readId(text, 'merchantId');
  return (await em(db).findOne(Merchant, { id })) ?? refuseUnknown(id);
}

/** The same, held for a change until the transaction `db` ends. @throws as above */
export async function lockMerchantOf(db: Db, text: string | undefined): Promise<Merchant> {
  const id = readId(text, 'merchantId');
  return (await lockMerchant.first(db, { id })) ?? refuseUnknown(id);
}

function refuseUnknown(id: string): never {
  throw new CommandError(`There is no merchant ${id}: merchant list shows them.`);
}

/** A whole number within bounds. @throws UsageError */
export function readCount(text: string | undefined, name: string, { least = 0, most = 1_000_000_000 } = {}): number {
  const count = /^\d{1,10}$/.test(text ?? '') ? Number(text) : NaN;
  if (count >= least && count <= most) return count;
  throw new UsageError(`${name} must be a whole number from ${least} to ${most}`);
}

/** Exact decimal text of an amount in major units. Null for ambiguous or invalid text. */
export function findMoney(text: string, currency: string): string | null {
  return readAmount(text, /^[A-Z]{3}$/.test(currency) ? { currency, isSigned: true } : { isSigned: true });
}

/** The same of a flag. @throws UsageError */
export function readMoney(text: string, name: string, currency: string): string {
  const read = findMoney(text, currency);
  if (read !== null) return read;
  throw new UsageError(`${name} must be an amount such as 1500 or 1500.50`);
}

/** A flag that must be there. @throws UsageError */
export function needText(call: Call, name: string): string {
  const text = textOf(call, name)?.trim();
  if (!text) throw new UsageError(`--${name} is needed`);
  return text;
}

/** The ids that GPO gave, separated by commas; '' is none at all. @throws UsageError */
export function readGpoIds(text: string, name: string): string[] {
  const ids = text.split(',').flatMap((id) => id.trim() || []);
  for (const id of ids)
    if (!/^[\w.:-]{1,64}$/.test(id))
      throw new UsageError(`${name} must be up to 64 letters, digits and . : - _, not ${id}`);
  return [...new Set(ids)];
}

/** Rows in columns; `none` is said where there is nothing. */
export function drawTable(heads: readonly string[], rows: readonly (readonly unknown[])[], none: string): string {
  if (rows.length === 0) return none;
  const cells = [heads.map((head) => head.toUpperCase()), ...rows.map((row) => row.map(showCell))];
  const widths = heads.map((_, nth) => Math.max(...cells.map((row) => (row[nth] ?? '').length)));
  return cells
    .map((row) =>
      row
        .map((cell, nth) => cell.padEnd(widths[nth] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One thing in lines of a name and a value. */
export function drawFields(fields: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${showCell(value)}`)
    .join('\n');
}

function showCell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z');
  if (Array.isArray(value)) return value.length > 0 ? showText(value.join(', ')) : '-';
  return showText(String(value));
}

/** What comes from outside cannot move a terminal's cursor, or begin another line. */
function showText(text: string): string {
  return text.replace(/\p{Cc}/gu, '�');
}
