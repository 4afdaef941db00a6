// The one statement that settles refunds that were given back as they were asked for: attempt, refund, money, payment and event of each.
// By hand, as create.sql.ts is.
import { awaitedText, stateText } from '../../events/record.ts';
import { AS_KNOWN, HEARD } from '../settle-together.ts';
import { REFUND_TRANSITIONS } from './states.ts';

const HELD = REFUND_TRANSITIONS.fail.from.map((status) => `'${status}'`).join(', ');
const { to: DONE } = REFUND_TRANSITIONS.succeed;

/**
 * Its parameter: a JSON array of `GivenRow`. It answers those that it settled; anything else than the usual (another amount, another
 * word meanwhile, a payment that somebody holds, an authorization's capture) is left as it is.
 */
export const SETTLE_REFUNDS = {
  name: 'settle_refunds',
  text: `
with given as (
  -- A statement changes a row once: of one payment it settles one refund.
  select distinct on (r.payment_id) g.*, r.payment_id
  from json_to_recordset($1::json) as g(${HEARD}, period text, event_id uuid, about jsonb)
  cross join lateral (select payment_id from refunds where id = g.id limit 1) r
), ready as (
  -- Each looked up by its id and held, the payment first as everywhere: a join's plan that was made while tables are small reads all of
  -- them when they are not. Who waits for one of them would have all the others wait.
  select given.*, r.transaction_id
  from given
  cross join lateral (
    select p.id from payments p
    where p.id = given.payment_id and p.currency = given.currency and p.authorization_id is null
    limit 1 for no key update skip locked) p
  cross join lateral (
    select a.id from attempts a
    where a.id = given.id and a.payment_id = p.id and a.kind = 'refund' and ${AS_KNOWN}
    limit 1 for no key update skip locked) a
  cross join lateral (
    select r.rail, r.transaction_id from refunds r
    where r.id = a.id and r.status in (${HELD}) and r.amount_minor = given.amount_minor and r.currency = given.currency
    limit 1 for no key update skip locked) r
  cross join lateral (
    select t.id from transactions t
    where t.id = r.transaction_id and t.refunded_minor + given.amount_minor <= t.amount_minor
    limit 1 for no key update skip locked) t
  where (select true from refunds o where o.rail = r.rail and o.provider_ref = given.provider_ref limit 1) is null
), attempt as (
  update attempts a set status = 'Approved', provider_ref = ready.provider_ref, failure_code = null, resolved_at = ready.at, due_at = null
  from ready where a.id = ready.id
), refund as (
  update refunds r set status = '${DONE}', revision = r.revision + 1, provider_ref = ready.provider_ref, details = ready.details,
    period = ready.period, failure_code = null, completed_at = ready.at
  from ready where r.id = ready.id
), money as (
  update transactions t set refunding_minor = t.refunding_minor - ready.amount_minor, refunded_minor = t.refunded_minor + ready.amount_minor
  from ready where t.id = ready.transaction_id
), payment as (
  update payments p set refunded_minor = p.refunded_minor + ready.amount_minor, revision = p.revision + 1
  from ready where p.id = ready.payment_id returning ready.*, p.merchant_id, p.replaced_by_id, ${stateText('p')} as state
), event as (
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details, state)
  select event_id, merchant_id, payment_id, 'refund.succeeded', '${DONE}', at, about, state from payment
)
select id, provider_ref as "providerRef", merchant_id as "merchantId", payment_id as "paymentId", replaced_by_id as "replacedById",
  ${awaitedText('payment', 'webhook')} as "toWebhooks"
from payment`,
} as const;
