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

/** Reasons that only the rail finds, because the request does not fit its target's status. */
type RailReason =
  | 'VOIDED'
  | 'AUTHORIZATION_BUSY'
  | 'AUTHORIZATION_CLOSED'
  | 'AUTHORIZATION_NOT_APPROVED'
  | 'UNKNOWN_AUTHORIZATION'
  | 'AMOUNT_TOO_HIGH'
  | 'ALREADY_CAPTURED'
  | 'TRANSACTION_UNKNOWN';

/** The end of an order: approved, or declined for a reason. */
export type PhoneVerdict = 'APPROVED' | (typeof REASONS)[number] | RailReason;

/** An order's planned verdict, and the delay before it. */
export type Plan = { verdict: PhoneVerdict; afterMs: number };

export type Script = {
  verdict?: PhoneVerdict;
  afterMs?: number;
  /** The fault of every request, or of the notification. */
  requestFault?: FaultKind;
  notificationFault?: FaultKind;
};

const SCRIPTS = new Map<string, Script>([
  ['+244900000000', { verdict: 'APPROVED', afterMs: 1_000 }],
  ['+244900000001', { verdict: 'CUSTOMER_REFUSED', afterMs: 1_000 }],
  ['+244900000002', { verdict: 'INSUFFICIENT_FUNDS', afterMs: 1_000 }],
  // No answer arrives, like any number that no person answers. The push times out.
  ['+244900000003', {}],
  ['+244900000004', { requestFault: 'unavailable' }],
  ['+244900000005', { verdict: 'APPROVED', afterMs: 10_000 }],
  ['+244900000006', { verdict: 'APPROVED', afterMs: 1_000, notificationFault: 'duplicate' }],
  ['+244900000007', { verdict: 'APPROVED', afterMs: 1_000, notificationFault: 'drop' }],
  // The rail knows this before it sends a push, so the request's answer has the verdict.
  ['+244900000008', { verdict: 'NUMBER_NOT_ACTIVE', afterMs: 0 }],
]);

/** No person approves a refund, so its amount selects the script, as phone numbers do for pushes. */
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

/** A refund's script; empty for most amounts. */
export function findRefundScript(amount: string): Script {
  return REFUNDS.get(amount) ?? {};
}

/** The planned verdict of a refund by its amount, and its delay. */
export function planRefundDecision(amount: string): Plan {
  const { verdict = 'APPROVED', afterMs = 1_000 } = findRefundScript(amount);
  return { verdict, afterMs };
}

/** A message's final status and its delay. Without a delay, the request's answer has the status. */
export type MessagePlan = {
  status: 'DELIVERED' | 'UNDELIVERED' | 'REJECTED';
  reason: string | null;
  afterMs: number;
};

const DELIVERED: MessagePlan = { status: 'DELIVERED', reason: null, afterMs: 1_000 };

/** Scripts of messages by phone. Null: the message stays sent, without a report. */
const MESSAGES = new Map<string, MessagePlan | null>([
  ['+244900000001', { status: 'REJECTED', reason: 'BLOCKED', afterMs: 0 }],
  ['+244900000002', { status: 'UNDELIVERED', reason: 'UNDELIVERABLE', afterMs: 1_000 }],
  ['+244900000003', null],
  ['+244900000005', { ...DELIVERED, afterMs: 10_000 }],
  ['+244900000008', { status: 'UNDELIVERED', reason: 'NUMBER_NOT_ACTIVE', afterMs: 1_000 }],
]);

/** The plan of a message to this phone. */
export function planMessage(phone: string): MessagePlan | null {
  const plan = MESSAGES.get(phone);
  return plan === undefined ? DELIVERED : plan;
}

/** A refusal without delay, so that the request's answer has it. */
export function decline(verdict: PhoneVerdict): Plan {
  return { verdict, afterMs: 0 };
}

/** A phone's script; empty if a person decides. */
export function findScript(phone: string): Script {
  return SCRIPTS.get(phone) ?? {};
}

/** The planned verdict of a push on this phone: its script's, or a timeout after the window. */
export function planDecision(phone: string, windowMs: number): Plan {
  const { verdict, afterMs = 0 } = findScript(phone);
  return verdict && afterMs < windowMs ? { verdict, afterMs } : { verdict: 'TIMED_OUT', afterMs: windowMs };
}

/** A capture or void needs no payer: approved at once, or with the delay of its phone's approval. */
export function planStep(phone: string): Plan {
  const { verdict, afterMs = 0 } = findScript(phone);
  return { verdict: 'APPROVED', afterMs: verdict === 'APPROVED' ? afterMs : 0 };
}

/** The payer scans in person, so a scan is approved at once unless a script exists. `900000003` never confirms. */
export function planScan(phone: string, windowMs: number): Plan {
  return SCRIPTS.has(phone) ? planDecision(phone, windowMs) : { verdict: 'APPROVED', afterMs: 0 };
}
