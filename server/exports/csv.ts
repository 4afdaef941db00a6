// Writes exported lists as CSV, for Excel and for programs.
import { stringify } from 'csv-stringify/sync';
import type { Language } from '../../shared/language.ts';
import { isDay, showDay, showMoment } from '../../shared/luanda.ts';
import { toDecimal } from '../../shared/money.ts';
import { NO_END_DATE } from '../../shared/reference.ts';
import type { WordTable, Words } from '../../shared/state-words.ts';

type Cell = string | number | boolean | Date | null | undefined;
export type CsvRow<Name extends string> = { readonly [Column in Name]: Cell };

/**
 * A column of a CSV file: its title in each language, and the property of the row that it shows (`from`).
 * - `text`: free text from merchants, payers or rails.
 * - `code`: a value that only the gateway writes, such as ids, digits and phone numbers.
 * - `day`: a date such as `2026-11-30`, or a rail's own name of a period.
 *
 * `words`: the words of the column's values, which people read in the Excel dialect. Programs read the API's values.
 */
export type CsvColumn<Name extends string> = Words & { from: Name } & (
    | { kind: 'text' | 'code'; words?: WordTable }
    | { kind: 'time' | 'day' | 'number' | 'flag' }
    /** An amount in minor units. `currency`: the property of the row with the currency. */
    | { kind: 'money'; currency: Name }
  );

/** The CSV dialect. `excel`: for people, in their language. `rfc4180`: for programs, with English titles. */
export type Dialect = 'excel' | 'rfc4180';

/** Returns the language of a file. Files for programs are the same in every language. */
export const languageOfFile = (dialect: Dialect, language: Language): Language =>
  dialect === 'excel' ? language : 'en';

/** Creates a CSV writer. `head`: the header line. `write`: returns the lines of rows. Each line ends with CRLF. */
export function csvWriter<Name extends string>(
  columns: readonly CsvColumn<Name>[],
  dialect: Dialect,
  language: Language,
) {
  const isExcel = dialect === 'excel';
  const options = {
    delimiter: isExcel ? ';' : ',',
    record_delimiter: '\r\n',
    quote_record_delimiter: true,
    // Cells that contain the other separator are quoted, so that programs guess the right one. Decimals are not quoted.
    quoted_match: /^(?!-?\d+,\d+$)[^,;]*[,;]/,
    cast: { object: (cell: object) => cell as Written },
  };
  const writeCell = isExcel ? writeForPeople : writeForPrograms;
  const cellsOf = (row: CsvRow<Name>) => columns.map((column) => writeCell(row, column, language));
  return {
    head: stringify([columns.map((column) => column[languageOfFile(dialect, language)])], { ...options, bom: isExcel }),
    write: (rows: readonly CsvRow<Name>[]) => stringify(rows.map(cellsOf), options),
  };
}

/** The text of a CSV cell. `quoted` puts it in quotes even if CSV does not require them. */
type Written = string | { value: string; quoted: true };

const FLAGS = { pt: ['não', 'sim'], en: ['no', 'yes'], fr: ['non', 'oui'] } as const;
const NO_END: Words = { pt: 'Sem prazo', en: 'No end date', fr: 'Sans date de fin' };
const NO_END_AT = Date.parse(NO_END_DATE);

function writeForPeople<N extends string>(row: CsvRow<N>, column: CsvColumn<N>, language: Language): Written {
  const value: Cell = row[column.from];
  if (value == null || value === '') return '';
  switch (column.kind) {
    case 'text':
    case 'code': {
      const words = column.words && Object.hasOwn(column.words, String(value)) && column.words[String(value)];
      return words ? capitalize(words[language]) : defuse(String(value), column.kind, LOST_DIGITS);
    }
    case 'money':
      return toDecimal(value as number, String(row[column.currency])).replace('.', ',');
    case 'number':
      return String(value).replace('.', ',');
    case 'time':
      return (value as Date).getTime() < NO_END_AT ? showMoment(value as Date).slice(0, 16) : NO_END[language];
    case 'day':
      return isDay(String(value)) ? showDay(String(value)) : defuse(String(value), 'text', LOST_DIGITS);
    case 'flag':
      return FLAGS[language][value ? 1 : 0];
  }
}

function writeForPrograms<N extends string>(row: CsvRow<N>, column: CsvColumn<N>): Written {
  const value: Cell = row[column.from];
  if (value == null || value === '') return '';
  switch (column.kind) {
    case 'text':
    case 'code':
      return defuse(String(value), column.kind);
    case 'day':
      return defuse(String(value), 'text');
    case 'money':
      return toDecimal(value as number, String(row[column.currency]));
    case 'time':
      return (value as Date).toISOString();
    case 'number':
    case 'flag':
      return String(value);
  }
}

const capitalize = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

/** Matches texts that Excel would change: it rounds long digits, removes leading zeros, and reads `1E3` as 1000. */
const LOST_DIGITS = /^(?:0\d+|\+?\d{12,}|\d+(?:[.,]\d+)?[eE][-+]?\d+)$/;

/** Adds an apostrophe, so that no spreadsheet runs the text as a formula. @param lost other texts that need one */
function defuse(text: string, kind: 'text' | 'code', lost?: RegExp): Written {
  const isExecutable = isFormula(text) && !(kind === 'code' && PHONE.test(text));
  if (isExecutable || lost?.test(text)) return { value: `'${text}`, quoted: true };
  return /^\d+,\d+$/.test(text) ? { value: text, quoted: true } : text;
}

/** Matches a phone number (E.164). Spreadsheets do not run a plus sign before digits as a formula. */
const PHONE = /^\+\d{1,15}$/;

/** Matches the first visible character of a text. Spreadsheets ignore blanks and invisible characters before it. */
const FIRST_SIGN = /^[\s\p{Z}\p{C}]*([^\s\p{Z}\p{C}])/u;

function isFormula(text: string): boolean {
  if (/^[a-z\d]/i.test(text)) return false;
  const sign = FIRST_SIGN.exec(text)?.[1] ?? '';
  // Spreadsheets read full-width signs as plain signs, and NFKC maps full-width signs in the same way.
  return /^[\t\r\n]/.test(text) || /^[=+\-@]$/.test(sign.normalize('NFKC'));
}
