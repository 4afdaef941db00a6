// Replaces every spelling of a person's names, phones and e-mail addresses in rows that otherwise stay.
import type { Core } from '../core.ts';
import { query, type Db } from '../database/db.ts';
import type { RowInUse } from './entities.ts';
import { columnsOf, type Row } from './reach.ts';
import { untypedTables, type Scope, type Walk } from './walks.ts';
import { redactor, type Persona } from './subject.ts';

/** Result of a step of an erasure: number of changed rows by table, and rows still in use. */
export type Erased = {
  counts: Record<string, number>;
  left: RowInUse[];
  /** `payments`: ids of the payments that the step erased. */
  payments?: string[];
};

export type ErasingCore = Pick<Core, 'clock' | 'keyring'> & Db;

export type Erasing = {
  walk: Pick<Walk, 'table' | 'key'>;
  scope: Scope;
  rows: Row[];
  /** `payments`: ids of payments that were erased earlier, which the rows may be about. */
  payments?: readonly string[];
  /** `persona`: all names of the person that the rows may contain. Default: the phone or e-mail of the request. */
  persona?: Persona;
};
export type EraseRows = (core: ErasingCore, erasing: Erasing) => Promise<Erased>;

/** Tables with data from rails. Their values about money stay. */
const RAIL_TABLES = ['events', 'inbox', 'notifications', 'reconciliations', 'refunds', 'transactions'];

/** Replaces each spelling of the person in every personal column of these rows. */
export function redactRows(core: ErasingCore, erasing: Erasing): Promise<Erased> {
  const { walk, scope, persona = { subjects: [scope.subject], words: [] } } = erasing;
  return changeRows(core, erasing, redactor(persona, RAIL_TABLES.includes(walk.table)));
}

/** Rewrites the text of every personal column of these rows. */
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
        untypedTables(tables)
          .updateTable(table as string)
          .set(set),
      ),
    ).run(core);
  }
  return { counts: { [table]: count }, left: [] };
}
