// Hand-written SQL for due rows of any table.
// One query watches all kinds of jobs, because many nodes run it each second.
// One statement claims rows: it finds them, leases them and increments their claim counter.
// Kysely cannot express a recursive step in place of a column, nor the comparison of whole rows.

export type Kind = {
  /** The name of the queue. */
  name: string;
  /** The table of the due rows, with `id`, `due_at` and `due_count`. */
  table: string;
  /** An SQL condition for the rows of this kind, if the table has rows of several kinds. */
  where?: string | undefined;
  /**
   * The key column of a keyed queue. Claims go round-robin over its values, so that no key delays another.
   * An index on (column, `due_at`) must cover the rows of this kind.
   */
  keyColumn?: string | undefined;
};

type Statement = { name: string; text: string };

/** Builds the query for kinds with rows due at $1. It returns `name` and the earliest due time `at` of each kind. */
export function watchStatement(kinds: Kind[]): Statement {
  const firsts = kinds.map(
    (kind) => `select '${kind.name}' as name, min(due_at) as at from ${kind.table}
      where ${kindCondition(kind)}due_at <= $1::timestamptz`,
  );
  const text = `select name, at from (${firsts.join(' union all ')}) first where at is not null`;
  return { name: 'watch_due', text };
}

/**
 * Claims at most $3 rows due at $1, with a lease until $2.
 * Returns `id`, `dueCount` and `key`, which are null if no row is due.
 * It also returns the time at which the next row becomes due (`nextAt`).
 * A keyed queue claims at most $6 rows of each key. For the keys in $4, the limits in $5 replace $6.
 */
export function claimStatement(kind: Kind): Statement {
  const { name, table, keyColumn } = kind;
  const isOfKind = kindCondition(kind);
  const picked = keyColumn ? `with recursive ${pickRoundRobin(table, isOfKind, keyColumn)}, ` : 'with ';
  const isPicked = keyColumn ? 'id in (select id from picked) and ' : '';
  // Another node may have locked some of the picked rows. Then the next claim follows immediately and finds later rows.
  const isShort = '(select count(*) from claimed) < (select count(*) from picked)';
  const nextAt = keyColumn ? `case when ${isShort} then $1::timestamptz else min(due_at) end` : 'min(due_at)';
  // A subquery with a limit could run once for each row, and claim more rows than its limit.
  const text = `${picked}chosen as (
      select id from ${table} where ${isPicked}${isOfKind}due_at <= $1::timestamptz
      order by due_at limit $3 for update skip locked),
    claimed as (
      update ${table} set due_at = $2::timestamptz, due_count = due_count + 1
      where id in (select id from chosen)
      returning id, due_count, ${keyColumn ? `${keyColumn}::text` : `''`} as key)
    select id, due_count as "dueCount", key, next_at as "nextAt"
    from (select ${nextAt} as next_at
      from ${table} where ${isOfKind}due_at > $1::timestamptz) next left join claimed on true`;
  return { name: `claim_${name}`, text };
}

const kindCondition = ({ where }: Kind) => (where ? `${where} and ` : '');

/**
 * Picks round-robin: the first row of each key, then the second of each key, and so on.
 * With more keys than slots, keys are chosen at random. By age, the keys with the longest queues would always win.
 */
function pickRoundRobin(table: string, isOfKind: string, column: string): string {
  return `key(id) as (
    (select ${column} from ${table} where ${isOfKind}due_at is not null order by ${column} limit 1)
    union all
    select (select ${column} from ${table} where ${isOfKind}due_at is not null
      and ${column} > key.id order by ${column} limit 1) from key where key.id is not null),
  free(id, slots) as (select * from unnest($4::text[], $5::int[])),
  picked as (
    select due.id from key left join free on free.id = key.id::text cross join lateral (
      select id, row_number() over (order by ${column}, due_at) as position from ${table}
      -- The comparison of whole rows makes the planner scan exactly this range of the index.
      where ${isOfKind}due_at is not null and (${column}, due_at) >= (key.id, '-infinity')
        and (${column}, due_at) <= (key.id, $1::timestamptz)
      order by ${column}, due_at limit least($3::int, coalesce(free.slots, $6))) due
    where key.id is not null
    order by due.position, random() limit $3)`;
}
