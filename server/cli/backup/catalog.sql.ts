// Queries of the system catalog, which no entity describes: the tables and sequences that a backup copies.

/** The gateway's own schema, and a sandbox's simulated rails. */
const SCHEMAS = `('public', 'simulator')`;

/** The tables that a restored database fills by itself: the migrations that ran, and the counts of lists. */
const DERIVED = `('mikro_orm_migrations', 'list_counts', 'list_deltas', 'list_folds')`;

/** Each table with its columns in their order, without generated ones, and the tables that its foreign keys name. */
export const TABLES = `
  select c.oid::regclass::text as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns,
    array(select distinct k.confrelid::regclass::text from pg_constraint k
      where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as parents
  from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relkind = 'r' and n.nspname in ${SCHEMAS} and c.relname not in ${DERIVED}
  group by c.oid order by 1`;

export const SEQUENCES = `
  select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
  where schemaname in ${SCHEMAS} and last_value is not null and sequencename not like 'mikro_orm_migrations%' order by 1`;

/** The migrations that ran, in their order. */
export const MIGRATIONS = 'select name from mikro_orm_migrations order by id';

/** Both sides write values alike, names have their schema, and no time-out ends a long copy. */
export const SETTINGS = `
  set local search_path = ''; set local timezone = 'UTC'; set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres'; set local bytea_output = 'hex'; set local extra_float_digits = 3;
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`;
