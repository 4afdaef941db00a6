// The sandbox's magic phone numbers and refund amounts, each with its scripted outcome.
import { DAY_MS } from '../../shared/durations.ts';
import type { FaultKind } from './fault-kinds.ts';

export const REASONS = [
  'CUSTOMER_REFUSED',
  'INSUFFICIENT_FUNDS',
  'LIMIT_EXCEEDED',
  'NUMBER_NOT_ACTIVE',
  'TIMED_OUT',
  'TERMINAL_CLOSED',
  'ISSUER_REFUSED',
] as const;

/** Reasons of a decline that depend on the target: the request does not fit the target's status. */
type RailReason =
  | 'VOIDED'
  | 'AUTHORIZATION_BUSY'
  | 'AUTHORIZATION_CLOSED'
  | 'AUTHORIZATION_NOT_APPROVED'
  | 'UNKNOWN_AUTHORIZATION'
  | 'AMOUNT_TOO_HIGH'
  | 'ALREADY_CAPTURED'
  | 'TRANSACTION_UNKNOWN';

/** The verdict of an order: approved, or declined with a reason. */
export type PhoneVerdict = 'APPROVED' | (typeof REASONS)[number] | RailReason;

/** The planned verdict of an order, and the delay before the verdict. */
export type Plan = { verdict: PhoneVerdict; afterMs: number };

export type Script = {
  verdict?: PhoneVerdict;
  afterMs?: number;
  /** The fault of every request about a phone, or of the notification. */
  requestFault?: FaultKind;
  notificationFault?: FaultKind;
};

const SCRIPTS = new Map<string, Script>([
  ['+244900000000', { verdict: 'APPROVED', afterMs: 1_000 }],
  ['+244900000001', { verdict: 'CUSTOMER_REFUSED', afterMs: 1_000 }],
  ['+244900000002', { verdict: 'INSUFFICIENT_FUNDS', afterMs: 1_000 }],
  // No verdict arrives, as for any number without a person, so the push times out.
  ['+244900000003', {}],
  ['+244900000004', { requestFault: 'unavailable' }],
  ['+244900000005', { verdict: 'APPROVED', afterMs: 10_000 }],
  ['+244900000006', { verdict: 'APPROVED', afterMs: 1_000, notificationFault: 'duplicate' }],
  ['+244900000007', { verdict: 'APPROVED', afterMs: 1_000, notificationFault: 'drop' }],
  // The rail knows this verdict before it sends a push, so the answer to the request contains the verdict.
  ['+244900000008', { verdict: 'NUMBER_NOT_ACTIVE', afterMs: 0 }],
]);

/** Scripts of refunds by amount. No person approves a refund, so the amount selects the script instead of a phone. */
const REFUNDS = new Map<string, Script>([
  ['900.01', { verdict: 'ISSUER_REFUSED' }],
  ['900.02', { verdict: 'INSUFFICIENT_FUNDS' }],
  ['900.03', { afterMs: DAY_MS }],
  ['900.04', { requestFault: 'unavailable' }],
  ['900.05', { afterMs: 10_000 }],
  ['900.06', { notificationFault: 'duplicate' }],
  ['900.07', { notificationFault: 'drop' }],
  ['900.08', { verdict: 'INSUFFICIENT_FUNDS', afterMs: 0 }],
]);

/** Finds the script of a refund by its amount. Most amounts have an empty script. */
export function findRefundScript(amount: string): Script {
  return REFUNDS.get(amount) ?? {};
}

/** Plans the verdict of a refund by its amount, with the delay. */
export function planRefundDecision(amount: string): Plan {
  const { verdict = 'APPROVED', afterMs = 1_000 } = findRefundScript(amount);
  return { verdict, afterMs };
}

/** The final status of an SMS and its delay. Without a delay, the answer to the request contains the status. */
export type MessagePlan = {
  status: 'DELIVERED' | 'UNDELIVERED' | 'REJECTED';
  reason: string | null;
  afterMs: number;
};

const DELIVERED: MessagePlan = { status: 'DELIVERED', reason: null, afterMs: 1_000 };

/** Scripts of SMS by phone. Null: the SMS stays sent, without a delivery report. */
const MESSAGES = new Map<string, MessagePlan | null>([
  ['+244900000001', { status: 'REJECTED', reason: 'BLOCKED', afterMs: 0 }],
  ['+244900000002', { status: 'UNDELIVERED', reason: 'UNDELIVERABLE', afterMs: 1_000 }],
  ['+244900000003', null],
  ['+244900000005', { ...DELIVERED, afterMs: 10_000 }],
  ['+244900000008', { status: 'UNDELIVERED', reason: 'NUMBER_NOT_ACTIVE', afterMs: 1_000 }],
]);

/** Plans the final status of an SMS to this phone. */
export function planMessage(phone: string): MessagePlan | null {
  const plan = MESSAGES.get(phone);
  return plan === undefined ? DELIVERED : plan;
}

/** A decline without delay, so that the answer to the request contains the decline. */
export function planDecline(verdict: PhoneVerdict): Plan {
  return { verdict, afterMs: 0 };
}

/** Finds the script of a phone. Empty if a person decides. */
export function findScript(phone: string): Script {
  return SCRIPTS.get(phone) ?? {};
}

/** Plans the verdict of a push on this phone: the verdict of its script, or a timeout after the window. */
export function planDecision(phone: string, windowMs: number): Plan {
  const { verdict, afterMs = 0 } = findScript(phone);
  return verdict && afterMs < windowMs ? { verdict, afterMs } : { verdict: 'TIMED_OUT', afterMs: windowMs };
}

/** Plans a capture or void. It needs no payer: approved immediately, or after the delay of its phone's approval. */
export function planStep(phone: string): Plan {
  const { verdict, afterMs = 0 } = findScript(phone);
  return { verdict: 'APPROVED', afterMs: verdict === 'APPROVED' ? afterMs : 0 };
}

/** Plans a scan. It is approved immediately unless the phone has a script. `900000003` does not confirm. */
export function planScan(phone: string, windowMs: number): Plan {
  return SCRIPTS.has(phone) ? planDecision(phone, windowMs) : { verdict: 'APPROVED', afterMs: 0 };
}
