// The sample payment, as a request and as database rows, so that the floors write the same data as the gateway.
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { writeHttp } from './http.ts';

/** The amount of the sample payment, in kwanzas. */
export const SAMPLE_AMOUNT = 15_250.5;
const DESCRIPTION = 'Encomenda 20418: 2 kg de café de Amboim, 1 pano samakaka';
const CUSTOM = { orderId: '20418', cart: [{ sku: 'cafe-amboim', quantity: 2 }], channel: 'loja' };

export const WEBFRAME = { paymentMethod: 'webframe', expiresInMinutes: 1440 };
export const PUSH = { paymentMethod: 'onetimepurchase', phoneNumber: '923000001' };
export const QRCODE = { paymentMethod: 'qrcode', maxTransactions: 10_000 };

/** The next number of a sample. It starts from the process id, so that two processes use different numbers. */
let nextNth = process.pid * 1e6;

/** Returns a new reference of at most 15 characters. */
export function nextReference(): string {
  return `B${(nextNth++).toString(36).toUpperCase()}`;
}

/** Writes the body of a payment's creation. `metadata` names the payment method. */
export function writeBody(reference: string, metadata: object): string {
  const sale = { amount: SAMPLE_AMOUNT, currency: 'AOA', paymentType: 'GPO', reference, description: DESCRIPTION };
  return JSON.stringify({ ...sale, metadata: { ...metadata, custom: CUSTOM } });
}

export type Access = { url: string; token: string };

/** Writes the bytes of a creation request with a new `Idempotency-Key`. */
export function writeCreation({ url, token }: Access, reference: string, metadata: object): string {
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() };
  return writeHttp('POST', new URL('/api/payments', url), headers, writeBody(reference, metadata));
}

export const PAYMENT_COLUMNS =
  'id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision, ' +
  'description, custom_metadata, gpo_merchant_id, gpo_pos_id, attempts_made, created_at, expires_at, due_at';
export const EVENT_COLUMNS = 'id, merchant_id, payment_id, type, status, occurred_at, details';
export const KEY_COLUMNS = 'merchant_id, key, fingerprint, status, payment_id, created_at';

export type SampleRows = { id: string; payment: unknown[]; event: unknown[]; key: unknown[] };

/** The three database rows of one creation, in their real size. */
export function writeRows(merchantId: string): SampleRows {
  const id = uuid();
  const now = new Date();
  const expiresAt = new Date(now.getTime() + 1440 * 60_000);
  return {
    id,
    // prettier-ignore
    payment: [
      id, merchantId, nextReference(), SAMPLE_AMOUNT * 100, 'AOA', 'GPO', 'webframe', 'Pending', 1,
      DESCRIPTION, JSON.stringify(CUSTOM), 'demo-merchant', 'demo-pos', 0, now, expiresAt, expiresAt,
    ],
    event: [uuid(), merchantId, id, 'payment.created', 'Pending', now, '{}'],
    key: [merchantId, randomUUID(), 'x'.repeat(43), 201, id, now],
  };
}
