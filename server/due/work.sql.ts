// Due rows of any table, by hand: what every kind of work has due is one query, since many nodes ask it each second, and a
// claim takes in SQL of the room it claims for (`pick`), which counts on the order of its parameters.

export type Kind = {
  /** Of the work. */
  name: string;
  /** A table with `id`, `due_at` and `due_count`. */
  table: string;
  /** SQL of its rows, where the table has several kinds. */
  where?: string | undefined;
  /** SQL of the ids to be claimed next, of those due at $1, $3 at most. */
  pick?: string | undefined;
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
 * Claims rows that are due at $1 until $2, $3 at most (`id`, `dueCount`; null where there is none), and tells when the first
 * of those that were not due yet will be (`nextAt`).
 */
export function claimStatement(kind: Kind): Statement {
  const { name, table, pick } = kind;
  const ours = oursOf(kind);
  const picked = pick ? `id in (${pick}) and ` : '';
  const nextAt = pick ? `case when ${leftOver(table, ours)} then $1::timestamptz else min(due_at) end` : 'min(due_at)';
  const text = `with claimed as (
      update ${table} set due_at = $2::timestamptz, due_count = due_count + 1
      where id in (select id from ${table} where ${picked}${ours}due_at <= $1::timestamptz
        order by due_at limit $3 for update skip locked)
      returning id, due_count)
    select id, due_count as "dueCount", next_at as "nextAt"
    from (select ${nextAt} as next_at
      from ${table} where ${ours}due_at > $1::timestamptz) next left join claimed on true`;
  return { name: `claim_${name}`, text };
}

const oursOf = ({ where }: Kind) => (where ? `${where} and ` : '');

/** Rows that are picked, unlike those that come first, may be another node's by now: then there may be more of them. */
function leftOver(table: string, ours: string): string {
  return `(select count(*) from claimed) < $3 and exists (
    select from ${table} where ${ours}due_at <= $1::timestamptz and id not in (select id from claimed))`;
}
