// The states of money given back, what a payment has of it, and its clearing period.
import { periodOf } from './clearing.ts';

/** In the order of a refund's life. */
export const REFUND_STATUSES = ['Pending', 'Processing', 'Succeeded', 'Failed', 'Canceled'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** `rail`: by whoever took the money. `manual`: outside of it (a transfer, cash), and recorded here. */
export const REFUND_METHODS = ['rail', 'manual'] as const;
export type RefundMethod = (typeof REFUND_METHODS)[number];

/** Whether an account refunds nothing, whole amounts alone, or any part. */
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
 * The clearing period of a refund that succeeded. One by hand never changes what the bank credits: it is told beside the money
 * that it gives back. @param transaction what it is of
 */
export function periodOfRefund(
  { method, details, completedAt }: { method: RefundMethod; details: Record<string, string>; completedAt: Date },
  transaction: { period: string },
): string {
  return method === 'manual' ? transaction.period : periodOf(details, completedAt);
}
