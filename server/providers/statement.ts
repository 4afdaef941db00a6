// The interface of a rail's statement: the rail's own list of payments and refunds, for reconciliation.
import type { OrderMetadata } from './provider.ts';

/** The order of a listed payment. The operator uses it to recover a payment that our database has lost. */
export type ListedOrder = {
  gpoMerchantId: string | null;
  gpoPosId: string | null;
  reference: string;
  phone: string | null;
  amountMinor: number;
  currency: string;
  /** `ours`: our ids, if they were sent with the order. */
  ours: OrderMetadata | null;
};

/** One payment or refund in a rail's statement. */
export type StatementEntry = {
  kind: 'payment' | 'refund';
  /** Our id of the attempt or the reference, if the rail lists it. For a scan, the attempt of its QR code. */
  ownId: string | null;
  /** The rail's name of our attempt, if the rail cannot use our id (`Connector.keyOf`). */
  railKey: string | null;
  /** `providerRef`: the rail's id of the listed transaction. */
  providerRef: string;
  amountMinor: number;
  currency: string;
  occurredAt: Date | null;
  /** `period`: the clearing period in the rail's list. If null, reconciliation uses the period of `occurredAt`. */
  period: string | null;
  /** `order`: the order of a purchase, if the rail lists it. */
  order?: ListedOrder;
};

/** The range of a statement: one clearing period, or all entries since a time. */
export type StatementRange = { period: string } | { since: Date };

/** A page of a rail's statement. */
export type StatementPage = {
  /**
   * - `told`: the page has the rail's entries.
   * - `unlisted`: the rail has no such clearing period, or it cannot list the requested range.
   * - `unknown`: the call failed or its answer proves nothing.
   */
  result: 'told' | 'unlisted' | 'unknown';
  movements: StatementEntry[];
  /** `unreadable`: entries of the statement without a readable payment or refund, as JSON. */
  unreadable: string[];
  /** The cursor of the statement's next page. Null after the last page. */
  next: string | null;
};

/** The client of a rail's statement. Its promises never reject because of the rail or the network. */
export type StatementRail = {
  /** `listsRefunds`: true if the statement has refunds too. */
  listsRefunds: boolean;
  /** Lists the statement for all merchants of the account. @param after `next` of the previous page, or null */
  listMovements(range: StatementRange, after: string | null): Promise<StatementPage>;
  /** Finds a transaction of the rail, if the rail's list may be incomplete. Null: the rail does not have it. */
  findMovement?(providerRef: string): Promise<StatementEntry | 'unknown' | null>;
};
