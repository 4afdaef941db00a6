// Closed periods compared with the rail's own books. People are told of what differs, of refunds that failed, hang, came late or were too
// much, and of a rail account that is set up wrong: the trigger of 20261129_fan_out.ts again, with those.
import { Migration } from '@mikro-orm/migrations';

export class Reconciliation extends Migration {
  override up(): void {
    this.addSql(RECONCILIATIONS);
    this.addSql(`create index "reconciliations_due" on "reconciliations" ("due_at") where due_at is not null;`);
    this.addSql(FAN_OUT);
  }
}

const RECONCILIATIONS = `create table "reconciliations" (
  "id" uuid not null primary key,
  "revision" int not null default 1,
  "since" timestamptz(3) not null,
  "reconciled_at" timestamptz(3) null,
  "found" jsonb null,
  "due_at" timestamptz(3) null,
  "due_count" int not null default 0
);`;

const FAN_OUT = `
create or replace function fan_out_events() returns trigger language plpgsql as $$
begin
  -- Each webhook of the merchant that wants the event has a delivery of it.
  insert into deliveries (id, merchant_id, endpoint_id, kind, type, payment_id, event_seq, status, due_at, created_at)
  select gen_random_uuid(), e.merchant_id, n.id, 'webhook', e.type, e.payment_id, e.seq, 'Pending', e.occurred_at, e.occurred_at
  from new_events e join endpoints n on n.merchant_id = e.merchant_id and n.deleted_at is null and n.kind = 'webhook'
    and (n.types is null or e.type = any(n.types) or split_part(e.type, '.', 1) || '.*' = any(n.types))
  order by e.seq;

  -- Money came. What a callback's own events tell of it was written when it came.
  if exists (select from new_events where details ->> 'transactionId' is not null and type not like 'callback.%') then

    -- Money of a payment reference or of a QR code is told by a callback, once, whichever events tell of it (docs/integrate.md);
    -- that of the legacy contract is not. Without an endpoint it is kept, to be replayed.
    insert into deliveries (id, merchant_id, endpoint_id, kind, type, payment_id, transaction_id, status, due_at, created_at)
    select gen_random_uuid(), e.merchant_id, n.id, 'callback', case when f.id is null then 'callback.qrcode' else 'callback.ppr' end,
      e.payment_id, t.id, case when n.id is null then 'Skipped' else 'Pending' end,
      case when n.id is not null then e.occurred_at end, e.occurred_at
    from new_events e
      cross join lateral (select * from transactions where id = (e.details ->> 'transactionId')::uuid limit 1) t
      cross join lateral (select * from payments where id = t.payment_id limit 1) p
      left join lateral (select * from payment_references where payment_id = p.id limit 1) f on true
      left join endpoints n on n.merchant_id = e.merchant_id and n.deleted_at is null and n.kind = 'callback'
    where f.contract = 'current' or p.payment_method = 'qrcode'
    on conflict do nothing;

    -- It is usage of the merchant's plan, once.
    insert into usage_entries (transaction_id, merchant_id, amount_minor, currency, payment_type, occurred_at)
    select t.id, e.merchant_id, t.amount_minor, t.currency, p.payment_type, e.occurred_at
    from new_events e
      cross join lateral (select * from transactions where id = (e.details ->> 'transactionId')::uuid limit 1) t
      cross join lateral (select * from payments where id = t.payment_id limit 1) p
    on conflict do nothing;
  end if;

  -- People of the merchant are notified. Where several events tell of the same they have one subject, and it is told once:
  -- an outage of an endpoint, one money, a refund, a payment or a terminal's move that is stuck, and a day in Luanda of
  -- callbacks that were given up, of few SMS units, or of a rail account that is set up wrong.
  insert into notifications (id, merchant_id, type, payment_id, details, subject, created_at)
  select gen_random_uuid(), e.merchant_id, n.type, e.payment_id, e.details, n.type || ' ' || case
      when e.type like '%.endpoint_%' then (e.details ->> 'endpointId') || ' ' || (e.details ->> 'failingSince')
      when e.type in ('callback.abandoned', 'sms.balance_low') then to_char(e.occurred_at at time zone 'Africa/Luanda', 'YYYY-MM-DD')
      when n.type = 'payment.acquirer_setup'
        then (e.details ->> 'account') || ' ' || to_char(e.occurred_at at time zone 'Africa/Luanda', 'YYYY-MM-DD')
      when e.type = 'payment.stuck' then e.payment_id::text
      when e.type like 'refund.%' then coalesce(e.details ->> 'refundId', e.id::text)
      when e.type = 'terminal.stuck' then (e.details ->> 'posId') || ' ' || coalesce(e.details ->> 'since', e.id::text)
      else coalesce(e.details ->> 'transactionId', e.id::text) end, e.occurred_at
  from new_events e cross join lateral (select case
      -- Stuck because less came than was asked: that is told as what came.
      when e.type = 'payment.stuck' and e.details ->> 'transactionId' is not null then null
      when e.type in ('callback.endpoint_failing', 'callback.endpoint_recovered', 'callback.abandoned',
        'webhook.endpoint_failing', 'webhook.endpoint_recovered', 'payment.overpaid', 'payment.amount_mismatch',
        'payment.stuck', 'refund.failed', 'refund.stuck', 'refund.excess', 'reference.unknown_paid', 'terminal.stuck',
        'sms.balance_low', 'invoice.issued', 'access.granted', 'access.changed', 'client.created', 'settlement.difference') then e.type
      when e.type = 'terminal.closed' and e.details ->> 'by' = 'rail' then e.type
      when e.type like 'payment.%' and e.details ->> 'failureCode' = 'acquirer_setup' then 'payment.acquirer_setup'
      when e.type like 'payment.%' and e.details ->> 'late' = 'true' then 'payment.late'
      when e.type = 'refund.succeeded' and e.details ->> 'late' = 'true' then 'refund.late' end as type) n
  where n.type is not null
  on conflict do nothing;

  return null;
end $$;`;
