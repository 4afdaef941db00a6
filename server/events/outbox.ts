// Whom an event is told to: deliveries, written by the statement that writes the event, so that neither is ever without the other.
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Db } from '../database/rows.ts';

/** Of the merchant's webhooks those that want the event. `event` names rows of events. */
export function webhookDeliveries(event: string): string {
  return `insert into deliveries (id, merchant_id, endpoint_id, kind, type, payment_id, event_seq, status, due_at, created_at)
    select gen_random_uuid(), e.merchant_id, n.id, 'webhook', e.type, e.payment_id, e.seq, 'Pending', e.occurred_at, e.occurred_at
    from ${event} e join endpoints n on n.merchant_id = e.merchant_id and n.deleted_at is null and n.kind = 'webhook'
      and (n.types is null or e.type = any(n.types) or split_part(e.type, '.', 1) || '.*' = any(n.types))
    order by e.seq returning 1`;
}

/**
 * Money of a payment reference or of a QR code is told by a callback, once, whichever events tell of it (interface.md
 * "Events"); that of the legacy contract is not. Without an endpoint it is kept, to be replayed.
 */
function callbackDeliveries(event: string): string {
  return `insert into deliveries (id, merchant_id, endpoint_id, kind, type, payment_id, transaction_id, status, due_at, created_at)
    select gen_random_uuid(), e.merchant_id, n.id, 'callback', case when f.id is null then 'callback.qrcode' else 'callback.ppr' end,
      e.payment_id, t.id, case when n.id is null then 'Skipped' else 'Pending' end,
      case when n.id is not null then e.occurred_at end, e.occurred_at
    from ${event} e join transactions t on t.id = (e.details ->> 'transactionId')::uuid
      join payments p on p.id = t.payment_id
      left join payment_references f on f.payment_id = p.id
      left join endpoints n on n.merchant_id = e.merchant_id and n.deleted_at is null and n.kind = 'callback'
    where f.contract = 'current' or p.payment_method = 'qrcode'
    on conflict do nothing returning 1`;
}

/** The statement's further parts for events of any kind, and how many deliveries they made. */
export function outboxOf(event: string): { parts: string[]; count: string } {
  return {
    parts: [`told_webhooks as (${webhookDeliveries(event)})`, `told_callbacks as (${callbackDeliveries(event)})`],
    count: '((select count(*) from told_webhooks) + (select count(*) from told_callbacks))::int',
  };
}

/** A merchant's news: new events, and perhaps deliveries that are due. */
export type EventNews = { merchantId: string; hasDeliveries: boolean };

const listeners = new WeakMap<MikroORM, (news: EventNews) => void>();

/** One listener a node: told of every event that this node committed. */
export function onEvents(orm: MikroORM, listener: (news: EventNews) => void): void {
  listeners.set(orm, listener);
}

/** Tells of new events once they are committed, which is now outside of a transaction. */
export function announce({ orm, afterCommit }: Db, news: EventNews): void {
  const tell = () => listeners.get(orm)?.(news);
  if (afterCommit) afterCommit(tell);
  else tell();
}
