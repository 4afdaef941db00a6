// What else an event leaves behind, by its own statement: a notification where people should know, usage where money came.

/** Events that people of the merchant are notified of (decisions §7). Money that came late is told as `payment.late`. */
export const NOTIFIED_EVENTS = [
  'callback.endpoint_failing',
  'callback.endpoint_recovered',
  'callback.abandoned',
  'webhook.endpoint_failing',
  'webhook.endpoint_recovered',
  'payment.overpaid',
  'payment.amount_mismatch',
  'payment.stuck',
  'reference.unknown_paid',
  'terminal.stuck',
  'sms.balance_low',
  'invoice.issued',
  'access.granted',
  'access.changed',
  'client.created',
] as const;

const NOTIFIED: ReadonlySet<string> = new Set(NOTIFIED_EVENTS);

/** And under a condition: closed by the rail, not by the merchant. */
export type NoticeType = (typeof NOTIFIED_EVENTS)[number] | 'payment.late' | 'terminal.closed';

/**
 * Notifications of the rows of `event`. Where several events tell of the same they have one subject, and it is told once:
 * an outage of an endpoint, one money, a payment or a terminal's move that is stuck, and a day in Luanda of callbacks that
 * were given up or of few SMS units.
 */
export function notificationsOf(event: string): string {
  return `insert into notifications (id, merchant_id, type, payment_id, details, subject, created_at)
    select gen_random_uuid(), e.merchant_id, n.type, e.payment_id, e.details, n.type || ' ' || case
        when e.type like '%.endpoint_%' then (e.details ->> 'endpointId') || ' ' || (e.details ->> 'failingSince')
        when e.type in ('callback.abandoned', 'sms.balance_low') then to_char(e.occurred_at at time zone 'Africa/Luanda', 'YYYY-MM-DD')
        when e.type = 'payment.stuck' then e.payment_id::text
        when e.type = 'terminal.stuck' then (e.details ->> 'posId') || ' ' || coalesce(e.details ->> 'since', e.id::text)
        else coalesce(e.details ->> 'transactionId', e.id::text) end, e.occurred_at
    from ${event} e cross join lateral (select case
        -- Stuck because less came than was asked: that is told as what came.
        when e.type = 'payment.stuck' and e.details ->> 'transactionId' is not null then null
        when e.type = any('{${NOTIFIED_EVENTS.join(',')}}') then e.type
        when e.type = 'terminal.closed' and e.details ->> 'by' = 'rail' then e.type
        when e.type like 'payment.%' and e.details ->> 'late' = 'true' then 'payment.late' end as type) n
    where n.type is not null
    on conflict do nothing`;
}

/** Whether `notificationsOf` may write one for it. */
export function isNotice({ type, details = {} }: { type: string; details?: Record<string, unknown> }): boolean {
  return NOTIFIED.has(type) || type === 'terminal.closed' || details['late'] === true;
}

/** Money received is usage of the merchant's plan: once, however many events tell of it. */
export function usageOf(event: string): string {
  return `insert into usage_entries (transaction_id, merchant_id, amount_minor, currency, payment_type, occurred_at)
    select t.id, e.merchant_id, t.amount_minor, t.currency, p.payment_type, e.occurred_at
    from ${event} e join transactions t on t.id = (e.details ->> 'transactionId')::uuid
      join payments p on p.id = t.payment_id
    on conflict do nothing`;
}
