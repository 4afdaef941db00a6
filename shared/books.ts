// The statuses of settlements and the types of movements, for the server and the console.

/** `open`: the bank's credit is not recorded yet, so it cannot be compared with the expected amount. */
export const SETTLEMENT_STATUSES = ['open', 'balanced', 'differs'] as const;
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number];

/** Types of received money: a payment, a capture, a scan of a QR code, or a payment by reference. */
export const RECEIVED_TYPES = ['payment', 'capture', 'scan', 'reference'] as const;
/** Types of refunded money: a refund through the rail, or one that people made by hand. */
export const REFUNDED_TYPES = ['refund', 'manual'] as const;
export const MOVEMENT_TYPES = [...RECEIVED_TYPES, ...REFUNDED_TYPES] as const;
export type MovementType = (typeof MOVEMENT_TYPES)[number];
