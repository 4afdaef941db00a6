// The statements that settle holds and captures that came out as they were asked for: attempt, payments, money and events of each. By
// hand, as create.sql.ts is: a hold and its capture reach the disk with those of others, and are four statements instead of some thirty.
import { awaitedText, stateText } from '../../events/record.ts';
import { AS_KNOWN, HEARD, MONEY, TAKE_MONEY } from '../settle-together.ts';
import { TRANSITIONS } from '../states.ts';

const { reserve, approve, capture } = TRANSITIONS;

/** It answers the holds that it settled; another amount, a late one, a payment that somebody holds are left as they are. */
export const SETTLE_HOLDS = {
  name: 'settle_holds',
  text: `
with given as (
  -- A statement changes a row once: of one payment it settles one attempt.
  select distinct on (a.payment_id) g.*, a.payment_id
  from json_to_recordset($1::json) as g(${HEARD}, expires_at timestamptz, event_id uuid, about jsonb)
  cross join lateral (select payment_id from attempts where id = g.id limit 1) a
), ready as (
  -- Each looked up by its id and held, the payment first as everywhere (refunds/settle.sql.ts). Who waits for one of them would have all
  -- the others wait.
  select given.*, p.merchant_id
  from given
  cross join lateral (
    select p.merchant_id from payments p
    where p.id = given.payment_id and p.status = 'Processing' and p.amount_minor = given.amount_minor and p.currency = given.currency
    limit 1 for no key update skip locked) p
  cross join lateral (
    select a.id from attempts a where a.id = given.id and a.kind = 'authorization' and ${AS_KNOWN}
    limit 1 for no key update skip locked) a
), attempt as (
  update attempts a set status = 'Approved', provider_ref = ready.provider_ref, failure_code = null, resolved_at = ready.at, due_at = null
  from ready where a.id = ready.id
), done as (
  update payments p set status = '${reserve.to}', revision = p.revision + 1, authorized_minor = ready.amount_minor, late = false,
    expires_at = ready.expires_at, due_at = ready.expires_at, completed_at = null, failure_code = null
  from ready where p.id = ready.payment_id returning ready.*, ${stateText('p')} as state
), event as (
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details, state)
  select event_id, merchant_id, payment_id, 'payment.authorized', '${reserve.to}', at, about, state from done
)
select id, provider_ref as "providerRef", merchant_id as "merchantId", payment_id as "paymentId", ${awaitedText('done', 'webhook')} as "toWebhooks" from done`,
} as const;

/**
 * It answers the captures that it settled: whose money is what was asked, and new, and whose authorization waits for it. Locked as
 * everywhere: an authorization before its capture.
 */
export const SETTLE_CAPTURES = {
  name: 'settle_captures',
  text: `
with given as (
  select distinct on (c.authorization_id) g.*, a.payment_id, c.authorization_id
  from json_to_recordset($1::json) as g(${HEARD}, ${MONEY}, held_event_id uuid)
  cross join lateral (select payment_id from attempts where id = g.id limit 1) a
  cross join lateral (select authorization_id from payments where id = a.payment_id limit 1) c
), ready as (
  select given.*, c.merchant_id, a.rail
  from given
  cross join lateral (
    select h.id from payments h
    where h.id = given.authorization_id and h.status = 'Authorized' and h.operation_id = given.id and h.currency = given.currency
    limit 1 for no key update skip locked) h
  cross join lateral (
    select c.merchant_id from payments c
    where c.id = given.payment_id and c.authorization_id = h.id and c.status = 'Processing' and c.amount_paid_minor = 0
      and c.amount_minor = given.amount_minor and c.currency = given.currency
    limit 1 for no key update skip locked) c
  cross join lateral (
    select a.rail from attempts a where a.id = given.id and a.kind = 'capture' and ${AS_KNOWN}
    limit 1 for no key update skip locked) a
  where (select true from transactions t where t.rail = a.rail and t.provider_ref = given.provider_ref limit 1) is null
), ${TAKE_MONEY}, done as (
  update payments c set status = '${approve.to}', revision = c.revision + 1, amount_paid_minor = ready.amount_minor, failure_code = null,
    due_at = null, completed_at = ready.at
  from ready where c.id = ready.payment_id returning ready.*, ${stateText('c')} as state
), held as (
  update payments h set status = '${capture.to}', revision = h.revision + 1, captured_minor = coalesce(h.captured_minor, 0) + ready.amount_minor,
    operation = null, operation_id = null, due_at = null, completed_at = ready.at
  from ready where h.id = ready.authorization_id returning ready.*, ${stateText('h')} as state
), event as (
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details, state)
  select event_id, merchant_id, payment_id, 'payment.paid', '${approve.to}', at, about, state from done
  union all
  select held_event_id, merchant_id, authorization_id, 'payment.captured', '${capture.to}', at,
    jsonb_build_object('captureId', payment_id, 'via', via), state from held
)
select id, provider_ref as "providerRef", merchant_id as "merchantId", payment_id as "paymentId", authorization_id as "authorizationId", ${awaitedText('done', 'webhook')} as "toWebhooks"
from done`,
} as const;
