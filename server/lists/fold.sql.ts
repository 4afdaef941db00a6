// Exact totals of lists, without a counter that writers wait for.
//
// A row of a list is counted in two places:
// - `list_deltas`: a trigger appends each difference in the transaction of the change.
// - `list_counts`: the fold moves differences into counts, with one statement each second.
// Each snapshot contains a difference once, in one of the two. A total is the sum of both, read by one statement.
//
// Trade-off: a counter that is updated in place would be read with one row.
// But each payment of a merchant would wait for the merchant's transaction before it.
// Here, writers do not wait, and readers add the few differences that the fold has not moved yet.
//
// Transaction ids only shorten scans. `list_folds` has an id below which no difference is left.
// A scan starts there and does not visit deleted rows that a long snapshot keeps from vacuum.
// An open write transaction keeps the id of `list_folds` from growing. Scans take longer then, and stay correct.
import { runStatement, type Db } from '../database/db.ts';

/**
 * Returns the first transaction that may have differences.
 * A higher id than this cluster's comes from another cluster.
 */
const OLDEST_DELTA = `(
  select case when upto <= pg_snapshot_xmin(pg_current_snapshot()) then upto else '0' end from list_folds)`;

/** The three counts that contain a difference `d`: of all rows, of its day and of its hour. */
export const GRAINS = `lateral (values ('all', '-infinity'),
  ('day', date_trunc('day', d.at, 'UTC')), ('hour', date_trunc('hour', d.at, 'UTC'))) g(grain, at)`;

/** True if a grain counts the difference. A difference without a time belongs only to the grain `all`. */
export const HAS_GRAIN = `(g.grain = 'all' or d.at > '-infinity')`;

/** Rows `grain, at, keys, n` of list $1 and merchant $2. The upper bound makes the planner expect few differences. */
const COUNTS_AND_DELTAS = `(
  select grain, at, keys, n from list_counts where list = $1 and merchant_id = $2::uuid
  union all
  select g.grain, g.at, d.keys, d.n from list_deltas d cross join ${GRAINS}
  where d.xid >= ${OLDEST_DELTA} and d.xid <= '18446744073709551615'
  and d.list = $1 and d.merchant_id = $2::uuid and ${HAS_GRAIN}
) c`;

/** The filter by keys. $3: the values of at most three keys. A null or absent value matches all rows. */
const MATCHES_KEYS = [1, 2, 3]
  .map((nth) => `(($3::text[])[${nth}] is null or ($3::text[])[${nth}] = c.keys[${nth}])`)
  .join(' and ');

/** Counts rows in time spans. $4: grains. $5, $6: bounds in ms. Each span is one scan of the primary key. */
export const COUNT_ROWS = {
  name: 'count_list',
  text: `
select coalesce(sum(counted.n), 0)::bigint as total
from unnest($4::text[], $5::float8[], $6::float8[]) s(grain, low, high)
cross join lateral (
  select sum(c.n) as n from ${COUNTS_AND_DELTAS} where c.grain = s.grain
  and c.at >= to_timestamp(s.low / 1000) and c.at < to_timestamp(s.high / 1000) and ${MATCHES_KEYS}) counted`,
};

/** Rows `at, n, newer` of a grain, newest first: `n` rows at the time `at`, and `newer` rows after it. */
const newestFirst = (grain: string, within = '') => `(
  select at, sum(c.n) as n, sum(sum(c.n)) over (order by at desc) - sum(c.n) as newer
  from ${COUNTS_AND_DELTAS} where c.grain = '${grain}' and ${MATCHES_KEYS} ${within} group by at)`;

/**
 * Finds the hour that contains the row after the newest $4 rows.
 * It returns `until` (the end of the hour) and `skip` (how many of the newest $4 rows are in the hour).
 */
export const FIND_HOUR = {
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
select c.at, c.keys, sum(c.n)::bigint as n from ${COUNTS_AND_DELTAS}
where c.grain = 'hour' and c.at >= $3::timestamptz and c.at < $4::timestamptz
group by c.at, c.keys having sum(c.n) <> 0`,
};

/** The sum of rows with these `keys` in the hour that begins at `at`. */
export type HourSum = { at: Date; keys: string[]; n: number };

/** Returns a merchant's hourly sums from `from` (inclusive) to `to` (exclusive): numbers of payments, or takings. */
export function readHours(
  db: Db,
  list: 'payments' | 'takings',
  { merchantId, from, to }: { merchantId: string; from: Date; to: Date },
): Promise<HourSum[]> {
  return runStatement<HourSum>(db, HOURS, [list, merchantId, from, to]);
}

/** Adds rows `list, merchant_id, at, keys, n` to the counts. All statements use one order, which prevents deadlocks. */
export const addCounts = (rows: string) => `
  insert into list_counts as c (list, merchant_id, grain, at, keys, n)
  select d.list, d.merchant_id, g.grain, g.at, d.keys, sum(d.n) from ${rows} d cross join ${GRAINS} where ${HAS_GRAIN}
  group by 1, 2, 3, 4, 5 having sum(d.n) <> 0 order by 1, 2, 3, 4, 5
  on conflict (list, merchant_id, grain, at, keys) do update set n = c.n + excluded.n`;

/** Moves at most $1 differences into the counts and returns their number. A locked row stops other nodes. */
export const FOLD_DELTAS = {
  name: 'fold_lists',
  text: `
with held as materialized (
  select ${OLDEST_DELTA} as low, pg_snapshot_xmin(pg_current_snapshot()) as high from list_folds for update skip locked
), chosen as materialized (
  select d.ctid as id from list_deltas d where d.xid >= (select low from held) and d.xid < (select high from held)
  order by d.xid, d.id limit $1::int
), moved as materialized (
  delete from list_deltas where ctid = any(array(select id from chosen))
  returning *
), noted as (
  update list_folds set upto = m.upto
  from (
    -- Another node may have moved some of the chosen rows, so their number shows whether rows are left.
    select case when (select count(*) from chosen) < $1::int then (select high from held) else max(xid) end as upto
    from moved having count(*) > 0) m
), added as (${addCounts('moved')})
select count(*)::int as moved from moved`,
};
