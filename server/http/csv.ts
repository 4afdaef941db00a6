// Lists as CSV: for Excel in Portuguese, and for programs (RFC 4180); whatever text says, no spreadsheet takes it for a formula.
import { z } from 'zod';
import type { Language } from '../../shared/language.ts';
import { showMoment } from '../../shared/luanda.ts';
import { findCells } from '../database/copy.ts';
import { copiedAs, HOUR, quote, rowWriter, type Copying, type Style } from './csv/cells.ts';
import { oneOf, saidAs } from './fields.ts';

/** What a row that is reckoned here may hold. */
export type Cell = string | number | boolean | Date | null;

/** A row with what its columns show. */
export type CsvRow<Name extends string> = { readonly [Column in Name]: Cell };

/** Many rows as the database copies them (`server/database/copy.ts`), and what each of their places is called. */
export type CsvTable<Name extends string> = {
  names: readonly string[];
  bytes: Buffer;
  /** Never there: it tells the compiler which names there are. */
  has?: CsvRow<Name>;
};

export type CsvBatch<Name extends string> = readonly CsvRow<Name>[] | CsvTable<Name>;

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

const FLAGS = { pt: ['não', 'sim'], en: ['no', 'yes'], fr: ['non', 'oui'] } as const;

const styleOf: Record<Dialect, (language: Language) => Style & { start: string }> = {
  excel: (language) => ({
    start: '\uFEFF',
    separator: ';',
    point: ',',
    hourOf: (at) => showMoment(at).slice(0, HOUR),
    isExact: false,
    flags: FLAGS[language],
  }),
  rfc4180: () => ({
    start: '',
    separator: ',',
    point: '.',
    hourOf: (at) => at.toISOString().slice(0, HOUR),
    isExact: true,
    flags: ['false', 'true'],
  }),
};

/** Bytes that go out together; others wait while they are made. */
const CHUNK = 131_072;
/** How much longer a cell may become. */
const LONGER = 32;

/** The file's beginning with its line of names, and its rows; each line has its end. */
export type CsvWriter<Name extends string> = {
  head: string;
  /** In chunks of many rows, of which each is over when the next is asked for. */
  write(batch: CsvBatch<Name>): Generator<Buffer>;
};

export function csvWriter<Name extends string>(
  columns: readonly CsvColumn<Name>[],
  dialect: Dialect,
  language: Language,
): CsvWriter<Name> {
  const style = styleOf[dialect](language);
  let chunk = Buffer.allocUnsafeSlow(0);
  return {
    head: `${style.start}${columns.map((column) => quote(column[language])).join(style.separator)}\r\n`,
    *write(batch) {
      const { names, bytes } = 'bytes' in batch ? batch : tableOf(columns, batch);
      const cells = new Int32Array(2 * names.length);
      const writeRow = rowWriter(columns, style, names, cells);
      const copying: Copying = { from: bytes, to: chunk, at: 0 };
      for (let next = 0; next < bytes.length;) {
        const start = next;
        next = findCells(bytes, start, cells);
        const most = next - start + columns.length * LONGER;
        if (copying.at + most > chunk.length) {
          if (copying.at > 0) yield chunk.subarray(0, copying.at);
          if (most > chunk.length) chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK, most));
          copying.to = chunk;
          copying.at = 0;
        }
        writeRow(copying);
      }
      if (copying.at > 0) yield chunk.subarray(0, copying.at);
    },
  };
}

/** Rows that are reckoned here as the database would copy them. */
function tableOf<Name extends string>(
  columns: readonly CsvColumn<Name>[],
  rows: readonly CsvRow<Name>[],
): CsvTable<Name> {
  const names = columns.flatMap((column) => (column.kind === 'money' ? [column.from, column.currency] : [column.from]));
  const lines = rows.map((row) => `${names.map((name) => copiedAs(row[name])).join(',')}\n`);
  return { names, bytes: Buffer.from(lines.join('')) };
}
