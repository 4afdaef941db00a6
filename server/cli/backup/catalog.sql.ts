// Queries of the system catalog, which no entity describes: the tables and sequences that a backup copies.

/** Database schemas of the gateway, and of a sandbox's simulated rails. */
const SCHEMAS = `('public', 'simulator')`;

/** Tables that a backup omits, because a restore fills them itself: executed migrations, and counts of lists. */
const DERIVED = `('mikro_orm_migrations', 'list_counts', 'list_deltas', 'list_folds')`;

/** SQL: lists tables with their columns, without generated ones. Each table follows the tables that it references. */
export const TABLES = `
  with recursive depths as (
    select oid, 0 as depth from pg_class where relkind = 'r'
    union select k.conrelid, d.depth + 1 from depths d
      join pg_constraint k on k.confrelid = d.oid and k.contype = 'f' and k.conrelid <> k.confrelid)
  select format('%I.%I', n.nspname, c.relname) as name,
    string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
  from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relkind = 'r' and n.nspname in ${SCHEMAS} and c.relname not in ${DERIVED}
  group by c.oid, n.nspname order by (select max(depth) from depths d where d.oid = c.oid), 1`;

export const SEQUENCES = `
  select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
  where schemaname in ${SCHEMAS} and last_value is not null and sequencename not like 'mikro_orm_migrations%'
  order by 1`;

/** SQL: fixes the format of values for backup and restore, and disables timeouts for a long copy. */
export const SETTINGS = `
  set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local extra_float_digits = 3;
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

/** SQL: finds wrong sums of money, except money of another currency and late refunds (`refund.excess` reports them). */
export const WRONG_MONEY = `
  select format('Payment %s has other money than its transactions.', p.id) as fault from payments p
    left join transactions t on t.payment_id = p.id and t.currency = p.currency
    group by p.id having p.amount_paid_minor <> coalesce(sum(t.amount_minor), 0)
  union all select format('Transaction %s returned more than it took.', t.id) from transactions t
    join refunds r on r.transaction_id = t.id and r.status = 'Succeeded' and not r.late
    group by t.id having sum(r.amount_minor) > t.amount_minor
  limit 1000`;
