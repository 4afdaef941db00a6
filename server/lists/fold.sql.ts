// Exact totals. Triggers append each difference to `list_deltas` in the transaction of the change, so writers never
// wait for a counter. The fold moves differences into `list_counts` by one statement. So each snapshot contains a
// difference once, as a row or in a count. A total is the sum of both, read by one statement. A counter that is updated
// in place would make every payment of a merchant wait for the transaction before it. Transaction ids only bound scans.
// `list_folds` says that no difference is left below an id, so no scan walks over deleted rows that a long snapshot
// keeps from vacuum. An open write transaction holds that id back, and only makes the scan longer.
import { runStatement, type Db } from '../database/db.ts';

/** The first transaction whose differences may be left. An id ahead of this cluster's comes from another cluster. */
const FIRST_LEFT = `(
  select case when upto <= pg_snapshot_xmin(pg_current_snapshot()) then upto else '0' end from list_folds)`;

/** Counts that a difference `d` is part of. */
export const GRAINS = `lateral (values ('all', '-infinity'),
  ('day', date_trunc('day', d.at, 'UTC')), ('hour', date_trunc('hour', d.at, 'UTC'))) g(grain, at)`;

/** A grain other than `all` needs a time. */
export const HAS_GRAIN = `(g.grain = 'all' or d.at > '-infinity')`;

/** Rows `grain, at, keys, n` of list $1 and merchant $2. The upper bound makes the planner expect few differences. */
const KNOWN = `(
  select grain, at, keys, n from list_counts where list = $1 and merchant_id = $2::uuid
  union all
  select g.grain, g.at, d.keys, d.n from list_deltas d cross join ${GRAINS}
  where d.xid >= ${FIRST_LEFT} and d.xid <= '18446744073709551615'
  and d.list = $1 and d.merchant_id = $2::uuid and ${HAS_GRAIN}
) c`;

/** $3: the values of at most three keys; null or absent: any. */
const FITS = [1, 2, 3]
  .map((nth) => `(($3::text[])[${nth}] is null or ($3::text[])[${nth}] = c.keys[${nth}])`)
  .join(' and ');

/** The number of rows in the spans $4 (grain), $5 and $6 (ms). One span at a time uses the primary key. */
export const COUNT = {
  name: 'count_list',
  text: `
select coalesce(sum(counted.n), 0)::bigint as total
from unnest($4::text[], $5::float8[], $6::float8[]) s(grain, low, high)
cross join lateral (
  select sum(c.n) as n from ${KNOWN} where c.grain = s.grain
  and c.at >= to_timestamp(s.low / 1000) and c.at < to_timestamp(s.high / 1000) and ${FITS}) counted`,
};

/** Rows `at, n, newer` of a grain, the newest first: each time with its rows and the number of newer rows. */
const newestFirst = (grain: string, within = '') => `(
  select at, sum(c.n) as n, sum(sum(c.n)) over (order by at desc) - sum(c.n) as newer
  from ${KNOWN} where c.grain = '${grain}' and ${FITS} ${within} group by at)`;

/** The hour that contains the row after the newest $4: its end, and how many of the $4 are in it. */
export const PLACE = {
  name: 'place_in_list',
  text: `
select hour.at + interval '1 hour' as "until", ($4::bigint - day.newer - hour.newer)::bigint as skip
from (select * from ${newestFirst('day')} d where newer + n > $4::bigint order by at desc limit 1) day
cross join lateral (
  select * from ${newestFirst('hour', "and c.at >= day.at and c.at < day.at + interval '24 hours'")} h
  where day.newer + newer + n > $4::bigint order by at desc limit 1) hour`,
};

const HOURS = {
  name: 'hours_of_list',
  text: `
select c.at, c.keys, sum(c.n)::bigint as n from ${KNOWN}
where c.grain = 'hour' and c.at >= $3::timestamptz and c.at < $4::timestamptz
group by c.at, c.keys having sum(c.n) <> 0`,
};

/** The sum of the rows that share `keys` in the hour that begins at `at`. */
export type HourSum = { at: Date; keys: string[]; n: number };

/** A merchant's sums by hour, at or after `from` and before `to`. `payments` has their number. */
export function readHours(
  db: Db,
  list: 'payments' | 'takings',
  { merchantId, from, to }: { merchantId: string; from: Date; to: Date },
): Promise<HourSum[]> {
  return runStatement<HourSum>(db, HOURS, [list, merchantId, from, to]);
}

/** Adds rows `list, merchant_id, at, keys, n` to the counts. The same order of keys everywhere prevents deadlocks. */
export const addCounts = (rows: string) => `
  insert into list_counts as c (list, merchant_id, grain, at, keys, n)
  select d.list, d.merchant_id, g.grain, g.at, d.keys, sum(d.n) from ${rows} d cross join ${GRAINS} where ${HAS_GRAIN}
  group by 1, 2, 3, 4, 5 having sum(d.n) <> 0 order by 1, 2, 3, 4, 5
  on conflict (list, merchant_id, grain, at, keys) do update set n = c.n + excluded.n`;

/** Moves at most $1 differences and returns their number. The locked row keeps other nodes out. */
export const FOLD = {
  name: 'fold_lists',
  text: `
with held as materialized (
  select ${FIRST_LEFT} as low, pg_snapshot_xmin(pg_current_snapshot()) as high from list_folds for update skip locked
), moved as materialized (
  delete from list_deltas where ctid = any(array(
    select d.ctid from list_deltas d where d.xid >= (select low from held) and d.xid < (select high from held)
    order by d.xid, d.id limit $1::int))
  returning *
), noted as (
  update list_folds set upto = m.upto
  from (
    select case when count(*) < $1::int then (select high from held) else max(xid) end as upto from moved
    having count(*) > 0) m
), added as (${addCounts('moved')})
select count(*)::int as moved from moved`,
};
