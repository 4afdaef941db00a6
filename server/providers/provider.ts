// What every rail's client looks like from the inside: plain values in, plain outcomes out (law 4).
import type { FailureCode } from '../../shared/status.ts';

/** A push to be made: the rail shows it on the payer's phone. */
export type PurchaseOrder = {
  /** Ours, and the rail's idempotency key: the same id never charges twice. */
  attemptId: string;
  gpoMerchantId: string;
  gpoPosId: string;
  reference: string;
  /** E.164. */
  phone: string;
  amountMinor: number;
  currency: string;
  description: string | null;
};

/**
 * What the rail says of a purchase.
 * `pending`: it has it and is not done, or said something we do not know. `unknown`: we could not learn anything sure.
 * `not_found`: the rail itself says, to a query, that it never saw this attempt.
 */
export type PurchaseOutcome = {
  result: 'approved' | 'declined' | 'pending' | 'unknown' | 'not_found';
  /** Of a declined one, never null then. */
  failureCode: FailureCode | null;
  /** The rail's id of the money, of an approved one, never null then. */
  providerRef: string | null;
  /** What was really taken, as the rail says, which may not be what was asked; of an approved one, never null then. */
  amountMinor: number | null;
  currency: string | null;
  /** When the rail decided, by its clock. */
  occurredAt: Date | null;
  /** For people and receipts: `transactionNumber`, `clearingPeriod`, `terminalId`; `reason` why an outcome is unknown. */
  details: Record<string, string>;
};

/** A notification read; `notificationId` is the same when the rail repeats it. */
export type PurchaseNotification = { notificationId: string; attemptId: string; outcome: PurchaseOutcome };

/** A GPO rail. Neither call ever rejects because of the rail or the network. */
export type GpoRail = {
  /** Sends the push; may be repeated with the same order. */
  purchase(order: PurchaseOrder): Promise<PurchaseOutcome>;
  query(attemptId: string): Promise<PurchaseOutcome>;
};
