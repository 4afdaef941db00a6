// The sandbox's magic phones (decisions §10): what each does by itself.
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

/** Reasons that only the rail itself finds: what is asked for does not fit how its target stands. */
type RailReason =
  | 'VOIDED'
  | 'AUTHORIZATION_BUSY'
  | 'AUTHORIZATION_CLOSED'
  | 'AUTHORIZATION_NOT_APPROVED'
  | 'UNKNOWN_AUTHORIZATION'
  | 'AMOUNT_TOO_HIGH'
  | 'ALREADY_CAPTURED'
  | 'TRANSACTION_UNKNOWN';

/** How an order ends: approved, or declined for a reason. */
export type PhoneVerdict = 'APPROVED' | (typeof REASONS)[number] | RailReason;

/** What an order comes to by itself, and after how long. */
export type Plan = { verdict: PhoneVerdict; afterMs: number };

export type Script = {
  verdict?: PhoneVerdict;
  afterMs?: number;
  /** What goes wrong with every request, or with the notification. */
  requestFault?: FaultKind;
  notificationFault?: FaultKind;
};

const SCRIPTS = new Map<string, Script>([
  ['+244900000000', { verdict: 'APPROVED', afterMs: 1_000 }],
  ['+244900000001', { verdict: 'CUSTOMER_REFUSED', afterMs: 1_000 }],
  ['+244900000002', { verdict: 'INSUFFICIENT_FUNDS', afterMs: 1_000 }],
  // Nobody's hand: like any number that no person answers.
  ['+244900000003', {}],
  ['+244900000004', { requestFault: 'unavailable' }],
  ['+244900000005', { verdict: 'APPROVED', afterMs: 10_000 }],
  ['+244900000006', { verdict: 'APPROVED', afterMs: 1_000, notificationFault: 'duplicate' }],
  ['+244900000007', { verdict: 'APPROVED', afterMs: 1_000, notificationFault: 'drop' }],
  // Known before any push goes out: the answer to the request already says it.
  ['+244900000008', { verdict: 'NUMBER_NOT_ACTIVE', afterMs: 0 }],
]);

/** Of a refund nobody is asked: what its amount says becomes of it, in the manner of the phones. */
const REFUNDS = new Map<string, Script>([
  ['900.01', { verdict: 'ISSUER_REFUSED' }],
  ['900.02', { verdict: 'INSUFFICIENT_FUNDS' }],
  ['900.03', { afterMs: 86_400_000 }],
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

/** What a refund of so much comes to by itself, and after how long. */
export function planRefundDecision(amount: string): Plan {
  const { verdict = 'APPROVED', afterMs = 1_000 } = findRefundScript(amount);
  return { verdict, afterMs };
}

/** What becomes of a message by itself, and after how long; what becomes of it at once, the answer says. */
export type MessagePlan = {
  status: 'DELIVERED' | 'UNDELIVERED' | 'REJECTED';
  reason: string | null;
  afterMs: number;
};

const DELIVERED: MessagePlan = { status: 'DELIVERED', reason: null, afterMs: 1_000 };

/** Of the same phones; null: it stays sent, and nobody ever hears of it. */
const MESSAGES = new Map<string, MessagePlan | null>([
  ['+244900000001', { status: 'REJECTED', reason: 'BLOCKED', afterMs: 0 }],
  ['+244900000002', { status: 'UNDELIVERED', reason: 'UNDELIVERABLE', afterMs: 1_000 }],
  ['+244900000003', null],
  ['+244900000005', { ...DELIVERED, afterMs: 10_000 }],
  ['+244900000008', { status: 'UNDELIVERED', reason: 'NUMBER_NOT_ACTIVE', afterMs: 1_000 }],
]);

/** What becomes of a message to this phone. */
export function planMessage(phone: string): MessagePlan | null {
  const plan = MESSAGES.get(phone);
  return plan === undefined ? DELIVERED : plan;
}

/** Refused in the answer itself. */
export function decline(verdict: PhoneVerdict): Plan {
  return { verdict, afterMs: 0 };
}

/** A phone's script; empty when a person decides. */
export function findScript(phone: string): Script {
  return SCRIPTS.get(phone) ?? {};
}

/** What a push on this phone comes to by itself, and after how long: at the latest, it times out. */
export function planDecision(phone: string, windowMs: number): Plan {
  const { verdict, afterMs = 0 } = findScript(phone);
  return verdict && afterMs < windowMs ? { verdict, afterMs } : { verdict: 'TIMED_OUT', afterMs: windowMs };
}

/** A capture or void asks no payer: approved at once, or as late as its phone's script approves. */
export function planStep(phone: string): Plan {
  const { verdict, afterMs = 0 } = findScript(phone);
  return { verdict: 'APPROVED', afterMs: verdict === 'APPROVED' ? afterMs : 0 };
}

/** The scanner is the payer, there and agreeing, unless the script says otherwise; `900000003` never confirms. */
export function planScan(phone: string, windowMs: number): Plan {
  return SCRIPTS.has(phone) ? planDecision(phone, windowMs) : { verdict: 'APPROVED', afterMs: 0 };
}
