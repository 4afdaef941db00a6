// All that makes events and deliveries ready to be kept in months (20270202_parts.ts) while everybody writes: what is unique over all months
// moves to a narrow table, by the trigger of 20261206_reconciliation.ts again; each index becomes one that a part may have.
import { ConcurrentMigration } from '../concurrent.ts';

export class PartsReady extends ConcurrentMigration {
  override up(): void {
    this.addSql(
      `create table if not exists "callback_deliveries" ("transaction_id" uuid not null, "seq" bigint not null, primary key ("transaction_id"));`,
    );
    this.addSql(FAN_OUT);
    // What the trigger put there in between names a delivery that was there already.
    this.addSql(`insert into callback_deliveries (transaction_id, seq)
      select transaction_id, seq from deliveries where transaction_id is not null
      on conflict (transaction_id) do update set seq = excluded.seq where callback_deliveries.seq <> excluded.seq`);
    this.addIndex('events_position_part', 'on "events" ("merchant_id", "position") where position is not null');
    this.addIndex('deliveries_id_part', 'on "deliveries" ("id")');
    // Known to be true, it spares the attaching a look at each row. 2^36: where the numbers of months begin.
    for (const table of ['events', 'deliveries']) {
      this.addSql(`alter table "${table}" drop constraint if exists "${table}_before_months"`);
      this.addSql(
        `alter table "${table}" add constraint "${table}_before_months" check (seq is not null and seq < 68719476736) not valid`,
      );
      this.addSql(`alter table "${table}" validate constraint "${table}_before_months"`);
    }
  }
}

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
    with money as (
      select distinct on (t.id) t.id, e.seq as event_seq, e.merchant_id, e.payment_id, e.occurred_at, n.id as endpoint_id,
        case when f.id is null then 'callback.qrcode' else 'callback.ppr' end as type
      from new_events e
        cross join lateral (select * from transactions where id = (e.details ->> 'transactionId')::uuid limit 1) t
        cross join lateral (select * from payments where id = t.payment_id limit 1) p
        left join lateral (select * from payment_references where payment_id = p.id limit 1) f on true
        left join endpoints n on n.merchant_id = e.merchant_id and n.deleted_at is null and n.kind = 'callback'
      where f.contract = 'current' or p.payment_method = 'qrcode'
      order by t.id, e.seq
    ), told as (
      insert into callback_deliveries (transaction_id, seq)
      select id, nextval('deliveries_seq_seq') from (select id from money order by event_seq) m
      on conflict do nothing
      returning transaction_id, seq
    )
    insert into deliveries (seq, id, merchant_id, endpoint_id, kind, type, payment_id, transaction_id, status, due_at, created_at)
    select told.seq, gen_random_uuid(), m.merchant_id, m.endpoint_id, 'callback', m.type, m.payment_id, m.id,
      case when m.endpoint_id is null then 'Skipped' else 'Pending' end,
      case when m.endpoint_id is not null then m.occurred_at end, m.occurred_at
    from told join money m on m.id = told.transaction_id
    -- What was told before there were callback_deliveries may not be among them yet.
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
