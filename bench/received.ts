// Paid payments with their pushes and their money, written as rows: what the bench gives back, and what a clearing period has.
import type { Pool } from 'pg';
import { DEMO } from '../sandbox/seed.ts';

/** Of the demo merchant, in one clearing period, a millisecond after another; answers the payments' ids. */
export async function fillReceived(pool: Pool, period: string, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(FILL, [DEMO.merchantId, period, count]);
  await pool.query('vacuum analyze payments');
  await pool.query('vacuum analyze attempts');
  await pool.query('vacuum analyze transactions');
  return rows.map(({ id }) => id);
}

const FILL = `
with payment as (
  insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision,
    attempts_made, created_at, completed_at, amount_paid_minor, phone)
  select uuidv7(), $1::uuid, 'M' || $2 || nth, 152505050, 'AOA', 'GPO', 'onetimepurchase', 'Paid', 2, 1,
    now() - interval '1 hour' + nth * interval '1 millisecond', now(), 152505050, '923000001'
  from generate_series(1, $3::int) as nth
  returning id, merchant_id, amount_minor, currency, created_at, phone
), push as (
  insert into attempts (id, payment_id, rail, phone, status, provider_ref, created_at, sent_at, resolved_at)
  select uuidv7(), id, 'gpo', phone, 'Approved', id::text, created_at, created_at, now() from payment
  returning id, payment_id
)
insert into transactions (id, merchant_id, payment_id, attempt_id, rail, provider_ref, amount_minor, currency, status, late,
  occurred_at, created_at, period, details)
select uuidv7(), merchant_id, payment.id, push.id, 'gpo', payment.id::text, amount_minor, currency, 'Accepted', false, created_at,
  created_at, $2, jsonb_build_object('clearingPeriod', $2::text, 'transactionNumber', '4711')
from payment join push on push.payment_id = payment.id returning payment_id as id`;
