// Rows by prepared statements, for what every payment goes through: a unit of work takes several times their processor time.
// Columns and their names are the entities' own; `where` is SQL with $1, $2 … for `values`.
import type { EntityClass, EntityData, EntityProperty, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Db } from './db.ts';

export type { Db } from './db.ts';

/** The first row that fits, or null. Of a relation only the id is read. `also` are columns beyond the entity's. */
export async function findRow<T extends object, Also extends object = object>(
  db: Db,
  entity: EntityClass<T>,
  where: string,
  values: unknown[],
  also: string[] = [],
): Promise<(T & Also) | null> {
  return (await findRows<T, Also>(db, entity, where, values, also))[0] ?? null;
}

/** All rows that fit; `where` may go on with an order and a limit. */
export async function findRows<T extends object, Also extends object = object>(
  db: Db,
  entity: EntityClass<T>,
  where: string,
  values: unknown[],
  also: string[] = [],
): Promise<(T & Also)[]> {
  const { name, columns } = tableOf(db.orm, entity);
  const text = `select ${[columns, ...also].join(', ')} from ${name} where ${where}`;
  const { rows } = await db.pool.query<Record<string, unknown>>({ ...prepare(text), values });
  return rows as (T & Also)[];
}

/** Writes one row; what is left out takes the column's default. */
export async function insertRow<T extends object>(db: Db, entity: EntityClass<T>, data: EntityData<T>): Promise<void> {
  const table = tableOf(db.orm, entity);
  const given = Object.entries(data);
  const names = given.map(([property]) => table.columnOf(property));
  const places = given.map((_, nth) => `$${nth + 1}`);
  const text = `insert into ${table.name} (${names.join(', ')}) values (${places.join(', ')})`;
  await db.pool.query({ ...prepare(text), values: given.map(([, value]) => value) });
}

export type Changes<T> = {
  set: EntityData<T>;
  /** A column that grows by one. */
  bump?: keyof T & string;
};

/** Rows to be written together with a change: parts of its statement, in which `changed` are the rows it changed. */
export type NewRow = (orm: MikroORM, first: number, name: string) => { parts: string[]; values: unknown[] };

/** One row of an entity; what is left out takes the column's default. */
export function newRow<T extends object>(entity: EntityClass<T>, data: EntityData<T>): NewRow {
  return (orm, first, name) => {
    const { text, values } = insertChanged(orm, first, entity, data);
    return { parts: [`${name} as (${text})`], values };
  };
}

/** The insert of one row for each row of `changed`; `computed` columns are SQL, which finds given ones by `place`. */
export function insertChanged<T extends object>(
  orm: MikroORM,
  first: number,
  entity: EntityClass<T>,
  data: EntityData<T>,
  computed: Record<string, (place: (property: string) => string) => string> = {},
): { text: string; values: unknown[] } {
  const { name, columnOf, typeOf } = tableOf(orm, entity);
  const given = Object.entries(data);
  // A select, unlike values, does not learn the types from the table.
  const places = new Map(given.map(([property], nth) => [property, `$${first + nth}::${typeOf(property)}`]));
  const place = (property: string) => places.get(property) ?? 'null';
  for (const [property, sql] of Object.entries(computed)) places.set(property, sql(place));
  const columns = [...places.keys()].map(columnOf);
  const text = `insert into ${name} (${columns.join(', ')}) select ${[...places.values()].join(', ')} from changed`;
  return { text, values: given.map(([, value]) => value) };
}

/** Changes the rows that fit and answers how many they were. */
export async function updateRows<T extends object>(
  db: Db,
  entity: EntityClass<T>,
  changes: Changes<T>,
  where: string,
  values: unknown[],
): Promise<number> {
  const { text, values: all } = updateOf(db, entity, changes, where, values);
  return (await db.pool.query({ ...prepare(text), values: all })).rowCount ?? 0;
}

/** The same, with rows that one statement writes for each that it changed; answers `tell`, SQL, for each. */
export async function changeRows<T extends object, Told extends object>(
  db: Db,
  entity: EntityClass<T>,
  changes: Changes<T>,
  where: { text: string; values: unknown[] },
  also: { rows: NewRow[]; tell: string },
): Promise<Told[]> {
  const { text, values } = updateOf(db, entity, changes, where.text, where.values);
  const parts = also.rows.flatMap((row, nth) => {
    const written = row(db.orm, values.length + 1, `also_${nth}`);
    values.push(...written.values);
    return written.parts;
  });
  const whole = `with changed as (${text} returning *), ${parts.join(', ')} select ${also.tell} from changed`;
  return (await db.pool.query<Told>({ ...prepare(whole), values })).rows;
}

function updateOf<T extends object>(
  { orm }: Db,
  entity: EntityClass<T>,
  { set, bump }: Changes<T>,
  where: string,
  values: unknown[],
): { text: string; values: unknown[] } {
  const table = tableOf(orm, entity);
  const given = Object.entries(set);
  const assigned = given.map(([property], nth) => `${table.columnOf(property)} = $${values.length + nth + 1}`);
  if (bump) assigned.push(`${table.columnOf(bump)} = ${table.columnOf(bump)} + 1`);
  const text = `update ${table.name} set ${assigned.join(', ')} where ${where}`;
  return { text, values: [...values, ...given.map(([, value]) => value)] };
}

type Table = {
  name: string;
  columns: string;
  columnOf(property: string): string;
  typeOf(property: string): string;
};

const tables = new WeakMap<MikroORM, Map<unknown, Table>>();

function tableOf<T extends object>(orm: MikroORM, entity: EntityClass<T>): Table {
  const known = tables.get(orm) ?? new Map<unknown, Table>();
  tables.set(orm, known);
  let table = known.get(entity);
  if (!table) known.set(entity, (table = describeTable(orm, entity)));
  return table;
}

function describeTable<T extends object>(orm: MikroORM, entity: EntityClass<T>): Table {
  const { tableName, props } = orm.getMetadata(entity);
  const columnOf = (prop: EntityProperty<T>) => `"${prop.fieldNames[0]}"`;
  const columns = new Map(props.map((prop) => [String(prop.name), columnOf(prop)]));
  const types = new Map(props.map((prop) => [String(prop.name), prop.columnTypes[0] ?? 'text']));
  return {
    name: `"${tableName}"`,
    columns: [...columns].map(([name, column]) => `${column} as "${name}"`).join(', '),
    columnOf(property) {
      const column = columns.get(property);
      if (!column) throw new Error(`${tableName} has no column for ${property}`);
      return column;
    },
    typeOf: (property) => types.get(property) ?? 'text',
  };
}

const names = new Map<string, string>();

/** A statement that each connection parses and plans once. */
function prepare(text: string): { name: string; text: string; types: typeof TYPES } {
  let name = names.get(text);
  if (!name) names.set(text, (name = `rows_${names.size}`));
  return { name, text, types: TYPES };
}

const BIGINT = 20;

/** As the entities have them: a moment is a Date, and no amount or sequence here is beyond a double. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};
