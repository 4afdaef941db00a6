// Due rows of any table, by hand: what every kind of job has due is one query, since many nodes ask it each second; a claim
// finds, leases and counts in one statement; and Kysely has no word for a step of a recursion in the place of a column, nor for
// rows compared as a whole.

export type Kind = {
  /** Of the jobs. */
  name: string;
  /** A table with `id`, `due_at` and `due_count`. */
  table: string;
  /** SQL of its rows, where the table has several kinds. */
  where?: string | undefined;
  /** A column whose values take turns: rows of one delay nobody else's. It has an index of (it, `due_at`) over these rows. */
  turns?: string | undefined;
};

type Statement = { name: string; text: string };

/** Kinds with rows that are due at $1, and when the first of each is (`name`, `at`). */
export function watchStatement(kinds: Kind[]): Statement {
  const firsts = kinds.map(
    (kind) => `select '${kind.name}' as name, min(due_at) as at from ${kind.table}
      where ${oursOf(kind)}due_at <= $1::timestamptz`,
  );
  const text = `select name, at from (${firsts.join(' union all ')}) first where at is not null`;
  return { name: 'watch_due', text };
}

/**
 * Claims at most $3 rows that are due at $1, with a lease until $2 (`id`, `dueCount`, `key`; null without a due row).
 * Returns the time when the next row becomes due (`nextAt`). Where values take turns, each value may have $6 rows.
 * The values in $4 may have the numbers of rows in $5.
 */
export function claimStatement(kind: Kind): Statement {
  const { name, table, turns } = kind;
  const ours = oursOf(kind);
  const picked = turns ? `with recursive ${nextInTurn(table, ours, turns)}, ` : 'with ';
  const isPicked = turns ? 'id in (select id from picked) and ' : '';
  // Another node may have locked rows that were picked. Then the claim looks again for rows behind them.
  const isShort = '(select count(*) from claimed) < (select count(*) from picked)';
  const nextAt = turns ? `case when ${isShort} then $1::timestamptz else min(due_at) end` : 'min(due_at)';
  // A subquery with a limit could run once for each row, and claim more than its limit.
  const text = `${picked}chosen as (
      select id from ${table} where ${isPicked}${ours}due_at <= $1::timestamptz
      order by due_at limit $3 for update skip locked),
    claimed as (
      update ${table} set due_at = $2::timestamptz, due_count = due_count + 1
      where id in (select id from chosen)
      returning id, due_count, ${turns ? `${turns}::text` : `''`} as key)
    select id, due_count as "dueCount", key, next_at as "nextAt"
    from (select ${nextAt} as next_at
      from ${table} where ${ours}due_at > $1::timestamptz) next left join claimed on true`;
  return { name: `claim_${name}`, text };
}

const oursOf = ({ where }: Kind) => (where ? `${where} and ` : '');

/**
 * One row of each value, then the second of each, and so on. Where there are more values than places it is by lot: by age, the
 * same long ones would always come first.
 */
function nextInTurn(table: string, ours: string, column: string): string {
  return `taker(id) as (
    (select ${column} from ${table} where ${ours}due_at is not null order by ${column} limit 1)
    union all
    select (select ${column} from ${table} where ${ours}due_at is not null
      and ${column} > taker.id order by ${column} limit 1) from taker where taker.id is not null),
  room(id, count) as (select * from unnest($4::text[], $5::int[])),
  picked as (
    select turn.id from taker left join room on room.id = taker.id::text cross join lateral (
      select id, row_number() over (order by ${column}, due_at) as place from ${table}
      -- Compared as rows: whatever the planner thinks, it is the turn's index that begins and ends there.
      where ${ours}due_at is not null and (${column}, due_at) >= (taker.id, '-infinity')
        and (${column}, due_at) <= (taker.id, $1::timestamptz)
      order by ${column}, due_at limit least($3::int, coalesce(room.count, $6))) turn
    where taker.id is not null
    order by turn.place, random() limit $3)`;
}
