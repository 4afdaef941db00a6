// Tables kept in months, by hand-written SQL: no query builder knows what a table's part is. Names are made of the tables' and of numbers alone.

/** Where the parts stand: beside the tables, so that whoever reads the schema of the house sees each table once. */
export const PARTS = 'parts';

export const PARTED = ['events', 'deliveries'] as const;

export type PartedTable = (typeof PARTED)[number];

/** Numbers of one month: 26,000 rows a second, all of it. */
export const MONTH_SIZE = 2 ** 36;

/** `2026_11` of a month counted from January 1970. */
export function suffixOf(month: number): string {
  return `${Math.floor(month / 12) + 1970}_${String((month % 12) + 1).padStart(2, '0')}`;
}

/** The month of such a suffix. */
export function monthOfSuffix(suffix: string): number {
  return (Number(suffix.slice(0, 4)) - 1970) * 12 + Number(suffix.slice(5)) - 1;
}

export const partOf = (table: PartedTable, month: number) => `${PARTS}.${table}_${suffixOf(month)}`;

/**
 * A row for each table: how far its numbers were given, and whether those of months are still to wait: rows from before there were months
 * go on until one has begun for which a part was made ahead, since nodes of older releases walk numbers one by one.
 * $1: names of parts, of which `missing` are those that are not there; $2: the suffix of this month.
 */
export const LOOK = {
  name: 'look_at_months',
  text: PARTED.map(
    (table) => `
select '${table}' as table, last_value as last,
  last_value < ${MONTH_SIZE} and exists (select from ${table} where seq < ${MONTH_SIZE}) and not exists (select from pg_tables
    where schemaname = '${PARTS}' and tablename like '${table}\\_%' and tablename < '${table}_' || $2::text) as "isWaiting",
  array(select name from unnest($1::text[]) name where name like '${PARTS}.${table}\\_%' and to_regclass(name) is null) as missing
from ${table}_seq_seq`,
  ).join(' union all '),
};

/** Made by itself and then attached: who writes meanwhile waits for nothing. */
export function makeStatements(table: PartedTable, month: number): string[] {
  const part = partOf(table, month);
  const [from, to] = [month * MONTH_SIZE, (month + 1) * MONTH_SIZE];
  return [
    `create table ${part} (like ${table} including constraints including indexes including storage including compression)`,
    `alter table ${table} attach partition ${part} for values from (${from}) to (${to})`,
  ];
}

/** $1: the first number of a month; the next row has the one after it. */
export const moveStatement = (table: PartedTable) => ({
  name: `move_${table}`,
  text: `select setval('${table}_seq_seq', $1::bigint)`,
});
