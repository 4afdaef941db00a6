// One payment as the bench creates it, by request and by row: the floors write what the gateway writes.

/** The body of a creation; `nth` makes the reference. */
export function writeRequest(nth: number): string {
  return JSON.stringify({
    amount: 15_250.5,
    currency: 'AOA',
    paymentType: 'GPO',
    reference: referenceOf(nth),
    description: DESCRIPTION,
    metadata: { paymentMethod: 'webframe', expiresInMinutes: 1440, custom: CUSTOM },
  });
}

/** The body of a creation by any other method, of the same sale; `nth` makes the reference. */
export function writeMethodRequest(nth: number, metadata: object): string {
  const sale = { amount: 15_250.5, currency: 'AOA', paymentType: 'GPO', reference: referenceOf(nth) };
  return JSON.stringify({ ...sale, description: DESCRIPTION, metadata: { ...metadata, custom: CUSTOM } });
}

/** Not over in this run, and at most 15 characters. */
export function referenceOf(nth: number): string {
  return `B${nth.toString(36).toUpperCase()}`;
}

const DESCRIPTION = 'Encomenda 20418: 2 kg de café de Amboim, 1 pano samakaka';
const CUSTOM = { orderId: '20418', cart: [{ sku: 'cafe-amboim', quantity: 2 }], channel: 'loja' };

export type SampleRow = {
  payment: unknown[];
  event: unknown[];
  key: unknown[];
};

export const PAYMENT_COLUMNS =
  'id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision, description, custom_metadata, gpo_merchant_id, gpo_pos_id, attempts_made, created_at, expires_at, due_at';
export const EVENT_COLUMNS = 'id, merchant_id, payment_id, type, status, occurred_at, details';
export const KEY_COLUMNS = 'merchant_id, key, fingerprint, status, payment_id, created_at';

export type RowPlaces = { id: string; eventId: string; key: string; merchantId: string; nth: number };

/** The three rows of one creation, of their real size. */
export function writeRows({ id, eventId, key, merchantId, nth }: RowPlaces): SampleRow {
  const now = new Date();
  const expiresAt = new Date(now.getTime() + 1440 * 60_000);
  return {
    // prettier-ignore
    payment: [
      id, merchantId, referenceOf(nth), 1_525_050, 'AOA', 'GPO', 'webframe', 'Pending', 1,
      DESCRIPTION, JSON.stringify(CUSTOM), 'demo-merchant', 'demo-pos', 0, now, expiresAt, expiresAt,
    ],
    event: [eventId, merchantId, id, 'payment.created', 'Pending', now, '{}'],
    key: [merchantId, key, FINGERPRINT, 201, id, now],
  };
}

const FINGERPRINT = 'x'.repeat(43);
