/** The payment methods that a web frame's page can offer: a push to a phone, a QR code, a payment reference. */
export const WAYS = ['push', 'qrcode', 'reference'] as const;

export type Way = (typeof WAYS)[number];
