// The ways to pay that a hosted page can offer.

/** By the payer's phone; by a code that another screen shows or an app opens; by entity and reference. */
export const WAYS = ['push', 'qrcode', 'reference'] as const;

export type Way = (typeof WAYS)[number];
