// Writes exported lists as CSV, for Excel and for programs.
import { stringify } from 'csv-stringify/sync';
import type { Language } from '../../shared/language.ts';
import { showMoment } from '../../shared/luanda.ts';
import { toDecimal } from '../../shared/money.ts';

type Cell = string | number | boolean | Date | null | undefined;
export type CsvRow<Name extends string> = { readonly [Column in Name]: Cell };

/**
 * A column of a CSV file: its name in each language, and the property of the row that it shows (`from`).
 * - `text`: free text from merchants, payers or rails.
 * - `code`: a value that only the gateway writes, such as ids, digits and phone numbers. `words` translates values.
 *   A value with a word for each language is translated for Excel only.
 */
export type CsvColumn<Name extends string> = Readonly<Record<Language, string>> & { from: Name } & (
    | { kind: 'text' | 'time' | 'number' | 'flag' }
    | { kind: 'code'; words?: Readonly<Record<string, string | Readonly<Record<Language, string>>>> }
    /** An amount in minor units. `currency`: the property of the row with the currency. */
    | { kind: 'money'; currency: Name }
  );

/** The CSV dialect. `excel`: for Excel with Portuguese settings. `rfc4180`: for programs. */
export type Dialect = 'excel' | 'rfc4180';

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
  const cellsOf = (row: CsvRow<Name>) => columns.map((column) => writeCell(row, column, isExcel, language));
  return {
    head: stringify([columns.map((column) => column[language])], { ...options, bom: isExcel }),
    write: (rows: readonly CsvRow<Name>[]) => stringify(rows.map(cellsOf), options),
  };
}

/** The text of a CSV cell. `quoted` puts it in quotes even if CSV does not require them. */
type Written = string | { value: string; quoted: true };

const FLAGS = { pt: ['não', 'sim'], en: ['no', 'yes'], fr: ['non', 'oui'] } as const;

function writeCell<N extends string>(row: CsvRow<N>, column: CsvColumn<N>, isExcel: boolean, lang: Language): Written {
  const value: Cell = row[column.from];
  if (value == null || value === '') return '';
  const localize = (decimal: string) => (isExcel ? decimal.replace('.', ',') : decimal);
  switch (column.kind) {
    case 'text':
      return defuse(String(value), isFormula(String(value)), isExcel);
    case 'code': {
      const text = String(value);
      const word = column.words && Object.hasOwn(column.words, text) ? column.words[text] : undefined;
      if (word && (isExcel || typeof word === 'string')) return typeof word === 'string' ? word : word[lang];
      return defuse(text, isFormula(text) && !PHONE.test(text), isExcel);
    }
    case 'money':
      return localize(toDecimal(value as number, String(row[column.currency])));
    case 'number':
      return localize(String(value));
    case 'time':
      return isExcel ? showMoment(value as Date) : (value as Date).toISOString();
    case 'flag':
      return isExcel ? FLAGS[lang][value ? 1 : 0] : String(value);
  }
}

/** Matches texts that Excel would change: it rounds long digits, removes leading zeros, and reads `1E3` as 1000. */
const LOST_DIGITS = /^(?:0\d+|\+?\d{12,}|\d+(?:[.,]\d+)?[eE][-+]?\d+)$/;

/** Adds an apostrophe, so that no spreadsheet runs the text as a formula and Excel does not read it as a number. */
function defuse(text: string, isExecutable: boolean, isExcel: boolean): Written {
  if (isExecutable || (isExcel && LOST_DIGITS.test(text))) return { value: `'${text}`, quoted: true };
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
