// The statuses of payments, and the failure codes.

/** Payment statuses, in the order of a payment's life. */
export const PAYMENT_STATUSES = [
  'Pending',
  'Processing',
  'Authorized',
  'Captured',
  'Paid',
  'Failed',
  'Canceled',
  'Expired',
] as const;

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** Final payment statuses. Only late money changes them. */
const FINAL: ReadonlySet<PaymentStatus> = new Set(['Captured', 'Paid', 'Failed', 'Canceled', 'Expired']);

/** True if no further change of the payment's status is expected. Late money may still make the payment `Paid`. */
export function isFinal(status: PaymentStatus): boolean {
  return FINAL.has(status);
}

/** The kinds of money that need a person: another amount than requested, late money, money of a canceled payment. */
export const ATTENTION_FLAGS = ['overpaid', 'amount_mismatch', 'late_money', 'canceled_with_money'] as const;
export type AttentionFlag = (typeof ATTENTION_FLAGS)[number];

/** The reasons of a failed push or other order (`failure.code`). */
export const FAILURE_CODES = [
  'customer_refused',
  'insufficient_funds',
  'limit_exceeded',
  'number_not_active',
  'timed_out',
  'terminal_closed',
  'issuer_refused',
  'rail_unavailable',
  /** Failure code: the merchant's contract or terminal is not set up at its acquirer. The merchant must act. */
  'acquirer_setup',
] as const;

export type FailureCode = (typeof FAILURE_CODES)[number];

/** A short code of a failure, such as `E02`, which a payer of any language can read to the merchant's support. */
export const supportCodeOf = (code: FailureCode) => `E${String(FAILURE_CODES.indexOf(code) + 1).padStart(2, '0')}`;
