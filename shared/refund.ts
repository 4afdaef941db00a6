// Refunds: their statuses, the refunded extent of a payment, and their clearing period.
import { periodOf } from './clearing.ts';

/** Statuses of refunds, in the order of a refund's life. */
export const REFUND_STATUSES = ['Pending', 'Processing', 'Succeeded', 'Failed', 'Canceled'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** `rail`: the rail that took the money sends it back. `manual`: people did it (transfer, cash) and recorded it. */
export const REFUND_METHODS = ['rail', 'manual'] as const;
export type RefundMethod = (typeof REFUND_METHODS)[number];

/** A rail account's ability: no refunds, only whole amounts, or any part. */
export const REFUND_ABILITIES = ['none', 'whole', 'part'] as const;
export type RefundAbility = (typeof REFUND_ABILITIES)[number];

export const REFUND_EXTENTS = ['none', 'partial', 'full'] as const;
/** How much of a payment's money was given back. */
export type RefundExtent = (typeof REFUND_EXTENTS)[number];

/** @param paidMinor, refundedMinor minor units of one currency */
export function refundExtentOf(paidMinor: number, refundedMinor: number): RefundExtent {
  if (refundedMinor === 0) return 'none';
  return refundedMinor < paidMinor ? 'partial' : 'full';
}

/**
 * The clearing period of a successful refund.
 * A manual refund does not change the bank's credit, so it belongs to the period of the refunded transaction.
 */
export function periodOfRefund(
  { method, details, completedAt }: { method: RefundMethod; details: Record<string, string>; completedAt: Date },
  transaction: { period: string },
): string {
  return method === 'manual' ? transaction.period : periodOf(details, completedAt);
}
