// Replaces every spelling of a person in rows that otherwise stay.
import type { Core } from '../core.ts';
import { query, type Db } from '../database/db.ts';
import type { RowInUse } from './entities.ts';
import { columnsOf, type Row } from './reach.ts';
import { anyTables, type Scope, type Walk } from './walks.ts';
import { redactor, type Persona } from './subject.ts';

/** Result of an erasing step: number of changed rows by table, and rows still in use. */
export type Erased = {
  counts: Record<string, number>;
  left: RowInUse[];
  /** Payments that were erased. */
  payments?: string[];
};

export type ErasingCore = Pick<Core, 'clock' | 'keyring'> & Db;

export type Erasing = {
  walk: Pick<Walk, 'table' | 'key'>;
  scope: Scope;
  rows: Row[];
  /** Payments erased earlier, which the rows may be about. */
  payments?: readonly string[];
  /** All names of the person that the rows may contain. Default: only the phone or e-mail of the request. */
  persona?: Persona;
};
export type EraseRows = (core: ErasingCore, erasing: Erasing) => Promise<Erased>;

/** Tables with data from rails, in which values about money are kept. */
const RAIL_TABLES = ['events', 'inbox', 'notifications', 'reconciliations', 'refunds', 'transactions'];

/** Replaces each spelling of the person in every personal column. */
export function redactRows(core: ErasingCore, erasing: Erasing): Promise<Erased> {
  const { walk, scope, persona = { subjects: [scope.subject], words: [] } } = erasing;
  return changeRows(core, erasing, redactor(persona, RAIL_TABLES.includes(walk.table)));
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
    // JSON text, because the driver would convert a JavaScript array to a PostgreSQL array.
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
