// The statuses of settlements and the types of movements, for the server and the console.

/**
 * `open`: the bank's credit is not recorded yet, so it cannot be compared with the expected amount.
 * `explained`: it differs, and a person explained exactly this difference.
 */
export const SETTLEMENT_STATUSES = ['open', 'balanced', 'differs', 'explained'] as const;
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number];

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
