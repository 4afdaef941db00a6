// What settlements and movements are called, by the server and by whoever shows them.

/** `open`: not compared with the bank yet. */
export const SETTLEMENT_STATUSES = ['open', 'balanced', 'differs'] as const;
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number];

/** Money received, by what brought it; and given back, through the rail or by hand. */
export const RECEIVED_TYPES = ['payment', 'capture', 'scan', 'reference'] as const;
export const RETURNED_TYPES = ['refund', 'manual'] as const;
export const MOVEMENT_TYPES = [...RECEIVED_TYPES, ...RETURNED_TYPES] as const;
export type MovementType = (typeof MOVEMENT_TYPES)[number];
