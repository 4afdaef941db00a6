// Putting a marker in the place of every spelling of somebody, in rows that may stay otherwise.
import type { Core } from '../core.ts';
import { query, type Db } from '../database/db.ts';
import type { Left } from './entities.ts';
import { anyTables, columnsOf, type Row, type Scope, type Walk } from './reach.ts';
import { redactor } from './subject.ts';

/** What was done to rows: how many lost something, by table, and which are still needed. */
export type Erased = { counts: Record<string, number>; left: Left[] };

export type ErasingCore = Pick<Core, 'clock' | 'keyring'> & Db;

export type Erasing = { walk: Pick<Walk, 'table' | 'key'>; scope: Scope; rows: Row[] };
export type Way = (core: ErasingCore, erasing: Erasing) => Promise<Erased>;

/** Tables of what rails say: what names money there stays. */
const TOLD = ['events', 'inbox', 'notifications', 'reconciliations', 'refunds', 'transactions'];

/** Puts a marker in the place of each spelling, in every personal column. */
export async function redactRows(core: ErasingCore, { walk: { table, key }, scope, rows }: Erasing): Promise<Erased> {
  const redact = redactor(scope.subject, TOLD.includes(table));
  const redactValue = (value: unknown) =>
    typeof value === 'string' ? redact(value) : JSON.parse(redact(JSON.stringify(value)));
  const isKey = (column: string) => key.some((part) => part.column === column);
  let count = 0;
  for (const row of rows) {
    const set = Object.fromEntries(
      columnsOf(table)
        .filter((column) => !isKey(column) && row[column] != null)
        .map((column) => [column, redactValue(row[column])])
        .filter(([column, value]) => JSON.stringify(value) !== JSON.stringify(row[column as string])),
    ) as Row;
    if (Object.keys(set).length === 0) continue;
    count += await query((tables) =>
      key.reduce(
        (update, { column }) => update.where(column, '=', row[column]),
        anyTables(tables)
          .updateTable(table as string)
          .set(set),
      ),
    ).run(core);
  }
  return { counts: { [table]: count }, left: [] };
}
