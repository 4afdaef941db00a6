// The payment types and methods by their wire names (decisions §3), and the options of QR codes.

export const PAYMENT_TYPES = ['GPO', 'PPR'] as const;
export type PaymentType = (typeof PAYMENT_TYPES)[number];

/** Every `metadata.paymentMethod` there is (decisions §3); an unrecognized one means `webframe`. */
export const GPO_METHODS = ['webframe', 'onetimepurchase', 'authorization', 'capture', 'qrcode'] as const;
export type GpoMethod = (typeof GPO_METHODS)[number];

/** A payment's method as stored and answered. */
export type PaymentMethod = GpoMethod | 'reference';

/** The wire name matched case-insensitively; omitted or unrecognized is `webframe` (decisions §3). */
export function gpoMethodOf(name: unknown): GpoMethod {
  const wanted = typeof name === 'string' ? name.trim().toLowerCase() : '';
  return GPO_METHODS.find((method) => method === wanted) ?? 'webframe';
}

/** Edge of a QR code's image in pixels, by `metadata.qrSize` (decisions §3). */
export const QR_SIZES = { SMALL: 150, MEDIUM: 300, LARGE: 600, EXTRA_LARGE: 1200 } as const;
export type QrSize = keyof typeof QR_SIZES;

export const QR_TYPES = ['STATIC', 'DYNAMIC'] as const;
export type QrType = (typeof QR_TYPES)[number];
