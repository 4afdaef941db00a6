// Taking a month off its tables, by hand-written SQL: no query builder knows a table's part. A part's name is checked before it gets here.
import { MONTH_SIZE, monthOfSuffix, PARTS, type PartedTable } from '../database/months.sql.ts';
import { PAYERS_DETAILS } from '../events/payer.ts';
import { PAYMENT_STATUSES, isFinal } from '../../shared/status.ts';

/** What was there before there were months. */
export const FIRST = 'first';

/** `first`, or a month as its parts end. */
export const PART = /^(first|\d{4}_(0[1-9]|1[0-2]))$/;

export const tableOf = (table: PartedTable, part: string) => `${PARTS}.${part === FIRST ? table : `${table}_${part}`}`;

/** The first number that is not its own. */
export const endOf = (part: string) => (part === FIRST ? 1 : monthOfSuffix(part) + 1) * MONTH_SIZE;

const beginOf = (part: string) => (part === FIRST ? 0 : monthOfSuffix(part) * MONTH_SIZE);

/** Parts that there are, by the events' name, and which of them are no part of their table any more. */
export const LIST_PARTS = `
  select case c.relname when 'events' then '${FIRST}' else right(c.relname, 7) end as part, not c.relispartition as "isDetached"
  from pg_class c where c.relnamespace = to_regnamespace('${PARTS}') and c.relkind = 'r' and c.relname ~ '^events(_[0-9]{4}_[0-9]{2})?$'
  order by c.relname`;

/** A rail or a merchant has yet to answer. One that waits for its payer, as references and printed codes do for years, holds no month. */
const UNDER_WAY = PAYMENT_STATUSES.filter((status) => !isFinal(status) && status !== 'Pending').map(
  (one) => `'${one}'`,
);

/**
 * Why a part cannot be archived yet, a row each; none: it can. $1: when the months that may be archived are over; $2: what is due since
 * then should have been done by now.
 */
export const reasonsOf = (part: string) => {
  const [events, deliveries] = [tableOf('events', part), tableOf('deliveries', part)];
  return `
  with payment as (select distinct payment_id as id from ${events} where payment_id is not null)
  select 'its numbers are still given' as why where exists (select from events_seq_seq where last_value < ${endOf(part)})
    or exists (select from deliveries_seq_seq where last_value < ${endOf(part)})
  union all
  select 'some of it is younger' where ${part === FIRST} and (exists (select from ${events} where occurred_at >= $1::timestamptz)
    or exists (select from ${deliveries} where created_at >= $1::timestamptz))
  union all
  select 'deliveries of it are due' where exists (select from ${deliveries} where due_at is not null)
    or exists (select from deliveries where due_at is not null and event_seq >= ${beginOf(part)} and event_seq < ${endOf(part)})
  union all
  (select 'payment ' || p.id || ' is under way' from payment join payments p using (id)
  where p.status in (${UNDER_WAY.join()}) or p.due_at <= $2::timestamptz
    or exists (select from attempts a where a.payment_id = p.id and a.due_at <= $2::timestamptz)
    or exists (select from refunds r where r.payment_id = p.id and r.completed_at is null)
    or exists (select from payment_references f where f.payment_id = p.id and f.due_at <= $2::timestamptz)
  order by 1 limit 5)`;
};

/** Of each payment: its last event, the last with a state, and those of money. $1: the part. */
export const keepOf = (part: string) => {
  const kept = ['nth = 1', 's', `(type like 'payment.%' and details ? 'transactionId')`];
  return `
  insert into archived_events (seq, payment_id, part, type, status, state, details)
  select seq, payment_id, $1, type, status,
    case when state is not null then jsonb_build_object('status', state -> 'status', 'amountPaidMinor', state -> 'amountPaidMinor',
      'refundedMinor', state -> 'refundedMinor') end,
    jsonb_strip_nulls(jsonb_build_object('transactionId', details -> 'transactionId', 'refundId', details -> 'refundId'))
  from (select e.*, row_number() over (partition by e.payment_id order by e.seq desc) as nth,
      ${lastOf('e.payment_id', "e.state ->> 'amountPaidMinor'")} as s
    from ${tableOf('events', part)} e where e.payment_id is not null) e
  where ${kept.join(' or ')}
  on conflict do nothing`;
};

const lastOf = (subject: string, said: string) =>
  `((${said}) is not null and row_number() over (partition by ${subject}, (${said}) is not null order by e.seq desc) = 1)`;

/** One transaction. Ends of feeds stay known where none of their events does. */
export const detachOf = (part: string) => [
  `alter table events detach partition ${tableOf('events', part)}`,
  `alter table deliveries detach partition ${tableOf('deliveries', part)}`,
  `insert into feed_ends as f (merchant_id, position)
    select m.id, e.position from merchants m cross join lateral (
      select position from ${tableOf('events', part)} where merchant_id = m.id and position is not null order by position desc limit 1) e
    on conflict (merchant_id) do update set position = greatest(f.position, excluded.position)`,
];

/** Somebody had it sent again before it was detached. */
export const isDueOf = (part: string) => `select from ${tableOf('deliveries', part)} where due_at is not null limit 1`;

/** What tells of a payer is left out: money keeps it for its time, and a file could not be made to forget it. */
const PAYERS = `'{${PAYERS_DETAILS.join()}}'::text[]`;

/** A row as a line of the file. */
const EVENT = `jsonb_build_object('table', 'events') || to_jsonb(e) || jsonb_build_object('details', e.details - ${PAYERS})`;
const DELIVERY = `jsonb_build_object('table', 'deliveries') || to_jsonb(d) || jsonb_build_object('attempts', coalesce((
  select jsonb_agg(to_jsonb(a) - 'answer' - 'delivery_id' order by a.number) from delivery_attempts a where a.delivery_id = d.id), '[]'))`;

/** `payment_id, line`, payment by payment; those of none come first. */
export const rowsOf = (part: string, where = 'true') => `
  select payment_id, line from (
    select e.payment_id, 1 as kind, e.seq, (${EVENT})::text as line from ${tableOf('events', part)} e where ${where}
    union all
    select d.payment_id, 2, d.seq, (${DELIVERY})::text from ${tableOf('deliveries', part)} d where ${where}
  ) rows order by payment_id nulls first, kind, seq`;

export const countsOf = (part: string) => `
  select (select count(*) from ${tableOf('events', part)})::int8 as events, (select count(*) from ${tableOf('deliveries', part)})::int8 as deliveries`;

/** Attempts of the next deliveries behind $1, at most $2; it tells the last of those. */
export const dropAttemptsOf = (part: string) => `
  with next as (select seq, id from ${tableOf('deliveries', part)} where seq > $1::bigint order by seq limit $2::int),
    gone as (delete from delivery_attempts where delivery_id in (select id from next))
  select max(seq)::text as last from next`;

export const dropOf = (part: string) => `drop table ${tableOf('events', part)}, ${tableOf('deliveries', part)}`;
