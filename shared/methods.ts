// The payment types and methods by their names in the API, and the options of QR codes.

export const PAYMENT_TYPES = ['GPO', 'PPR'] as const;
export type PaymentType = (typeof PAYMENT_TYPES)[number];

/** The values of `metadata.paymentMethod`. The API treats an unknown value as `webframe`. */
export const GPO_METHODS = ['webframe', 'onetimepurchase', 'authorization', 'capture', 'qrcode'] as const;
export type GpoMethod = (typeof GPO_METHODS)[number];

/** The methods of payments, in the database and in API responses. */
export const PAYMENT_METHODS = [...GPO_METHODS, 'reference'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** Finds the payment method by its name and ignores case. A missing or unknown name is `webframe`. */
export function gpoMethodOf(name: unknown): GpoMethod {
  const wanted = typeof name === 'string' ? name.trim().toLowerCase() : '';
  return GPO_METHODS.find((method) => method === wanted) ?? 'webframe';
}

/** True for a name that is present and unknown. Its payment is a web frame. */
export function isUnknownMethod(name: unknown): boolean {
  const wanted = typeof name === 'string' ? name.trim().toLowerCase() : '';
  return wanted !== '' && !GPO_METHODS.some((method) => method === wanted);
}

/** Width and height of a QR code's image in pixels, by `metadata.qrSize`. */
export const QR_SIZES = { SMALL: 150, MEDIUM: 300, LARGE: 600, EXTRA_LARGE: 1200 } as const;
export type QrSize = keyof typeof QR_SIZES;

export const QR_TYPES = ['STATIC', 'DYNAMIC'] as const;
export type QrType = (typeof QR_TYPES)[number];
