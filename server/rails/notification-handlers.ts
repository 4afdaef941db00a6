// The handlers of rail notifications, one for each kind of item. Features implement them, and the inbox calls them.
// A rail may only report orders that we sent to it.
import type { NotificationItem } from '../providers/connector.ts';

/**
 * The outcome of applying one item of a rail notification.
 * - `applied`: the node has recorded the item of the notification.
 * - `unmatched`: no order of ours matches. A notification may precede our commit, so the inbox retries later.
 * - `unknown_reference`: a payment to digits that were never ours.
 * - `unreadable`: the message has no readable item.
 */
export type NotificationOutcome = 'applied' | 'unmatched' | 'unknown_reference' | 'unreadable';

type Kind = NotificationItem['about'];
type ItemOf<K extends Kind = Kind> = Extract<NotificationItem, { about: K }>;
export type NotificationHandlers = {
  [K in Kind]: (rail: string, item: ItemOf<K>) => Promise<NotificationOutcome>;
};

/** Applies an item of a rail notification by the handler of its kind. */
export function applyNotification(
  handlers: NotificationHandlers,
  rail: string,
  item: ItemOf,
): Promise<NotificationOutcome> {
  const handle = handlers[item.about] as (rail: string, item: ItemOf) => Promise<NotificationOutcome>;
  return handle(rail, item);
}

/** Returns the outcome of an item: `applied` if our database has its order, else `unmatched`. */
export function outcomeOf(exists: boolean): NotificationOutcome {
  return exists ? 'applied' : 'unmatched';
}
