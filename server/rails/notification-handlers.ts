// Handlers for rail notifications, one for each kind of item. Features implement them; the inbox calls them. A rail may report only
// about orders that it was given.
import type { RailNews } from '../providers/connector.ts';

/**
 * The result of applying an item. `unmatched`: no such order yet; a notification may precede our commit, so it is applied again later.
 * `unknown_reference`: money for digits that were never ours.
 */
export type NotificationOutcome = 'applied' | 'unmatched' | 'unknown_reference' | 'unreadable';

type Kind = RailNews['about'];
type NotificationItem<K extends Kind = Kind> = Extract<RailNews, { about: K }>;
export type NotificationHandlers = {
  [K in Kind]: (rail: string, item: NotificationItem<K>) => Promise<NotificationOutcome>;
};

/** Applies an item by the handler of its kind. */
export function applyNotification(
  handlers: NotificationHandlers,
  rail: string,
  item: NotificationItem,
): Promise<NotificationOutcome> {
  const handle = handlers[item.about] as (rail: string, item: NotificationItem) => Promise<NotificationOutcome>;
  return handle(rail, item);
}

/** The outcome of an item about one of our rows, if it exists. */
export function outcomeOf(exists: boolean): NotificationOutcome {
  return exists ? 'applied' : 'unmatched';
}
