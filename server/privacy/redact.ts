// Putting a marker in the place of every spelling of somebody, in rows that may stay otherwise.
import type { Core } from '../core.ts';
import { query, type Db } from '../database/db.ts';
import type { Left } from './entities.ts';
import { columnsOf, type Row } from './reach.ts';
import { anyTables, type Scope, type Walk } from './walks.ts';
import { redactor, type Persona } from './subject.ts';

/** What was done to rows: how many lost something, by table, and which are still needed. */
export type Erased = {
  counts: Record<string, number>;
  left: Left[];
  /** Payments that were erased. */
  payments?: string[];
};

export type ErasingCore = Pick<Core, 'clock' | 'keyring'> & Db;

export type Erasing = {
  walk: Pick<Walk, 'table' | 'key'>;
  scope: Scope;
  rows: Row[];
  /** Of the payments that were erased before: rows may be about them. */
  payments?: readonly string[];
  /** Other names of the person that the rows may contain; default: only the subject. */
  persona?: Persona;
};
export type Way = (core: ErasingCore, erasing: Erasing) => Promise<Erased>;

/** Tables of what rails say: what names money there stays. */
const TOLD = ['events', 'inbox', 'notifications', 'reconciliations', 'refunds', 'transactions'];

/** Puts a marker in the place of each spelling, in every personal column. */
export function redactRows(core: ErasingCore, erasing: Erasing): Promise<Erased> {
  const { walk, scope, persona = { subjects: [scope.subject], words: [] } } = erasing;
  return changeRows(core, erasing, redactor(persona, TOLD.includes(walk.table)));
}

/** Changes the text of every personal column. */
export async function changeRows(
  core: ErasingCore,
  { walk: { table, key }, rows }: Pick<Erasing, 'walk' | 'rows'>,
  change: (text: string) => string,
): Promise<Erased> {
  const changeValue = (value: unknown) =>
    typeof value === 'string' ? change(value) : JSON.parse(change(JSON.stringify(value)));
  const isKey = (column: string) => key.some((part) => part.column === column);
  let count = 0;
  for (const row of rows) {
    const changed = Object.fromEntries(
      columnsOf(table)
        .filter((column) => !isKey(column) && row[column] != null)
        .map((column) => [column, changeValue(row[column])])
        .filter(([column, value]) => JSON.stringify(value) !== JSON.stringify(row[column as string])),
    ) as Row;
    if (Object.keys(changed).length === 0) continue;
    // As text: the driver takes an array for one of the database's own.
    const set = Object.fromEntries(
      Object.entries(changed).map(([column, value]) => [column, Array.isArray(value) ? JSON.stringify(value) : value]),
    );
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
