// Counting lists by hand-written SQL: what changed behind a place in their source, taken into the counts or added to them while they
// are read. A list is counted by the same words in both, so that no row can be in neither or in both.
import { EVERY, keysOf, type CountedList, type Span, type Tally } from './table.ts';

/** Whoever has more than this uncounted is counted row by row, as is what was there before lists were counted. */
export const MOST_BEHIND = 20_000;

/**
 * Rows `merchant_id, at, keys, n`: what is to be added to the counts of all up to `after`. `source` are rows of the list's source
 * behind it. Looked up one by one (`limit 1`): how many there are the planner cannot know.
 */
function changes(summed: CountedList | Tally, span: Span): string {
  return 'changes' in summed ? summed.changes(span) : changesOfList(summed, span);
}

function changesOfList({ table, at, keys: named, events }: CountedList, { source, after, own }: Span): string {
  const keys = Object.values(named);
  if (!events) {
    return `select e.merchant_id, e.${at} as at, array[${keys.join(', ')}]::text[] as keys, 1 as n
      from (${source}) e where ${own}`;
  }
  const { subject, status, column } = events;
  const before = `(select ${status} as status from events e where e.payment_id = now.payment_id
      and ${subject} = now.id and e.seq <= ${after} and ${status} is not null order by e.seq desc limit 1)`;
  return `select r.merchant_id, r.at, array[x.status${keys.map((_, nth) => `, r.k${nth}`).join('')}] as keys, x.n
    from (select distinct on (id) id, payment_id, status from (
        select ${subject} as id, e.payment_id, e.seq, ${status} as status from (${source}) e where e.payment_id is not null and ${own}) e
      where status is not null order by id, seq desc) now
    cross join lateral (select merchant_id, ${at} as at${keys.map((key, nth) => `, ${key} as k${nth}`).join('')}
      from ${table} where ${column} = now.id limit 1) r
    left join lateral ${before} before on true
    cross join lateral (values (now.status, 1), (before.status, -1)) x(status, n) where x.status is not null`;
}

/** Every count that a row is part of. */
const GRAINS = `lateral (values ('all', '-infinity'::timestamptz), ('day', date_trunc('day', change.at, 'UTC')),
  ('hour', date_trunc('hour', change.at, 'UTC'))) g(grain, at)`;

/** Counts what stands in the source behind $1, up to $2. Run by whoever holds the list's row of `list_folds`. */
export const foldStatement = (list: CountedList | Tally) => ({
  name: `fold_${list.name}`,
  text: `
with folded as (
  update list_folds set upto = $2::bigint where list = '${list.name}'
), change as (
  ${changes(list, { source: `select * from ${list.source} where seq > $1::bigint and seq <= $2::bigint`, after: '$1::bigint', own: 'true' })}
)
insert into list_counts as c (list, merchant_id, grain, at, keys, n)
select '${list.name}', change.merchant_id, g.grain, g.at, change.keys, sum(change.n) from change cross join ${GRAINS}
where change.merchant_id is not null
group by change.merchant_id, g.grain, g.at, change.keys having sum(change.n) <> 0
order by 2, 3, 4, 5
on conflict (list, merchant_id, grain, at, keys) do update set n = c.n + excluded.n`,
});

/**
 * How far the source's numbers were given, and then who is writing to it: none of theirs is in doubt once they are gone. A statement
 * that inserts holds its table before it takes a number.
 */
export const numbersStatement = (lists: (CountedList | Tally)[]) => ({
  name: 'list_numbers',
  text: [...Map.groupBy(lists, ({ source }) => source)]
    .map(
      ([source, counted]) => `
select '${source}' as source, case when is_called then last_value else 0 end as last,
  (select min(coalesce(f.upto, -1)) from unnest(array[${counted.map(({ name }) => `'${name}'`).join(', ')}]) l(name)
    left join list_folds f on f.list = l.name) as upto
from ${source}_seq_seq`,
    )
    .join(' union all '),
});

/** Its first number behind $1; null: there is none. */
export const nextOf = (source: string) => ({
  name: `next_${source}`,
  text: `select min(seq) as seq from ${source} where seq > $1::bigint`,
});

export const writersOf = (source: string) => ({
  name: `writers_${source}`,
  text: `select l.virtualtransaction as id from pg_locks l where l.locktype = 'relation' and l.mode = 'RowExclusiveLock'
    and l.database = (select oid from pg_database where datname = current_database()) and l.relation = '${source}'::regclass`,
});

const uncounted = (list: CountedList | Tally) => {
  const after = `coalesce((select upto from list_folds where list = '${list.name}'), 0)`;
  // Of everybody, in the order of the key: whose they are is looked at afterwards, or another index might seem better.
  const source = `select * from ${list.source} where seq > ${after} order by seq limit ${MOST_BEHIND}`;
  return {
    // Rows, not numbers: from one month to the next those leap.
    isNear: `not exists (select from ${list.source} where seq > ${after} order by seq offset ${MOST_BEHIND} limit 1)`,
    change: changes(list, { source, after, own: 'e.merchant_id = $1::uuid' }),
  };
};

/** $2: by position the values that are asked for, '${EVERY}' where none is. */
const fits = (list: CountedList, keys: string) =>
  keysOf(list)
    .map((_, nth) => `($2::text[])[${nth + 1}] in ('${EVERY}', ${keys}[${nth + 1}])`)
    .join(' and ') || '$2::text[] is not null';

/** How many rows there are of merchant $1 with keys $2 in whole spans (grains $3 from $4 to $5); null: too much is uncounted. */
export const countStatement = (list: CountedList) => {
  const { isNear, change } = uncounted(list);
  const spans = `unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) s(grain, low, high)`;
  return {
    name: `count_${list.name}`,
    text: `
with change as (${change})
select case when ${isNear} then (
  -- Span by span: as a join the planner may read the counts of everybody.
  select coalesce(sum(counted.n), 0)::bigint from ${spans} cross join lateral (
    select sum(c.n) as n from list_counts c where c.list = '${list.name}' and c.merchant_id = $1::uuid and c.grain = s.grain
      and c.at >= s.low and c.at < s.high and ${fits(list, 'c.keys')}) counted
) + (
  select coalesce(sum(n), 0)::bigint from change where ${fits(list, 'keys')}
    and exists (select from ${spans} where change.at >= s.low and change.at < s.high)
) end as total`,
  };
};

/** In which hour the row after the newest $3 stands: where that hour ends, and how many of the $3 are in it. */
export const placeStatement = (list: CountedList) => {
  const { change } = uncounted(list);
  const counted = (grain: string, within: string) => `
    select at, sum(n)::bigint as n from (
      select c.at, c.n from list_counts c where c.list = '${list.name}' and c.merchant_id = $1::uuid and c.grain = '${grain}'
        and ${fits(list, 'c.keys')} ${within}
      union all
      select date_trunc('${grain}', c.at, 'UTC'), c.n from change c where ${fits(list, 'c.keys')} ${within}
    ) both_kinds group by at`;
  const first = (skipped: string) => `where newer + n > $3::bigint - ${skipped} order by at desc limit 1`;
  return {
    name: `place_${list.name}`,
    text: `
with change as materialized (${change}), day as (
  select * from (select at, n, (sum(n) over (order by at desc) - n)::bigint as newer from (${counted('day', '')}) d) d ${first('0')}
), hour as (
  select h.* from day cross join lateral (
    select * from (select at, n, (sum(n) over (order by at desc) - n)::bigint as newer from (
      ${counted('hour', "and c.at >= day.at and c.at < day.at + interval '24 hours'")}) h) h ${first('day.newer')}) h
)
select hour.at + interval '1 hour' as "until", $3::bigint - day.newer - hour.newer as skip from day, hour`,
  };
};

/**
 * Rows `at, keys, n`: the sums of merchant $1 by hour, from $2 on and before $3; `isWhole` false: much is not in them yet. One row
 * without `at` says only that.
 */
export const hoursStatement = (summed: CountedList | Tally) => {
  const { isNear, change } = uncounted(summed);
  return {
    name: `hours_${summed.name}`,
    text: `
with near as materialized (select ${isNear} as whole), change as (${change})
select null::timestamptz as at, null::text[] as keys, 0::bigint as n, whole as "isWhole" from near
union all
select at, keys, sum(n)::bigint, true from (
  select c.at, c.keys, c.n from list_counts c where c.list = '${summed.name}' and c.merchant_id = $1::uuid and c.grain = 'hour'
    and c.at >= $2::timestamptz and c.at < $3::timestamptz
  union all
  select date_trunc('hour', change.at, 'UTC'), change.keys, change.n from change, near where near.whole
    and change.at >= $2::timestamptz and change.at < $3::timestamptz
) both_kinds group by at, keys having sum(n) <> 0`,
  };
};
