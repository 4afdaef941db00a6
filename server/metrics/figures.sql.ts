// Reads the lengths and ages of all queues in the database with one statement.
// Many nodes run it at each scrape. Each part therefore reads an index of open rows, and counts at most MAX_COUNTED.
import type { Kind } from '../jobs/claim.sql.ts';

/** The largest value of each count. Without it, a scrape would cost most when the queues are longest. */
export const MAX_COUNTED = 10_000;

/** Ages in seconds. For each age, the statement counts the orders without an outcome that are at least so old. */
export const ORDER_AGES = [0, 60, 300, 3_600, 86_400];

const OPEN_ORDER = `status in ('Unsent', 'Unreached', 'Sent')`;
const ageOf = (moment: string) => `extract(epoch from $1::timestamptz - ${moment})`;

/**
 * Builds the statement of all figures. Parameter $1: now.
 * Each row has the `name` of a figure, its `label`, a `count`, and the age of the oldest counted row in `seconds`.
 */
export function figuresStatement(kinds: Kind[]): { name: string; text: string } {
  const parts = [...kinds.map(dueOf), ...OTHER_FIGURES];
  return {
    name: 'figures',
    text: `with ${ENDPOINTS} select * from (${parts.join(' union all ')}) f(name, label, count, seconds)`,
  };
}

function dueOf({ name, table, where }: Kind): string {
  const isOfKind = where ? `${where} and ` : '';
  return `(select 'jobs', '${name}', count(*), ${ageOf('min(due_at)')} from (
    select due_at from ${table} where ${isOfKind}due_at <= $1::timestamptz order by due_at limit ${MAX_COUNTED}) due)`;
}

/**
 * Counts endpoints with pending deliveries, and finds the due time of the first one without a running attempt.
 * The recursive query jumps from endpoint to endpoint in the index.
 * Failing endpoints (`probe_at`) are counted separately: their deliveries are late because of the merchant's server.
 */
const ENDPOINTS = `recursive next(id) as (
  (select endpoint_id from deliveries where due_at is not null order by endpoint_id limit 1)
  union all
  select (select d.endpoint_id from deliveries d where d.due_at is not null and d.endpoint_id > next.id
    order by d.endpoint_id limit 1) from next where next.id is not null
), waiting as (
  select case when e.probe_at is null then 'working' else 'failing' end as endpoint, pending.count, due.first
  from next join endpoints e on e.id = next.id
  cross join lateral (select count(*) as count from (
    select from deliveries where endpoint_id = e.id and due_at is not null limit ${MAX_COUNTED}) few) pending
  left join lateral (select due_at as first from deliveries where endpoint_id = e.id and due_at <= $1::timestamptz
    and (leased_until is null or leased_until <= $1::timestamptz) order by due_at limit 1) due on true
)`;

const OTHER_FIGURES = [
  `(select 'deliveries', endpoint, sum(count)::bigint, ${ageOf('min(first)')} from waiting group by endpoint)`,
  `(select 'endpoints_failing', '', count(*), ${ageOf('min(failing_since)')} from endpoints
    where probe_at is not null and deleted_at is null)`,
  ...ORDER_AGES.map(
    (age) => `(select 'orders', '${age}', count(*), ${ageOf('min(created_at)')} from (
      select created_at from attempts
      where ${OPEN_ORDER} and created_at <= $1::timestamptz - interval '${age} seconds'
      order by created_at limit ${MAX_COUNTED}) open)`,
  ),
  `(select 'orders_left', '', count(*), ${ageOf('min(created_at)')} from (select created_at from attempts
    where ${OPEN_ORDER} and due_at is null order by created_at limit ${MAX_COUNTED}) given_up)`,
  `(select 'unmatched', outcome, count(*), ${ageOf('min(received_at)')} from (
    select outcome, received_at from inbox
    where outcome <> 'applied' and is_proven and received_at > $1::timestamptz - interval '1 day'
    limit ${MAX_COUNTED}) unmatched group by outcome)`,
  `(select 'messages', 'mail', count(*), ${ageOf('min(created_at)')} from (
    select created_at from mails where due_at is not null limit ${MAX_COUNTED}) unsent)`,
  `(select 'messages', 'sms', count(*), ${ageOf('min(listed_at)')} from (select listed_at from sms_messages
    where status = 'Pending' and due_at is not null and listed_at is not null limit ${MAX_COUNTED}) unsent)`,
  `(select 'events_seq', '', coalesce(max(seq), 0), 0 from events)`,
  // This count is PostgreSQL's estimate since the last vacuum or analyze, because an exact count would read every row.
  `(select 'events_unread', '', coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint, 0
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass('events_unstamped'))`,
  `(select 'connections', '', count(*), 0 from pg_stat_activity where backend_type = 'client backend')`,
  `(select 'connections_max', '', current_setting('max_connections')::bigint, 0)`,
  `(select 'schema', max(name), 1, 0 from mikro_orm_migrations)`,
  `(select 'clock', '', 0, extract(epoch from clock_timestamp()))`,
];
