// The one statement that writes refunds: the amount kept, refund, event, audit entry, attempt and idempotency key of each. By hand:
// with the statement that settles them (settle.sql.ts) three times as many are given back in a second as by some thirty in two transactions.
import { propertiesOf } from '../../database/columns.ts';
import { awaitedText, stateText } from '../../events/record.ts';
import { RefundSchema } from './entities.ts';

// By name, although all are given: a newer node may have added one.
const refund = propertiesOf(RefundSchema).map(({ column }) => column);

/**
 * Its parameter: a JSON array of `RefundRow`. It answers those that it wrote. Not written, and for their own transaction to judge, are
 * refunds of money that is not as it was read, of a payment that somebody holds, and those whose key is used.
 */
export const CREATE_REFUNDS = {
  name: 'create_refunds',
  text: `
with asked as (
  -- A statement changes a row once: of one payment it takes one refund.
  select distinct on (f.payment_id) r.*, f
  from json_to_recordset($1::json) as r(
    refund json, refunded_minor bigint, refunding_minor bigint, event_id uuid, about jsonb, audit_id uuid, actor_kind text, actor_id text,
    address text, changes jsonb, is_sent boolean, rail_key text, due_at timestamptz, key text, fingerprint text)
  cross join lateral json_populate_record(null::refunds, r.refund) f
), free as (
  select asked.*, p
  from asked join payments p on p.id = (f).payment_id join transactions t on t.id = (f).transaction_id
  where t.refunded_minor = asked.refunded_minor and t.refunding_minor = asked.refunding_minor
    and not exists (select from idempotency_keys k where k.merchant_id = (f).merchant_id and k.key = asked.key)
  -- As everywhere the payment first. Who waits for one of them would have all the others wait.
  for no key update of p, t skip locked
), held as (
  update transactions t set refunding_minor = t.refunding_minor + (free.f).amount_minor
  from free where t.id = (free.f).transaction_id returning free.*
), refund as (
  insert into refunds (${refund.join(', ')}) select ${refund.map((name) => `(f).${name}`).join(', ')} from held
), event as (
  insert into events (id, merchant_id, payment_id, type, status, occurred_at, details, state)
  select event_id, (f).merchant_id, (f).payment_id, 'refund.created', (f).status, (f).created_at, about, ${stateText('(p)')} from held
), entry as (
  insert into audit_entries (id, merchant_id, action, actor_kind, actor_id, address, target, changes, occurred_at)
  select audit_id, (f).merchant_id, 'refund.requested', actor_kind, actor_id, address, (f).id::text, changes, (f).created_at from held
), attempt as (
  -- The intent, before the rail is asked: by the account that took the money, under the refund's id.
  insert into attempts (id, payment_id, kind, rail, rail_key, status, created_at, sent_at, due_at)
  select (f).id, (f).payment_id, 'refund', (f).rail, rail_key, 'Unsent', (f).created_at, (f).created_at, due_at from held where is_sent
), stored as (
  insert into idempotency_keys (merchant_id, key, fingerprint, status, refund_id, created_at)
  select (f).merchant_id, key, fingerprint, 201, (f).id, (f).created_at from held where key is not null
)
select (f).id,
  ${awaitedText('(f)', 'webhook')} as "toWebhooks"
from held`,
} as const;
