// Export of one person's data as JSON. It is streamed, so that only one step's rows are in memory.
import type { Core } from '../core.ts';
import { columnsOf, findParts, readRows, readWindow, type Row } from './reach.ts';
import { LAST_WALKS, PARTS, PAYMENTS, WALKS, type Scope, type Walk } from './walks.ts';
import { PERSONAL, type Holding } from './register.ts';

/** Maximum rows of a payment's related tables in one query. */
const MAX_ROWS = 1_000;

/**
 * Streams the document: the person, purpose and retention of each column, and every row.
 * @param reader aborted when the client disconnects; the document then ends early
 * @yields pieces of JSON text. A single piece is not valid JSON.
 */
export async function* writeExport(core: Core, scope: Scope, reader?: AbortSignal): AsyncGenerator<string> {
  const { subject, merchantId } = scope;
  const head = JSON.stringify({ subject, merchantId, takenAt: core.clock.now(), columns: describeColumns() });
  yield `${head.slice(0, -1)},"held":[`;
  let isFirst = true;
  for await (const [table, rows] of readHeld(core, scope, reader)) {
    const texts = rows.map((row) => JSON.stringify({ table, row }));
    if (texts.length === 0) continue;
    yield `${isFirst ? '' : ','}${texts.join()}`;
    isFirst = false;
  }
  yield ']}';
}

function describeColumns() {
  const walked = [PAYMENTS, ...PARTS, ...WALKS, ...LAST_WALKS].map(({ table }) => {
    const held = Object.entries(PERSONAL[table] as Record<string, Holding>).filter(([name]) =>
      columnsOf(table).includes(name),
    );
    return [table, Object.fromEntries(held.map(([name, { purpose, kept }]) => [name, { purpose, kept }]))];
  });
  return Object.fromEntries(walked);
}

async function* readHeld(core: Core, scope: Scope, reader?: AbortSignal): AsyncGenerator<[table: string, rows: Row[]]> {
  const payments: string[] = [];
  for (const walk of [PAYMENTS, ...WALKS, ...LAST_WALKS])
    for await (const keys of readPersonKeys(core, { walk, scope, payments, reader })) {
      yield [walk.table, await readRows(core, walk, keys)];
      if (walk !== PAYMENTS) continue;
      const ids = keys.flat();
      payments.push(...ids);
      for (const part of PARTS) {
        const keys = await findParts(core, part, ids);
        for (let at = 0; at < keys.length; at += MAX_ROWS)
          yield [part.table, await readRows(core, part, keys.slice(at, at + MAX_ROWS))];
      }
    }
}

type Held = { walk: Walk; scope: Scope; payments: string[]; reader: AbortSignal | undefined };

async function* readPersonKeys(core: Core, { walk, scope, payments, reader }: Held): AsyncGenerator<string[][]> {
  let after: string[] | null = null;
  do {
    if (reader?.aborted) return;
    const window = await readWindow(core, walk, scope, { after, payments });
    if (window.personKeys.length > 0) yield window.personKeys;
    ({ after } = window);
  } while (after);
}
