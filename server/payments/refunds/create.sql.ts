// The one statement that writes refunds: the amount kept, refund, event, audit entry, attempt and idempotency key of each. By hand:
// with the statement that settles them (settle.sql.ts) three times as many are given back in a second as by some thirty in two transactions.
import { propertiesOf } from '../../database/columns.ts';
import { awaitedText, stateText } from '../../events/record.ts';
import { RefundSchema } from './entities.ts';

// By name, although all are given: a newer node may have added one.
const refund = propertiesOf(RefundSchema).map(({ column }) => column);

/**
 * Its parameters: two JSON arrays, of refunds and of what is written with each (insert.ts). It answers those that it wrote. Not written,
 * and for their own transaction to judge, are refunds of money that is not as it was read, of a payment that somebody holds, and those
 * whose key is used.
 */
export const CREATE_REFUNDS = {
  name: 'create_refunds',
  text: `
with asked as (
  -- A statement changes a row once: of one payment it takes one refund.
  select distinct on (payment_id) *
  from rows from (
    json_populate_recordset(null::refunds, $1::json),
    json_to_recordset($2::json) as (
      refunded_minor bigint, refunding_minor bigint, event_id uuid, about jsonb, audit_id uuid, actor_kind text, actor_id text,
      address text, changes jsonb, is_sent boolean, rail_key text, due_at timestamptz, key text, fingerprint text)
  ) r
), free as (
  -- Each looked up by its id and held, the payment first as everywhere (settle.sql.ts). Who waits for one of them would have all the
  -- others wait.
  select asked.*, p.state
  from asked
  cross join lateral (
    select ${stateText('p')} as state from payments p where p.id = asked.payment_id
    limit 1 for no key update skip locked) p
  cross join lateral (
    select t.id from transactions t
    where t.id = asked.transaction_id and t.refunded_minor = asked.refunded_minor and t.refunding_minor = asked.refunding_minor
    limit 1 for no key update skip locked) t
  where (select true from idempotency_keys k where k.merchant_id = asked.merchant_id and k.key = asked.key limit 1) is null
), held as (
  update transactions t set refunding_minor = t.refunding_minor + free.amount_minor
  from free where t.id = free.transaction_id returning free.*
), refund as (
  insert into refunds (${refund.join(', ')}) select ${refund.join(', ')} from held
), event as (
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details, state)
  select event_id, merchant_id, payment_id, 'refund.created', status, created_at, about, state from held
), entry as (
  insert into audit_entries (id, merchant_id, action, actor_kind, actor_id, address, target, changes, occurred_at)
  select audit_id, merchant_id, 'refund.requested', actor_kind, actor_id, address, id::text, changes, created_at from held
), attempt as (
  -- The intent, before the rail is asked: by the account that took the money, under the refund's id.
  insert into attempts (id, payment_id, kind, rail, rail_key, status, created_at, sent_at, due_at)
  select id, payment_id, 'refund', rail, rail_key, 'Unsent', created_at, created_at, due_at from held where is_sent
), stored as (
  insert into idempotency_keys (merchant_id, key, fingerprint, status, refund_id, created_at)
  select merchant_id, key, fingerprint, 201, id, created_at from held where key is not null
)
select id,
  ${awaitedText('held', 'webhook')} as "toWebhooks"
from held`,
} as const;
