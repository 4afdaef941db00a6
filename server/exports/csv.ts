// Columns of exported lists, and their cells in both dialects.
import { stringify } from 'csv-stringify/sync';
import type { Language } from '../../shared/language.ts';
import { showMoment } from '../../shared/luanda.ts';
import { toDecimal } from '../../shared/money.ts';

type Cell = string | number | boolean | Date | null | undefined;
export type CsvRow<Name extends string> = { readonly [Column in Name]: Cell };

/**
 * A column: its name in each language, and the property of a row that it shows. Merchants, payers and rails write a
 * `text`. The gateway alone writes a `code`: ids, words of the API, digits, E.164. `words` translates values of a code.
 */
export type CsvColumn<Name extends string> = Readonly<Record<Language, string>> & { from: Name } & (
    | { kind: 'text' | 'time' | 'number' | 'flag' }
    | { kind: 'code'; words?: Readonly<Record<string, string>> }
    /** Minor units. `currency` names the property of the row that holds their currency. */
    | { kind: 'money'; currency: Name }
  );

/** Excel in Portuguese, or programs (RFC 4180). */
export type Dialect = 'excel' | 'rfc4180';

/** Writes the line of names (`head`) and lines of rows (`write`), each with its line end. */
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
    // Programs that guess a separator find the other one in quotes, except in the numbers of Excel.
    quoted_match: /^(?!-?\d+,\d+$)[^,;]*[,;]/,
    cast: { object: (cell: object) => cell as Written },
  };
  const cellsOf = (row: CsvRow<Name>) => columns.map((column) => writeCell(row, column, isExcel, language));
  return {
    head: stringify([columns.map((column) => column[language])], { ...options, bom: isExcel }),
    write: (rows: readonly CsvRow<Name>[]) => stringify(rows.map(cellsOf), options),
  };
}

/** A cell, or a cell in quotes that its text does not need. */
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
      if (column.words && Object.hasOwn(column.words, text)) return column.words[text] as string;
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

/** Excel shows these digits as 2.44E+11, rounds them, or cuts their zeros. It reads `1E3` as a thousand. */
const LOST_DIGITS = /^(?:0\d+|\+?\d{12,}|\d+(?:[.,]\d+)?[eE][-+]?\d+)$/;

/** An apostrophe keeps a spreadsheet from running a text as a formula, and Excel from reading it as a number. */
function defuse(text: string, isRun: boolean, isExcel: boolean): Written {
  if (isRun || (isExcel && LOST_DIGITS.test(text))) return { value: `'${text}`, quoted: true };
  return /^\d+,\d+$/.test(text) ? { value: text, quoted: true } : text;
}

/** E.164: no spreadsheet runs its plus. */
const PHONE = /^\+\d{1,15}$/;

/** Spreadsheets skip blanks and invisible marks before a sign, and read full-width signs as the plain ones. */
const FIRST_SIGN = /^[\s\p{Z}\p{C}]*([^\s\p{Z}\p{C}])/u;

function isFormula(text: string): boolean {
  if (/^[a-z\d]/i.test(text)) return false;
  const sign = FIRST_SIGN.exec(text)?.[1] ?? '';
  return /^[\t\r\n]/.test(text) || /^[=+\-@]$/.test(sign.normalize('NFKC'));
}
