// What a rail's own books look like from the inside, as provider.ts says it of payments.
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
};

/**
 * A page of what a rail took and gave back; `next` is where to go on, null after the last one. `unlisted`: the rail itself says
 * that it has no such period. `unknown`: nothing was learned. `unreadable`: entries that nobody can read, as JSON.
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
  /** Everything of one clearing period, of every merchant of the account. @param after `next` of the page before; null for the first */
  listMovements(asked: { period: string }, after: string | null): Promise<StatementPage>;
  /** Whether the rail has this money, where its list may leave some out. Null: it has not. */
  findMovement?(providerRef: string): Promise<StatementEntry | 'unknown' | null>;
};
