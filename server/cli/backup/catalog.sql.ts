// What the database says of its own tables, for copying them: its catalog, which no entity describes.

/** Whose tables a backup has: the house's, and in a sandbox those of the pretend world. */
const SCHEMAS = `('public', 'simulator')`;

/** The migrator's own tables, and counts: a restored database writes them by itself. */
const OWN = `'mikro_orm_migrations'`;
const COUNTS = `'list_counts', 'list_deltas', 'list_folds'`;

/** Each with its columns in their order, without those that the database computes. */
export const TABLES = `
  select n.nspname::text as schema, c.relname::text as name,
    array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relkind = 'r' and n.nspname in ${SCHEMAS} and c.relname not in (${OWN}, ${COUNTS})
  group by 1, 2 order by 1, 2`;

export const SEQUENCES = `
  select schemaname::text as schema, sequencename::text as name, last_value::text as value from pg_sequences
  where schemaname in ${SCHEMAS} and last_value is not null and sequencename not like ${OWN} || '%' order by 1, 2`;

/** Which table points to which. */
export const FOREIGN_KEYS = `
  select cn.nspname::text || '.' || c.relname::text as child, pn.nspname::text || '.' || p.relname::text as parent
  from pg_constraint k
    join pg_class c on c.oid = k.conrelid join pg_namespace cn on cn.oid = c.relnamespace
    join pg_class p on p.oid = k.confrelid join pg_namespace pn on pn.oid = p.relnamespace
  where k.contype = 'f' and c.oid <> p.oid`;

/** Those that have run, in their order. */
export const MIGRATIONS = `select name from mikro_orm_migrations order by id`;

/** Everybody reads and writes values in the same words; nothing is ended for taking long. */
export const SETTINGS = `
  set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 3;
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`;
