// The states a payment can be in, and what may be said of each without knowing the method.

/** Payment statuses (decisions §3), in the order of a payment's life. */
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

/** Statuses a payment leaves only through late money. */
const FINAL: ReadonlySet<PaymentStatus> = new Set(['Captured', 'Paid', 'Failed', 'Canceled', 'Expired']);

/** True when nothing more is expected to happen (money that arrives late may still turn it into `Paid`). */
export function isFinal(status: PaymentStatus): boolean {
  return FINAL.has(status);
}

/** Flags of a payment whose money differs from the request. */
export const ATTENTION_FLAGS = ['overpaid', 'amount_mismatch'] as const;
export type AttentionFlag = (typeof ATTENTION_FLAGS)[number];

/** Why a push did not become money (decisions §3, `failure.code`). */
export const FAILURE_CODES = [
  'customer_refused',
  'insufficient_funds',
  'limit_exceeded',
  'number_not_active',
  'timed_out',
  'terminal_closed',
  'issuer_refused',
  'rail_unavailable',
  /** The merchant's contract or terminal is not set up at its acquirer: only the merchant can mend that. */
  'acquirer_setup',
] as const;

export type FailureCode = (typeof FAILURE_CODES)[number];
