// Recording attempts, by hand: delivery, attempt and event of all that ended meanwhile by one statement and one commit; with one
// for each attempt a backlog is delivered at a ninth of the rate (bench).

/** Parameters: a JSON array of results, now, and the deliveries' ids. It answers the deliveries that were moved. */
export const RECORD = {
  name: 'record_attempts',
  text: `
with result as (
  select * from json_to_recordset($1::json) as r(id uuid, number int, outcome text, http_status int, answer text, error text,
    started_at timestamptz, duration_ms int, status text, due_at timestamptz)
), moved as (
  update deliveries d set status = r.status, due_at = r.due_at, tries = d.tries + 1,
    tries_since = coalesce(d.tries_since, r.started_at), first_tried_at = coalesce(d.first_tried_at, $2::timestamptz),
    leased_until = null, claimed_at = null,
    delivered_at = case when r.status = 'Delivered' then $2::timestamptz else d.delivered_at end
  from result r
  where d.id = any($3::uuid[]) and d.id = r.id and ((d.attempts = r.number and d.status = 'Pending') or (r.status = 'Delivered' and d.status <> 'Delivered'))
  returning d.*, r.number, r.outcome, r.http_status
), released as (
  -- Its endpoint was removed meanwhile: it may be replayed at another at once.
  update deliveries d set leased_until = null, claimed_at = null from result r
  where d.id = any($3::uuid[]) and d.id = r.id and d.attempts = r.number and d.status <> 'Pending' and r.status <> 'Delivered'
), attempt as (
  insert into delivery_attempts (delivery_id, number, started_at, duration_ms, outcome, status, answer, error)
  select id, number, started_at, duration_ms, outcome, http_status, answer, error from result
  on conflict (delivery_id, number) do update set duration_ms = excluded.duration_ms, outcome = excluded.outcome,
    status = excluded.status, answer = excluded.answer, error = excluded.error
), event as (
  -- No state: the payment's row is not locked, and what is being changed at this moment would be told as it was before.
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
  select gen_random_uuid(), m.merchant_id, m.payment_id,
    case m.status when 'Delivered' then 'callback.delivered' when 'Abandoned' then 'callback.abandoned' else 'callback.failed' end,
    m.status, $2::timestamptz,
    jsonb_build_object('deliveryId', m.id, 'transactionId', m.transaction_id, 'attempts', m.number, 'outcome', m.outcome, 'httpStatus', m.http_status)
  from moved m
  -- Of many failures in a row the first is news.
  where m.kind = 'callback' and (m.status <> 'Pending' or m.tries = 1)
  order by m.seq
  returning merchant_id
)
select m.id, m.merchant_id as "merchantId", exists (
  select from endpoints n where n.merchant_id = m.merchant_id and n.deleted_at is null and n.kind = 'webhook') as "toWebhooks", (
  select true from deliveries d where d.endpoint_id = m.endpoint_id and d.due_at <= $2::timestamptz and d.leased_until is null
    and d.id <> m.id limit 1) is not null as "hasMore"
from moved m`,
} as const;
