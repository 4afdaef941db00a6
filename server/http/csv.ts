// Lists as CSV: for Excel in Portuguese, and for programs (RFC 4180); whatever text says, no spreadsheet takes it for a formula.
import { z } from 'zod';
import type { Language } from '../../shared/language.ts';
import { showMoment } from '../../shared/luanda.ts';
import { digitsToDecimal } from '../../shared/money.ts';
import { oneOf, saidAs } from './fields.ts';

/** What a row may hold: as the database writes it, or as we have it. */
export type Cell = string | number | boolean | Date | null;

/** A row with what its columns show. */
export type CsvRow<Name extends string> = { readonly [Column in Name]: Cell };

/** Many rows without names, and what each of their places is called. */
export type CsvTable<Name extends string> = {
  names: readonly string[];
  rows: readonly (readonly Cell[])[];
  /** Never there: it tells the compiler which names there are. */
  has?: CsvRow<Name>;
};

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
  /** A moment to its hour, and what comes behind it, of `:mm:ss.mmm` or less of it. */
  hour(at: Date): string;
  rest(text: string): string;
  flags: readonly [no: string, yes: string];
};

/** Letters of a moment up to its hour, in every way that it is written. */
const HOUR = 13;
/** Of what comes behind it those of the seconds, and with milliseconds. */
const SECONDS = 6;
const MILLIS = 10;

const FLAGS = { pt: ['não', 'sim'], en: ['no', 'yes'], fr: ['non', 'oui'] } as const;

const styleOf: Record<Dialect, (language: Language) => Style> = {
  excel: (language) => ({
    start: '\uFEFF',
    separator: ';',
    decimal: (text) => text.replace('.', ','),
    hour: (at) => showMoment(at).slice(0, HOUR),
    rest: (text) => text.slice(0, SECONDS),
    flags: FLAGS[language],
  }),
  rfc4180: () => ({
    start: '',
    separator: ',',
    decimal: (text) => text,
    hour: (at) => at.toISOString().slice(0, HOUR),
    rest: (text) => {
      if (text.length === MILLIS) return `${text}Z`;
      return `${text.slice(0, SECONDS)}.${text.slice(SECONDS + 1).padEnd(3, '0')}Z`;
    },
    flags: ['false', 'true'],
  }),
};

/** The file's beginning with its line of names, and how a row is written, by its names or by its places; each line has its end. */
export type CsvWriter<Name extends string> = {
  head: string;
  line(row: CsvRow<Name>): string;
  /** @param names of the places of each row */
  lineOf(names: readonly string[]): (row: readonly Cell[]) => string;
};

export function csvWriter<Name extends string>(
  columns: readonly CsvColumn<Name>[],
  dialect: Dialect,
  language: Language,
): CsvWriter<Name> {
  const style = styleOf[dialect](language);
  const { start, separator } = style;
  const lineOf = (names: readonly string[]) => {
    const places = columns.map(({ from }) => placeOf(names, from));
    const writers = columns.map((column) => cellWriter(column, style, names));
    // A million times thirteen: nothing is called or made here that need not be.
    return (row: readonly Cell[]) => {
      let text = '';
      for (let nth = 0; nth < writers.length; nth++) {
        const value = row[places[nth] as number] as Cell;
        if (nth > 0) text += separator;
        if (value !== null) text += (writers[nth] as CellWriter)(value, row);
      }
      return `${text}\r\n`;
    };
  };
  const all = columns.flatMap((column) => (column.kind === 'money' ? [column.from, column.currency] : [column.from]));
  const byName = lineOf(all);
  return {
    head: `${start}${columns.map((column) => quote(column[language])).join(separator)}\r\n`,
    line: (row) => byName(all.map((name) => row[name])),
    lineOf,
  };
}

function placeOf(names: readonly string[], name: string): number {
  const place = names.indexOf(name);
  if (place === -1) throw new Error(`no column ${name}`);
  return place;
}

type CellWriter = (value: NonNullable<Cell>, row: readonly Cell[]) => string;

function cellWriter(column: CsvColumn<string>, style: Style, names: readonly string[]): CellWriter {
  switch (column.kind) {
    case 'text':
      return (value) => quote(defuse(String(value)));
    case 'code': {
      const { words = {} } = column;
      let known: Cell = null;
      let shown = '';
      // Mostly the same as in the row before.
      return (value) => {
        if (value === known) return shown;
        known = value;
        shown = quote(words[String(value)] ?? String(value));
        return shown;
      };
    }
    case 'money': {
      const place = placeOf(names, column.currency);
      return (value, row) => style.decimal(digitsToDecimal(String(value), String(row[place])));
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
  return /[",;\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/**
 * Moments come as PostgreSQL writes them, `2026-11-23 12:20:15.123+00`. Rows beside each other are mostly of one hour, of which
 * what is shown is kept: dates cost more than all other cells together.
 */
function momentWriter({ hour, rest }: Style): (value: NonNullable<Cell>) => string {
  let known = '';
  let offset = '';
  let shown = '';
  const isKnown = (text: string) => known !== '' && text.startsWith(known) && text.endsWith(offset);
  return (value) => {
    let text = value instanceof Date ? value.toISOString() : String(value);
    // An offset of half an hour moves the minutes too.
    if (!isKnown(text) && /Z$|:\d\d$/.test(text))
      text = new Date(text.replace(' ', 'T')).toISOString().replace('Z', '+00');
    if (!isKnown(text)) {
      offset = text.slice(-3);
      known = text.slice(0, HOUR);
      shown = hour(new Date(`${known.slice(0, 10)}T${known.slice(HOUR - 2)}:00:00${offset}:00`));
    }
    return shown + rest(text.slice(HOUR, -3));
  };
}
