// The statuses of settlements and the types of movements, for the server and the console.

/**
 * `open`: the bank's credit is not recorded yet, so it cannot be compared with the expected amount.
 * `explained`: it differs, and a person explained exactly this difference.
 */
export const SETTLEMENT_STATUSES = ['open', 'balanced', 'differs', 'explained'] as const;
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number];

/**
 * The statuses of a clearing day, by the first of these rules that one of its settlements fulfils:
 * - `differs`: its difference has no explanation.
 * - `open`: its period is not closed.
 * - `waiting`: it has no credit.
 * - `explained`: its difference has an explanation.
 * - `balanced`: all settlements are balanced.
 */
export const DAY_STATUSES = ['differs', 'open', 'waiting', 'explained', 'balanced'] as const;
export type DayStatus = (typeof DAY_STATUSES)[number];

type ListedStatus = { status: SettlementStatus; closedAt?: Date | string | null | undefined };

/** Returns the status of a day from its settlements, or of one settlement, by the rules of `DAY_STATUSES`. */
export function dayStatusOf(settlements: readonly ListedStatus[]): DayStatus {
  const has = (check: (one: ListedStatus) => boolean) => settlements.some(check);
  if (has(({ status }) => status === 'differs')) return 'differs';
  if (has(({ closedAt }) => !closedAt)) return 'open';
  if (has(({ status }) => status === 'open')) return 'waiting';
  return has(({ status }) => status === 'explained') ? 'explained' : 'balanced';
}

/** The kinds of a settlement's entries: money that the bank credited, or a fee that it kept. */
export const ENTRY_KINDS = ['credit', 'fee'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The reasons why a difference needs no further work. A bank's fee is not a reason: it is entered as a fee. */
export const EXPLANATION_REASONS = ['next_period', 'refund', 'rail', 'bank', 'other'] as const;
export type ExplanationReason = (typeof EXPLANATION_REASONS)[number];

/** Types of received money: a payment, a capture, a scan of a QR code, or a payment by reference. */
export const RECEIVED_TYPES = ['payment', 'capture', 'scan', 'reference'] as const;
/** Types of refunded money: a refund through the rail, or one that people made by hand. */
export const REFUNDED_TYPES = ['refund', 'manual'] as const;
export const MOVEMENT_TYPES = [...RECEIVED_TYPES, ...REFUNDED_TYPES] as const;
export type MovementType = (typeof MOVEMENT_TYPES)[number];
