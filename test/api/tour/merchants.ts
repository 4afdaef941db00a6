// Merchants and their API clients: the tour creates, reads and changes them, and adds a second merchant.
import { DEMO } from '../../../sandbox/seed.ts';
import { operateJson } from '../../support/cli.ts';
import type { Tour } from './recorder.ts';

export const MERCHANT = `/api/merchants/${DEMO.merchantId}`;

const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export async function walkMerchant(tour: Tour): Promise<void> {
  const { call, made } = tour;
  await makeStranger(tour);
  const stranger = `/api/merchants/${made['stranger'].merchantId}`;
  await call(`GET ${MERCHANT}`, 200);
  await call(`GET ${stranger}`, 404);
  await call(`GET ${MERCHANT}/payment-methods`, 200);
  await call(`GET ${stranger}/payment-methods`, 404);
  const settings = {
    name: 'Loja da Ilha',
    brandColor: '#F5B301',
    brandLogo: LOGO,
    allowedOrigins: ['https://loja.example'],
    returnOrigins: ['https://loja.example'],
  };
  const key = 'settings-1';
  await call(`PUT ${MERCHANT}`, 200, { body: settings, key });
  await call(`PUT ${MERCHANT}`, 422, { body: { name: 'X' }, key });
  await call(`PUT ${MERCHANT}`, 400, {
    body: { name: '', brandColor: 'red', brandLogo: 'data:', allowedOrigins: ['x'], defaultLanguage: 'xx' },
  });
  await call(`PUT ${stranger}`, 404, { body: { name: 'X' } });
  await call('GET /api/roles', 200);
}

/** Creates the second merchant. The operator assigns the merchant's ids, and the merchant has an API client. */
async function makeStranger(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const { access_token: token } = made['ana'];
  await call('POST /api/merchants', 400, { token, body: { name: '', defaultLanguage: 'xx' } });
  const { json } = await call('POST /api/merchants', 201, { token, body: { name: 'Outra Loja' } });
  const own = { grant_type: 'password', client_id: 'web', username: 'ana@exemplo.ao', merchant_id: json.merchant.id };
  const signedIn = await call('POST /oauth/token', 200, {
    token: null,
    body: { ...own, password: 'mulemba kitanda roxo 57' },
  });
  const path = `/api/merchants/${own.merchant_id}`;
  const client = await call(`POST ${path}/clients`, 201, { token: signedIn.json.access_token, body: { name: 'ERP' } });
  const numbers = '--entity 00888 --gpo-pos-ids other-pos --gpo-merchant-ids other-merchant --yes';
  await operateJson(tour.app, 'merchant', 'set', own.merchant_id, ...numbers.split(' '));
  await tour.pass();
  made['stranger'] = { merchantId: own.merchant_id, ownerToken: signedIn.json.access_token, ...client.json };
}

export async function walkClients(tour: Tour): Promise<void> {
  const { call } = tour;
  const clients = `${MERCHANT}/clients`;
  await call(`POST ${clients}`, 400, { body: { name: '', scopes: ['money'] } });
  const made = await call(`POST ${clients}`, 201, { body: { name: 'Caixa', scopes: ['payments:read'] } });
  const { clientId, clientSecret } = made.json;
  await call(`GET ${clients}?pageSize=10`, 200);
  const rotated = await call(`POST ${clients}/${clientId}/rotate-secret`, 200, { body: { overlapHours: 1 } });
  await call(`POST ${clients}/${clientId}/rotate-secret`, 400, { body: { overlapHours: 999 } });
  const grant = { grant_type: 'client_credentials', client_id: clientId };
  await call('POST /oauth/token', 200, { token: null, body: { ...grant, client_secret: clientSecret } });
  const fresh = await call('POST /oauth/token', 200, {
    token: null,
    body: { ...grant, client_secret: rotated.json.clientSecret },
  });
  await call(`GET ${clients}`, 403, { token: fresh.json.access_token });
  await call(`DELETE ${clients}/${clientId}`, 204);
  await call(`DELETE ${clients}/${clientId}`, 404);
  await call(`POST ${clients}/nothing/rotate-secret`, 404, { body: {} });
}
