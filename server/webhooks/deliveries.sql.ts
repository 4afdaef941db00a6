// Hand-written SQL for deliveries: one statement claims them, and one records the results of their attempts.
import { documentText } from '../events/payer.ts';

/** The columns of a claimed delivery (`ClaimedRow`): delivery `d`, endpoint `n`, transaction `t` and payment `p`. */
const CLAIMED = `d.seq, d.id, d.merchant_id as "merchantId", d.kind, d.type, d.payment_id as "paymentId",
  d.event_seq as "eventSeq", d.attempts as number, d.tries, d.tries_since as "triesSince", d.created_at as "createdAt",
  d.endpoint_id as "endpointId", n.kind as "endpointKind", n.url, n.access_key as "accessKey", n.secrets, n.failures,
  t.id as "moneyId", t.provider_ref as "providerRef", t.amount_minor as "amountMinor", t.currency,
  t.occurred_at as "occurredAt", t.details, p.reference, p."documentNumber"`;

/** Selects the payment of the transaction `t`. */
const PAID_BY_MONEY = `select p.reference, ${documentText('p')} as "documentNumber"
  from payments p where p.id = t.payment_id limit 1`;

/**
 * Claims due deliveries. Parameters:
 * - $1: now.
 * - $2: the end of the lease.
 * - $3, $4: endpoints with running attempts of this node, and the number of these attempts.
 * - $5: the merchants or endpoints to claim for.
 * - $6: the most concurrent attempts at one endpoint.
 * The commit is asynchronous. If a crash of the database undoes a claim, another claim repeats the attempt.
 */
export const CLAIM_DELIVERIES = {
  name: 'claim_deliveries',
  text: `
with probe as (
  select id from endpoints where (merchant_id = any($5::uuid[]) or id = any($5::uuid[]))
    and deleted_at is null and probe_at <= $1::timestamptz and id <> all($3::uuid[])
  for update skip locked
), ready as (
  select e.id as endpoint_id, d.seq, d.claimed_at as lost_at
  from endpoints e
  left join unnest($3::uuid[], $4::int[]) as busy(id, n) on busy.id = e.id
  cross join lateral (
    select d.seq, d.claimed_at from deliveries d
    where d.endpoint_id = e.id and d.due_at <= $1::timestamptz
      and (d.leased_until is null or d.leased_until <= $1::timestamptz)
      -- The condition is a subquery for each row. With a join, the planner may read the whole table for every claim.
      and (d.payment_id is null or d.first_tried_at is not null or (
        select true from deliveries b
        where b.endpoint_id = d.endpoint_id and b.payment_id = d.payment_id and b.seq < d.seq
          and b.first_tried_at is null and b.due_at is not null limit 1) is null)
    order by d.due_at, d.seq
    limit case when e.probe_at is null then greatest($6::int - coalesce(busy.n, 0), 0)
      when e.id in (select id from probe) then 1 else 0 end
    for update skip locked
  ) d
  where (e.merchant_id = any($5::uuid[]) or e.id = any($5::uuid[])) and e.deleted_at is null
), probing as (
  update endpoints set probe_at = $2::timestamptz where id in (select endpoint_id from ready) and probe_at is not null
), claimed as (
  update deliveries d set attempts = attempts + 1, claimed_at = $1::timestamptz, leased_until = $2::timestamptz
  from ready
  -- The array makes the planner use the primary key. Otherwise it overestimates "ready" and reads the whole table.
  where d.seq = ready.seq and d.seq = any(array(select seq from ready))
  returning d.*, ready.lost_at
), interrupted as (
  insert into delivery_attempts (delivery_id, number, started_at, outcome)
  select id, attempts - 1, lost_at, 'interrupted' from claimed where lost_at is not null
  on conflict do nothing
)
select ${CLAIMED} from claimed d
cross join (select set_config('synchronous_commit', 'off', true)) quick
cross join lateral (select * from endpoints where id = d.endpoint_id limit 1) n
left join lateral (select * from transactions where id = d.transaction_id limit 1) t on true
left join lateral (${PAID_BY_MONEY}) p on true
order by d.seq`,
} as const;

/** Returns the endpoints with deliveries due at $1. The query jumps from endpoint to endpoint in the index. */
export const DUE_ENDPOINTS = {
  name: 'due_endpoints',
  text: `
with recursive next as (
  (select endpoint_id from deliveries where due_at is not null order by endpoint_id limit 1)
  union all
  select (select d.endpoint_id from deliveries d where d.due_at is not null and d.endpoint_id > next.endpoint_id
    order by d.endpoint_id limit 1) from next where next.endpoint_id is not null
)
-- The scalar subquery is faster than "exists", which the planner joins with every due row of each endpoint.
select endpoint_id as id from next where endpoint_id is not null and (
  select true from deliveries d where d.endpoint_id = next.endpoint_id and d.due_at <= $1::timestamptz limit 1)`,
} as const;

/**
 * Records the results of attempts. Parameters: $1: a JSON array of results, $2: now, $3: the `seq` of the deliveries.
 * The statement returns the deliveries whose status or due time it changed.
 */
export const RECORD_RESULTS = {
  name: 'record_attempts',
  text: `
with result as (
  select * from json_to_recordset($1::json) as r(id uuid, number int, outcome text, http_status int, answer text,
    error text, started_at timestamptz, duration_ms int, status text, due_at timestamptz)
), moved as (
  update deliveries d set status = r.status, due_at = r.due_at, tries = d.tries + 1,
    tries_since = coalesce(d.tries_since, r.started_at), first_tried_at = coalesce(d.first_tried_at, $2::timestamptz),
    leased_until = null, claimed_at = null,
    delivered_at = case when r.status = 'Delivered' then $2::timestamptz else d.delivered_at end
  from result r
  where d.seq = any($3::bigint[]) and d.id = r.id
    and ((d.attempts = r.number and d.status = 'Pending') or (r.status = 'Delivered' and d.status <> 'Delivered'))
  returning d.*, r.number, r.outcome, r.http_status
), released as (
  -- The endpoint was removed during the attempt. The lease is cleared, so that a replay can start immediately.
  update deliveries d set leased_until = null, claimed_at = null from result r
  where d.seq = any($3::bigint[]) and d.id = r.id and d.attempts = r.number
    and d.status <> 'Pending' and r.status <> 'Delivered'
), attempt as (
  insert into delivery_attempts (delivery_id, number, started_at, duration_ms, outcome, status, answer, error)
  select id, number, started_at, duration_ms, outcome, http_status, answer, error from result
  on conflict (delivery_id, number) do update set duration_ms = excluded.duration_ms, outcome = excluded.outcome,
    status = excluded.status, answer = excluded.answer, error = excluded.error
), overtaken as (
  -- A confirmed attempt without a valid lease ends the claim of a later attempt.
  -- The node of the later attempt may never report a result, so that attempt is stored as interrupted.
  insert into delivery_attempts (delivery_id, number, started_at, outcome)
  select m.id, m.attempts, coalesce(d.claimed_at, $2::timestamptz), 'interrupted'
  from moved m join deliveries d on d.seq = m.seq
  where m.number < m.attempts and not exists (select from result r where r.id = m.id and r.number = m.attempts)
  on conflict do nothing
), event as (
  -- The event has no payment state, because the payment is not locked here and may be changing.
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
  select gen_random_uuid(), m.merchant_id, m.payment_id,
    case m.status when 'Delivered' then 'callback.delivered' when 'Abandoned' then 'callback.abandoned'
      else 'callback.failed' end,
    m.status, $2::timestamptz,
    jsonb_build_object('deliveryId', m.id, 'transactionId', m.transaction_id, 'attempts', m.number,
      'outcome', m.outcome, 'httpStatus', m.http_status)
  from moved m
  -- Only the first of several consecutive failures gets an event.
  where m.kind = 'callback' and (m.status <> 'Pending' or m.tries = 1)
  order by m.seq
  returning merchant_id
)
select m.id, m.merchant_id as "merchantId", exists (
  select from endpoints n
  where n.merchant_id = m.merchant_id and n.deleted_at is null and n.kind = 'webhook') as "toWebhooks"
from moved m`,
} as const;
