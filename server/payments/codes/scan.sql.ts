// The statement that records payments of one code that are as they should be: by hand, since its payers wait for each other under a lock.
import { awaitedText, stateText } from '../../events/record.ts';
import { MONEY } from '../settle-together.ts';

/**
 * Parameters: a JSON array of moneys in the order in which they are counted, each with what the payment has come to by it; the payment;
 * its attempt and account; the moment. Inside the transaction that has the payment's row.
 */
export const RECORD_SCANS = {
  name: 'record_scans',
  text: `
with given as (
  select * from json_to_recordset($1::json) as g(${MONEY}, provider_ref text, amount_minor bigint,
    currency text, details jsonb, accepted_count int, amount_paid_minor bigint)
), paid as (
  update payments p set revision = p.revision + given.count, accepted_count = given.accepted_count, amount_paid_minor = given.amount_paid_minor
  from (select count(*) as count, max(accepted_count) as accepted_count, max(amount_paid_minor) as amount_paid_minor from given) given
  where p.id = $2::uuid returning p.id, p.merchant_id, p.status, ${stateText('p')} as state
), money as (
  insert into transactions (id, merchant_id, payment_id, rail, provider_ref, attempt_id, amount_minor, currency, status, late, occurred_at,
    created_at, period, fee_minor, details)
  select transaction_id, merchant_id, $2::uuid, $4::text, provider_ref, $3::uuid, amount_minor, currency, 'Accepted', false, occurred_at,
    $5::timestamptz, period, fee_minor, details
  from given cross join paid
), event as (
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details, state)
  select event_id, merchant_id, paid.id, 'payment.transaction_accepted', status, $5::timestamptz, about,
    state || jsonb_build_object('acceptedCount', accepted_count, 'amountPaidMinor', amount_paid_minor)
  from given cross join paid order by accepted_count
)
select ${awaitedText('paid', 'webhook')} as "toWebhooks",
  ${awaitedText('paid', 'callback')} as "toCallback"
from paid`,
} as const;
