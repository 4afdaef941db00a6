// The interface of a rail's statement, the rail's own list of payments and refunds, for reconciliation.
import type { OrderMetadata } from './provider.ts';

/** The order of a listed payment. With it, the operator can recover a payment that our database lost. */
export type ListedOrder = {
  gpoMerchantId: string | null;
  gpoPosId: string | null;
  reference: string;
  phone: string | null;
  amountMinor: number;
  currency: string;
  /** Our ids, if they were sent with the order. */
  ours: OrderMetadata | null;
};

/** One payment or refund in a rail's statement. */
export type StatementEntry = {
  kind: 'payment' | 'refund';
  /** Our id, if the rail lists it: the attempt's (for a scan, of the code's attempt) or the reference's. */
  ownId: string | null;
  /** The rail's name for our attempt, if the rail cannot use our id (`Connector.keyOf`). */
  railKey: string | null;
  /** The rail's id of the transaction. */
  providerRef: string;
  amountMinor: number;
  currency: string;
  occurredAt: Date | null;
  /** The clearing period that the rail lists. If it is null, reconciliation uses the period of `occurredAt`. */
  period: string | null;
  /** The order of a purchase, if the rail lists it. */
  order?: ListedOrder;
};

/** The range of a statement: one clearing period, or everything since a time. */
export type StatementRange = { period: string } | { since: Date };

/** A page of a rail's statement. */
export type StatementPage = {
  /**
   * - `told`: the page has the rail's entries.
   * - `unlisted`: the rail has no such period, or it cannot list the requested range.
   * - `unknown`: the call failed or its answer proves nothing.
   */
  result: 'told' | 'unlisted' | 'unknown';
  movements: StatementEntry[];
  /** Entries without a readable movement, as JSON. */
  unreadable: string[];
  /** The cursor of the next page; null after the last page. */
  next: string | null;
};

/** A rail with a statement. The promises never reject because of the rail or the network. */
export type StatementRail = {
  /** True if the statement has refunds too. */
  listsRefunds: boolean;
  /** Lists the range for all merchants of the account. @param after `next` of the previous page; null for the first */
  listMovements(range: StatementRange, after: string | null): Promise<StatementPage>;
  /** Finds one transaction, for rails whose list may be incomplete. Null: the rail does not have it. */
  findMovement?(providerRef: string): Promise<StatementEntry | 'unknown' | null>;
};
