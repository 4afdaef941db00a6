// The statement that settles pushes whose money came as it was asked for: attempt, money, payment and event of each. By hand, as
// create.sql.ts is: what some ten statements did in a transaction for each payment is one for those of the same moment.
import { awaitedText, stateText } from '../../events/record.ts';
import { AS_KNOWN, HEARD, MONEY, TAKE_MONEY } from '../settle-together.ts';
import { TRANSITIONS } from '../states.ts';

const { approve } = TRANSITIONS;

/**
 * It answers the purchases that it settled: whose money is what was asked, and new. What is late, of a refused payment that something took
 * the place of, or of a page that also shows a code is left as it is, like a payment that somebody holds.
 */
export const SETTLE_PURCHASES = {
  name: 'settle_purchases',
  text: `
with given as (
  -- A statement changes a row once: of one payment it settles one attempt.
  select distinct on (a.payment_id) g.*, a.payment_id
  from json_to_recordset($1::json) as g(${HEARD}, ${MONEY})
  cross join lateral (select payment_id from attempts where id = g.id limit 1) a
), ready as (
  -- Each looked up by its id and held, the payment first as everywhere. Who waits for one of them would have all the others wait.
  select given.*, p.merchant_id, a.rail
  from given
  cross join lateral (
    select p.id, p.merchant_id from payments p
    where p.id = given.payment_id and p.status = 'Processing' and p.amount_paid_minor = 0 and p.amount_minor = given.amount_minor
      and p.currency = given.currency and p.authorization_id is null and p.replaced_by_id is null
      and (p.qr_content is null or p.payment_method <> 'webframe')
    limit 1 for no key update skip locked) p
  cross join lateral (
    select a.rail from attempts a
    where a.id = given.id and a.payment_id = p.id and a.kind = 'purchase' and ${AS_KNOWN}
    limit 1 for no key update skip locked) a
  where (select true from transactions t where t.rail = a.rail and t.provider_ref = given.provider_ref limit 1) is null
), ${TAKE_MONEY}, done as (
  update payments p set status = '${approve.to}', revision = p.revision + 1, amount_paid_minor = ready.amount_minor, failure_code = null,
    due_at = null, completed_at = ready.at
  from ready where p.id = ready.payment_id returning ready.*, p.payment_method, ${stateText('p')} as state
), event as (
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details, state)
  select event_id, merchant_id, payment_id, 'payment.paid', '${approve.to}', at, about, state from done
)
select id, provider_ref as "providerRef", merchant_id as "merchantId", payment_id as "paymentId", payment_method as method,
  ${awaitedText('done', 'webhook')} as "toWebhooks"
from done`,
} as const;
