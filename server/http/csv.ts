// Lists as CSV: for Excel in Portuguese, and for programs (RFC 4180); whatever text says, no spreadsheet takes it for a formula.
import { z } from 'zod';
import type { Language } from '../../shared/language.ts';
import { showMoment } from '../../shared/luanda.ts';
import { toDecimal } from '../../shared/money.ts';
import { oneOf, saidAs } from './fields.ts';

/** What a row may hold: as the database writes it, or as we have it. */
export type Cell = string | number | boolean | Date | null;

/** A row with what its columns show. */
export type CsvRow<Name extends string> = { readonly [Column in Name]: Cell };

/**
 * A column: its name by language, and what of a row stands in it. `text` may be anybody's; `code` is what we alone write (ids,
 * words of the API, digits, E.164). `words` says what is shown for the values of a code.
 */
export type CsvColumn<Name extends string> = Readonly<Record<Language, string>> & { from: Name } & (
    | { kind: 'text' | 'time' | 'number' | 'flag' }
    | { kind: 'code'; words?: Readonly<Record<string, string>> }
    /** Minor units, of the currency that stands in another place of the row. */
    | { kind: 'money'; currency: Name }
  );

const DIALECTS = ['excel', 'rfc4180'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** What lists that are exported take besides. */
export const csvQuery = {
  dialect: oneOf(DIALECTS).describe(
    'text/csv only. excel (default): UTF-8 with BOM, `;`, decimal comma, times of Luanda; rfc4180: comma, decimal point, ISO 8601, no BOM',
  ),
};

/** A list in the answer's document. */
export const csvText = z
  .string()
  .meta({ ...saidAs({ type: 'string' }), description: 'A line of names, then one a row' });

type Style = {
  start: string;
  separator: string;
  /** Of a decimal number with a point. */
  decimal(text: string): string;
  /** A moment to its hour, and what comes behind it: `:mm:ss`, and the milliseconds. */
  hour(at: Date): string;
  rest(seconds: string, millis: string): string;
  flags: readonly [no: string, yes: string];
};

/** Letters of a moment up to its hour, in every way that it is written. */
const HOUR = 13;
/** And up to its seconds, as PostgreSQL and ISO 8601 write it. */
const SECONDS = 19;

const FLAGS = { pt: ['não', 'sim'], en: ['no', 'yes'], fr: ['non', 'oui'] } as const;

const styleOf: Record<Dialect, (language: Language) => Style> = {
  excel: (language) => ({
    start: '\uFEFF',
    separator: ';',
    decimal: (text) => text.replace('.', ','),
    hour: (at) => showMoment(at).slice(0, HOUR),
    rest: (seconds) => seconds,
    flags: FLAGS[language],
  }),
  rfc4180: () => ({
    start: '',
    separator: ',',
    decimal: (text) => text,
    hour: (at) => at.toISOString().slice(0, HOUR),
    rest: (seconds, millis) => `${seconds}.${millis.padEnd(3, '0')}Z`,
    flags: ['false', 'true'],
  }),
};

/** The file's beginning with its line of names, and how a row is written; each line has its end. */
export type CsvWriter<Name extends string> = { head: string; line(row: CsvRow<Name>): string };

export function csvWriter<Name extends string>(
  columns: readonly CsvColumn<Name>[],
  dialect: Dialect,
  language: Language,
): CsvWriter<Name> {
  const style = styleOf[dialect](language);
  const [first, ...others] = columns.map((column) => cellWriter(column, style));
  const { start, separator } = style;
  return {
    head: `${start}${columns.map((column) => quote(column[language])).join(separator)}\r\n`,
    line(row) {
      let text = first?.(row) ?? '';
      for (const write of others) text += separator + write(row);
      return `${text}\r\n`;
    },
  };
}

function cellWriter<Name extends string>(column: CsvColumn<Name>, style: Style): (row: CsvRow<Name>) => string {
  const { from } = column;
  const write = valueWriter(column, style);
  return (row) => {
    const value = row[from];
    return value === null ? '' : write(value, row);
  };
}

function valueWriter<Name extends string>(
  column: CsvColumn<Name>,
  style: Style,
): (value: NonNullable<Cell>, row: CsvRow<Name>) => string {
  switch (column.kind) {
    case 'text':
      return (value) => quote(defuse(String(value)));
    case 'code': {
      const { words = {} } = column;
      return (value) => quote(words[String(value)] ?? String(value));
    }
    case 'money': {
      const { currency } = column;
      return (value, row) => style.decimal(toDecimal(Number(value), String(row[currency])));
    }
    case 'time':
      return momentWriter(style);
    case 'number':
      return (value) => style.decimal(String(value));
    case 'flag':
      return (value) => style.flags[value === true || value === 't' ? 1 : 0];
  }
}

/** What a spreadsheet would run: the apostrophe makes it text. */
export function defuse(text: string): string {
  return FORMULA.includes(text.charAt(0)) && text !== '' ? `'${text}` : text;
}

const FORMULA = '=+-@\t\r';

function quote(text: string): string {
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Moments come as PostgreSQL writes them, `2026-11-23 12:20:15.123+00`. Rows beside each other are mostly of one hour, of which
 * what is shown is kept: dates cost more than all other cells together.
 */
function momentWriter({ hour, rest }: Style): (value: NonNullable<Cell>) => string {
  let known = '';
  let shown = '';
  return (value) => {
    const given = String(value instanceof Date ? value.toISOString() : value);
    // An offset of half an hour moves the minutes too.
    const text = /Z$|:\d\d$/.test(given) ? new Date(given.replace(' ', 'T')).toISOString().replace('Z', '+00') : given;
    const offset = text.slice(-3);
    const there = text.slice(0, HOUR) + offset;
    if (there !== known) {
      known = there;
      shown = hour(new Date(`${text.slice(0, 10)}T${text.slice(11, HOUR)}:00:00${offset}:00`));
    }
    return shown + rest(text.slice(HOUR, SECONDS), text.slice(SECONDS + 1, -offset.length));
  };
}
