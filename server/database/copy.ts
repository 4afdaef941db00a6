// Whole lists as COPY writes them: bytes of CSV instead of values, which pg would read and we write again one by one.
import { PostgresQueryCompiler, type CompiledQuery } from 'kysely';
import pg from 'pg';
import type { Connection } from './queries.ts';

/** Rows as CSV, each with a line feed behind it: commas between cells, of which texts are quoted where they must be; null is none. */
export type CopiedTable<R> = {
  /** What each place of a row is called. */
  names: readonly string[];
  bytes: Buffer;
  rows: number;
  /** Where the last row begins. */
  last: number;
  /** Never there: it tells the compiler which names there are. */
  has?: { [Column in keyof R]: string | null };
};

export type Copied = CopiedTable<unknown>;

/** To begin with. */
const BYTES = 65_536;

/**
 * @param text a query without parameters, as COPY takes none
 * @param over a table that is read and may be written over: bytes beside the heap, thrown away by the megabyte, are what collects
 * garbage all the time
 */
export async function copyRows<R>(connection: Connection, text: string, over?: Copied): Promise<CopiedTable<R>> {
  const bytes = over ? Buffer.from(over.bytes.buffer) : Buffer.allocUnsafeSlow(BYTES);
  const table = { names: [] as string[], bytes, rows: 0, last: 0 };
  let length = 0;
  // Its bytes are pg's, which goes on to use them.
  const take = (row: Buffer) => {
    if (length + row.length > table.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (length + row.length));
      table.bytes.copy(larger, 0, 0, length);
      table.bytes = larger;
    }
    row.copy(table.bytes, length);
    table.rows++;
    table.last = length;
    length += row.length;
  };
  // One message a row, of which the first has the names.
  const takeMessage = ({ chunk }: { chunk: Buffer }) => {
    if (table.names.length > 0) take(chunk);
    else table.names = String(chunk).trimEnd().split(',');
  };
  const asked = new pg.Query(`copy (${text}) to stdout (format csv, header)`);
  Object.assign(asked, { handleCopyData: takeMessage });
  await new Promise<void>((resolve, reject) => {
    const end = (error: Error | undefined) => (error ? reject(error) : resolve());
    connection.query(asked as unknown as string, end);
  });
  return { ...table, bytes: table.bytes.subarray(0, length) };
}

const QUOTE = 34;
const COMMA = 44;
const LINE_FEED = 10;

/**
 * Finds the cells of the row that begins at `from`, with the quotes they have.
 * @param cells takes of each where it begins, and where it is over
 * @returns where the next row begins
 */
export function findCells(bytes: Uint8Array, from: number, cells: Int32Array): number {
  let at = from;
  for (let nth = 0; nth < cells.length; nth += 2) {
    cells[nth] = at;
    if (bytes[at] === QUOTE) {
      // Of two quotes one ends what is quoted, and the other begins it again.
      do {
        while (++at < bytes.length && bytes[at] !== QUOTE);
      } while (bytes[++at] === QUOTE);
    } else {
      while (at < bytes.length && bytes[at] !== COMMA && bytes[at] !== LINE_FEED) at++;
    }
    cells[nth + 1] = at++;
  }
  return at;
}

/** The statement with its values in the places of parameters, each as a literal that nothing in it can end. */
export function writeLiterals({ query, queryId }: CompiledQuery): string {
  return new LiteralWriter().compileQuery(query, queryId).sql;
}

class LiteralWriter extends PostgresQueryCompiler {
  protected override appendValue(value: unknown): void {
    this.append(value === null ? 'null' : pg.escapeLiteral(textOf(value)));
  }
}

/** As a parameter would be sent; of what kind it is the database finds out as it does for one. */
function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map((one) => `"${textOf(one).replace(/["\\]/g, '\\$&')}"`).join()}}`;
  if (!['string', 'number', 'boolean'].includes(typeof value)) throw new TypeError('no literal of this kind');
  return String(value);
}
