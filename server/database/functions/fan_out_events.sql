-- Trigger on events, once a statement: writes what each event causes, in the same transaction.
-- These are deliveries to webhooks and callbacks, usage of the merchant's plan, and notifications of people.
create or replace function fan_out_events() returns trigger language plpgsql as $$
begin
  -- A delivery for each webhook of the merchant that subscribed to the event.
  insert into deliveries (id, merchant_id, endpoint_id, kind, type, payment_id, event_seq, status, due_at, created_at)
  select gen_random_uuid(), e.merchant_id, n.id, 'webhook', e.type, e.payment_id, e.seq, 'Pending',
    e.occurred_at, e.occurred_at
  from new_events e join endpoints n on n.merchant_id = e.merchant_id and n.deleted_at is null and n.kind = 'webhook'
    and (n.types is null or e.type = any(n.types) or split_part(e.type, '.', 1) || '.*' = any(n.types))
  order by e.seq;

  -- A transaction was recorded. Events about callbacks name it too, but its rows were written before.
  if exists (select from new_events where details ->> 'transactionId' is not null and type not like 'callback.%') then

    -- A transaction counts once as usage of the merchant's plan, whichever events name it.
    -- With it, a transaction of a payment reference or QR code gets its one callback. The legacy contract gets none.
    -- Without an endpoint the delivery is Skipped and can be replayed.
    with money as (
      select distinct on (t.id) t.id, t.amount_minor, t.currency, t.payment_id, p.payment_type, p.payment_method,
        e.seq, e.merchant_id, e.occurred_at
      from new_events e
        cross join lateral (select * from transactions where id = (e.details ->> 'transactionId')::uuid limit 1) t
        cross join lateral (select * from payments where id = t.payment_id limit 1) p
      order by t.id, e.seq
    ), counted as (
      insert into usage_entries (transaction_id, merchant_id, amount_minor, currency, payment_type, occurred_at)
      select id, merchant_id, amount_minor, currency, payment_type, occurred_at from money
      on conflict do nothing
      returning transaction_id
    )
    insert into deliveries (id, merchant_id, endpoint_id, kind, type,
      payment_id, transaction_id, status, due_at, created_at)
    select gen_random_uuid(), m.merchant_id, n.id, 'callback',
      case when f.id is null then 'callback.qrcode' else 'callback.ppr' end,
      m.payment_id, m.id, case when n.id is null then 'Skipped' else 'Pending' end,
      case when n.id is not null then m.occurred_at end, m.occurred_at
    from counted join money m on m.id = counted.transaction_id
      left join lateral (select * from payment_references where payment_id = m.payment_id limit 1) f on true
      left join endpoints n on n.merchant_id = m.merchant_id and n.deleted_at is null and n.kind = 'callback'
    where f.contract = 'current' or m.payment_method = 'qrcode'
    order by m.seq;
  end if;

  -- Events about the same thing share a subject, and each subject causes one notification.
  -- A subject is an outage of an endpoint, a transaction, a refund, or a stuck payment or terminal.
  -- Abandoned callbacks, a low SMS balance and a wrong rail account have one subject per day in Luanda.
  insert into notifications (id, merchant_id, type, payment_id, details, subject, created_at, due_at)
  select gen_random_uuid(), e.merchant_id, n.type, e.payment_id, e.details, n.type || ' ' || case
      when e.type like '%.endpoint_%' then (e.details ->> 'endpointId') || ' ' || (e.details ->> 'failingSince')
      when e.type in ('callback.abandoned', 'sms.balance_low')
        then to_char(e.occurred_at at time zone 'Africa/Luanda', 'YYYY-MM-DD')
      when n.type = 'payment.acquirer_setup'
        then (e.details ->> 'account') || ' ' || to_char(e.occurred_at at time zone 'Africa/Luanda', 'YYYY-MM-DD')
      when e.type = 'payment.stuck' then e.payment_id::text
      when e.type like 'refund.%' then coalesce(e.details ->> 'refundId', e.id::text)
      when e.type = 'terminal.stuck' then (e.details ->> 'posId') || ' ' || coalesce(e.details ->> 'since', e.id::text)
      else coalesce(e.details ->> 'transactionId', e.id::text) end, e.occurred_at, e.occurred_at
  from new_events e cross join lateral (select case
      -- A payment stuck by a smaller amount is notified as amount_mismatch.
      when e.type = 'payment.stuck' and e.details ->> 'transactionId' is not null then null
      when e.type in ('callback.endpoint_failing', 'callback.endpoint_recovered', 'callback.abandoned',
        'webhook.endpoint_failing', 'webhook.endpoint_recovered', 'payment.overpaid', 'payment.amount_mismatch',
        'payment.stuck', 'refund.failed', 'refund.stuck', 'refund.excess', 'reference.unknown_paid', 'terminal.stuck',
        'sms.balance_low', 'invoice.issued', 'settlement.difference') then e.type
      when e.type = 'terminal.closed' and e.details ->> 'by' = 'rail' then e.type
      when e.type like 'payment.%' and e.details ->> 'failureCode' = 'acquirer_setup' then 'payment.acquirer_setup'
      when e.type like 'payment.%' and e.details ->> 'late' = 'true' then 'payment.late'
      when e.type = 'refund.succeeded' and e.details ->> 'late' = 'true' then 'refund.late' end as type) n
  where n.type is not null
  on conflict do nothing;

  return null;
end $$;
