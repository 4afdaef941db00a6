// QR codes: made as JSON and as an image, scanned and paid, used up, withdrawn, over.
import { scanCode } from './payers.ts';
import { webframe } from './payments.ts';
import type { Tour } from './recorder.ts';

const PAYMENTS = '/api/payments';

const code = (reference: string, more: object = {}) =>
  webframe(reference, { metadata: { paymentMethod: 'qrcode', ...more } });

export async function walkQrCodes(tour: Tour): Promise<void> {
  const { call, made, app } = tour;
  const whole = { prefer: 'return=representation' };
  const wrong = { qrSize: 'HUGE', qrType: 'x', maxTransactions: 0, endDate: 'x' };
  await call('a code with many faults', `POST ${PAYMENTS}`, { body: code('CODE-0', wrong) });
  await call('a code that is over', `POST ${PAYMENTS}`, { body: code('CODE-0', { endDate: '2020-01-01T00:00:00Z' }) });
  await call('a code as an image', `POST ${PAYMENTS}`, { body: code('CODE-1', { qrSize: 'SMALL' }) });
  const headers = { ...whole, 'idempotency-key': 'code-1' };
  const twice = code('CODE-2', { maxTransactions: 2, qrType: 'DYNAMIC' });
  const { json } = await call('a code for two', `POST ${PAYMENTS}`, { body: twice, headers });
  await call('a code by the same key', `POST ${PAYMENTS}`, { body: twice, headers });
  made['code'] = json;
  await call('its image', `GET ${PAYMENTS}/${json.id}/qrcode`);
  await call('its image, of another', `GET ${PAYMENTS}/${json.id}/qrcode`, { token: await tour.strangerToken() });
  await scanCode(tour, json.qrCode.content);
  await call('a code that was paid once', `GET ${PAYMENTS}/${json.id}`);
  await scanCode(tour, json.qrCode.content);
  await call('a code that was paid twice', `GET ${PAYMENTS}/${json.id}`);
  await call('the code’s history', `GET ${PAYMENTS}/${json.id}/events`);
  await call('a code is synced', `POST ${PAYMENTS}/${json.id}/sync`, { headers: whole });
  await call('a code that was paid is canceled', `POST ${PAYMENTS}/${json.id}/cancel`);

  const free = await call('a code to be withdrawn', `POST ${PAYMENTS}`, { body: code('CODE-3'), headers: whole });
  await call('a code is withdrawn', `POST ${PAYMENTS}/${free.json.id}/cancel`);
  await call('a code that was withdrawn', `GET ${PAYMENTS}/${free.json.id}`);

  const endDate = new Date(app.clock.now().getTime() + 125_000).toISOString();
  const short = await call('a code for two minutes', `POST ${PAYMENTS}`, {
    body: code('CODE-4', { endDate }),
    headers: whole,
  });
  await tour.pass(130_000);
  await call('a code whose time is over', `GET ${PAYMENTS}/${short.json.id}`);
}
