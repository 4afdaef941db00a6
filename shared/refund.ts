// Refunds: their statuses, the refunded share of a payment, and their clearing period.
import { periodOf } from './clearing.ts';

/** Statuses of refunds, in the order of a refund's life. */
export const REFUND_STATUSES = ['Pending', 'Processing', 'Succeeded', 'Failed', 'Canceled'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** `rail`: the rail that took the money refunds it. `manual`: people refunded it (transfer, cash) and recorded it. */
export const REFUND_METHODS = ['rail', 'manual'] as const;
export type RefundMethod = (typeof REFUND_METHODS)[number];

/** The refunds that a rail account supports: no refund, only whole amounts, or any part. */
export const REFUND_ABILITIES = ['none', 'whole', 'part'] as const;
export type RefundAbility = (typeof REFUND_ABILITIES)[number];

export const REFUND_EXTENTS = ['none', 'partial', 'full'] as const;
/** The refunded share of a payment's money: nothing, a part, or everything. */
export type RefundExtent = (typeof REFUND_EXTENTS)[number];

/** @param paidMinor, refundedMinor amounts in minor units of the same currency */
export function refundExtentOf(paidMinor: number, refundedMinor: number): RefundExtent {
  if (refundedMinor === 0) return 'none';
  return refundedMinor < paidMinor ? 'partial' : 'full';
}

/**
 * Returns the clearing period of a successful refund.
 * A manual refund does not change the bank's credit, so it belongs to the period of the refunded transaction.
 */
export function periodOfRefund(
  { method, details, completedAt }: { method: RefundMethod; details: Record<string, string>; completedAt: Date },
  transaction: { period: string },
): string {
  return method === 'manual' ? transaction.period : periodOf(details, completedAt);
}
