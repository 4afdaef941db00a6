// What a rail's own books look like from the inside, as provider.ts says it of payments.
import type { OursKept } from './provider.ts';

/** What was ordered, where the rail tells it with the money: enough to know a purchase again that nobody here knows any more. */
export type ListedOrder = {
  gpoMerchantId: string | null;
  gpoPosId: string | null;
  reference: string;
  phone: string | null;
  amountMinor: number;
  currency: string;
  /** As it was sent with the order, where it was. */
  ours: OursKept | null;
};

/** One movement of money as a rail's own books have it. */
export type StatementEntry = {
  kind: 'payment' | 'refund';
  /** Ours, where the rail tells it: the attempt (of a scan the one that made the code), or the reference's id. */
  ownId: string | null;
  /** Ours, where the rail knows an attempt by another name (`Connector.keyOf`). */
  railKey: string | null;
  /** The rail's id of the money. */
  providerRef: string;
  amountMinor: number;
  currency: string;
  occurredAt: Date | null;
  /** As the rail says it; null where it says none, and the books have it in the one where its time put it. */
  period: string | null;
  /** Of a purchase. */
  order?: ListedOrder;
};

/** Of which money a rail is asked: of one clearing period, or all that was taken from a moment on. */
export type StatementAsked = { period: string } | { since: Date };

/**
 * A page of what a rail took and gave back; `next` is where to go on, null after the last one. `unlisted`: the rail itself says
 * that it has no such period, or cannot list what was asked. `unknown`: nothing was learned. `unreadable`: entries that nobody can read, as JSON.
 */
export type StatementPage = {
  result: 'told' | 'unlisted' | 'unknown';
  movements: StatementEntry[];
  unreadable: string[];
  next: string | null;
};

/** A rail that lists its books. No call ever rejects because of the rail or the network. */
export type StatementRail = {
  /** Whether what was given back is listed too. */
  listsRefunds: boolean;
  /** Everything that was asked, of every merchant of the account. @param after `next` of the page before; null for the first */
  listMovements(asked: StatementAsked, after: string | null): Promise<StatementPage>;
  /** Whether the rail has this money, where its list may leave some out. Null: it has not. */
  findMovement?(providerRef: string): Promise<StatementEntry | 'unknown' | null>;
};
