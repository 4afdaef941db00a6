// QR codes: the tour creates them as JSON and as an image, and payers scan one until it accepts no more payments.
import { scanCode } from './payers.ts';
import { webframe } from './payments.ts';
import type { Tour } from './recorder.ts';

const PAYMENTS = '/api/payments';

const code = (reference: string, more: object = {}) =>
  webframe(reference, { metadata: { paymentMethod: 'qrcode', ...more } });

export async function walkQrCodes(tour: Tour): Promise<void> {
  const { call } = tour;
  await call(`POST ${PAYMENTS}`, 200, { body: code('CODE-1', { qrSize: 'SMALL' }) });
  const twice = code('CODE-2', { maxTransactions: 2, qrType: 'DYNAMIC' });
  const { json } = await call(`POST ${PAYMENTS}`, 201, { body: twice, prefer: 'return=representation' });
  await call(`GET ${PAYMENTS}/${json.id}/qrcode`, 200);
  await scanCode(tour, json.qrCode.content);
  await scanCode(tour, json.qrCode.content);
}
