// Whom an event is told to: deliveries, written by the statement that writes the event, so that neither is ever without the other.
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Db } from '../database/rows.ts';
import { notificationsOf, usageOf } from './notices.ts';

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
 * "Events"); that of the legacy contract is not. Without an endpoint it is kept, to be replayed. @param lease SQL of a
 * moment: until then this node makes the first attempt, right after the commit, where nothing speaks against it: the
 * endpoint works, and no earlier delivery of the payment waits for its own first attempt. Null: whoever claims it.
 */
function callbackDeliveries(event: string, lease: string): string {
  return `insert into deliveries (id, merchant_id, endpoint_id, kind, type, payment_id, transaction_id, status, due_at, created_at,
      attempts, claimed_at, leased_until)
    select gen_random_uuid(), e.merchant_id, n.id, 'callback', case when f.id is null then 'callback.qrcode' else 'callback.ppr' end,
      e.payment_id, t.id, case when n.id is null then 'Skipped' else 'Pending' end,
      case when n.id is not null then e.occurred_at end, e.occurred_at,
      case when first.is_ours then 1 else 0 end, case when first.is_ours then e.occurred_at end,
      case when first.is_ours then ${lease} end
    from ${event} e join transactions t on t.id = (e.details ->> 'transactionId')::uuid
      join payments p on p.id = t.payment_id
      left join payment_references f on f.payment_id = p.id
      left join endpoints n on n.merchant_id = e.merchant_id and n.deleted_at is null and n.kind = 'callback'
      cross join lateral (select ${lease} is not null and n.failures = 0 and n.probe_at is null and (
        select true from deliveries b where b.endpoint_id = n.id and b.payment_id = e.payment_id
          and b.first_tried_at is null and b.due_at is not null limit 1) is null as is_ours) first
    where f.contract = 'current' or p.payment_method = 'qrcode'
    on conflict do nothing returning *`;
}

/** What the statement's author knows of the event: parts that would find nothing to write are left out, as each costs time. */
export type Leaves = { money: boolean; notice: boolean };

/** The statement's further parts for an event: webhooks; of money its callback and usage, notifications where it may leave some. */
export function outboxOf(event: string, lease: string, { money, notice }: Leaves): string[] {
  return [
    `told_webhooks as (${webhookDeliveries(event)})`,
    ...(money ? [`told_callbacks as (${callbackDeliveries(event, lease)})`, `used as (${usageOf(event)})`] : []),
    ...(notice ? [`told_people as (${notificationsOf(event)})`] : []),
  ];
}

/** What an attempt needs to know, of the delivery `d` and its endpoint `n`. */
export const DELIVERY_COLUMNS = `d.id, d.merchant_id, d.kind, d.type, d.payment_id, d.event_seq::float8, d.attempts, d.tries,
  d.tries_since, d.created_at, d.endpoint_id, n.kind as endpoint_kind, n.url, n.access_key, n.secrets, n.failures`;

/** The money that a callback tells of, by its transaction. */
export const FIND_MONEY = `select t.id as money_id, t.provider_ref, t.amount_minor::float8, t.currency, t.occurred_at,
  t.details, p.reference
  from transactions t join payments p on p.id = t.payment_id where t.id =`;

/** What a statement with `outboxOf` answers: whether deliveries are due, and what this node must send, whole. */
export function madeOf({ money }: Leaves): string {
  return money ? MADE_OF_MONEY : `exists (select from told_webhooks) as due, '[]'::json as leased`;
}

const MADE_OF_MONEY = `
  exists (select from told_webhooks) or exists (select from told_callbacks where leased_until is null) as due,
  coalesce((select json_agg(row_to_json(ours)) from (
    select ${DELIVERY_COLUMNS}, m.* from told_callbacks d join endpoints n on n.id = d.endpoint_id
    left join lateral (${FIND_MONEY} d.transaction_id limit 1) m on true where d.leased_until is not null) ours), '[]') as leased`;

export type Made = { due: boolean; leased: object[] };

/** A merchant's news: new events, perhaps deliveries that are due, and those that this node must send now. */
export type EventNews = { merchantId: string } & Made;

/** The part of a node that sends. */
export type Sender = {
  /** Until when a delivery to this merchant would be this node's, made now; null: it has enough to do. */
  leaseUntil(merchantId: string): Date | null;
  /** Told of every event that this node committed. */
  hear(news: EventNews): void;
};

const senders = new WeakMap<MikroORM, Sender>();

/** One sender a node. */
export function onEvents(orm: MikroORM, sender: Sender): void {
  senders.set(orm, sender);
}

export function leaseUntil(orm: MikroORM, merchantId: string): Date | null {
  return senders.get(orm)?.leaseUntil(merchantId) ?? null;
}

/** Tells of new events once they are committed, which is now outside of a transaction. */
export function announce({ orm, afterCommit }: Db, news: EventNews): void {
  const tell = () => senders.get(orm)?.hear(news);
  if (afterCommit) afterCommit(tell);
  else tell();
}
