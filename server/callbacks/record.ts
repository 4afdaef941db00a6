// Recording attempts: delivery, attempt and the payment's history of all that ended meanwhile, in one statement.
import type { Core } from '../core.ts';
import { notificationsOf } from '../events/notices.ts';
import { announce, webhookDeliveries } from '../events/outbox.ts';
import type { Claimed } from './claim.ts';
import type { DeliveryStatus } from './entities.ts';
import { nextTryAt } from './schedule.ts';
import type { Result } from './send.ts';

/** An attempt that ended. */
export type Ended = { claimed: Claimed; result: Result };

/** `hasMore`: others are due at the same endpoint, perhaps those of the same payment that had to wait for this one. */
export type Recorded = { hasMore: boolean };

/**
 * Records them all. A result counts while its lease stands; a confirmation always does, whoever waited for it. Later
 * deliveries of the same payment may go from now on.
 */
export async function recordAttempts(core: Core, ended: Ended[]): Promise<Recorded[]> {
  const now = core.clock.now();
  const rows = ended.map((one) => rowOf(one, now));
  const { rows: moved } = await core.pool.query<{ id: string; told: boolean; more: boolean }>({
    name: 'record_attempts',
    text: RECORD,
    values: [JSON.stringify(rows), now, ended.map(({ claimed }) => claimed.id)],
  });
  const byId = new Map(moved.map((row) => [row.id, row.more]));
  const due = moved.some(({ told }) => told);
  for (const merchantId of new Set(ended.map(({ claimed }) => claimed.merchantId)))
    announce(core, { merchantId, due, leased: [] });
  // Of a lease that was lost nothing is known.
  return ended.map(({ claimed: { id } }) => ({ hasMore: byId.get(id) ?? true }));
}

function rowOf({ claimed, result }: Ended, now: Date): object {
  const { outcome, status: httpStatus, answer, error, startedAt, durationMs } = result;
  const attempt = { outcome, http_status: httpStatus, answer, error, started_at: startedAt, duration_ms: durationMs };
  const { status, dueAt } = decide({ claimed, result }, now);
  return { id: claimed.id, number: claimed.number, ...attempt, status, due_at: dueAt };
}

/** Confirmed, to be tried again, or given up (decisions §9). A test is tried once. */
function decide({ claimed, result }: Ended, now: Date): { status: DeliveryStatus; dueAt: Date | null } {
  if (result.outcome === 'delivered') return { status: 'Delivered', dueAt: null };
  const isGone = result.status === 410;
  const since = claimed.triesSince ?? result.startedAt;
  const { retryAfterMs } = result;
  const next =
    isGone || claimed.kind === 'test' ? null : nextTryAt({ tries: claimed.tries + 1, since, now, retryAfterMs });
  return next ? { status: 'Pending', dueAt: next } : { status: 'Abandoned', dueAt: null };
}

const RECORD = `
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
  returning *
), told as (${webhookDeliveries('event')}), told_people as (${notificationsOf('event')})
select m.id, exists (select from told) as told, (
  select true from deliveries d where d.endpoint_id = m.endpoint_id and d.due_at <= $2::timestamptz and d.leased_until is null
    and d.id <> m.id limit 1) is not null as more
from moved m`;
