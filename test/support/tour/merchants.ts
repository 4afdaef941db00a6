// Merchants and their clients: made, read, changed, with secrets that rotate; and what belongs to somebody else.
import { DEMO } from '../../../sandbox/seed.ts';
import { operateJson } from '../operator.ts';
import type { Tour } from './recorder.ts';

export const MERCHANT = `/api/merchants/${DEMO.merchantId}`;

const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export async function walkMerchant(tour: Tour): Promise<void> {
  const { call, made } = tour;
  await makeStranger(tour);
  const stranger = `/api/merchants/${made['stranger'].merchantId}`;
  await call('the merchant', `GET ${MERCHANT}`);
  await call('another’s merchant', `GET ${stranger}`);
  const settings = {
    name: 'Loja da Ilha',
    brandColor: '#F5B301',
    brandLogo: LOGO,
    allowedOrigins: ['https://loja.example'],
    returnOrigins: ['https://loja.example'],
  };
  const keyed = { 'idempotency-key': 'settings-1' };
  await call('the merchant is changed', `PUT ${MERCHANT}`, { body: settings, headers: keyed });
  await call('the merchant is changed again', `PUT ${MERCHANT}`, { body: settings, headers: keyed });
  await call('the merchant’s key with another body', `PUT ${MERCHANT}`, { body: { name: 'X' }, headers: keyed });
  await call('the merchant with faults', `PUT ${MERCHANT}`, {
    body: { name: '', brandColor: 'red', brandLogo: 'data:', allowedOrigins: ['x'], defaultLanguage: 'xx' },
  });
  await call('another’s merchant is changed', `PUT ${stranger}`, { body: { name: 'X' } });
  await call('the roles', 'GET /api/roles');
}

/** The second merchant: made by a person, assigned by the operator, with a client of its own. */
async function makeStranger(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const { access_token: token } = made['ana'];
  await call('a merchant with faults', 'POST /api/merchants', { token, body: { name: '', defaultLanguage: 'xx' } });
  const { json } = await call('a merchant is made', 'POST /api/merchants', { token, body: { name: 'Outra Loja' } });
  const own = { grant_type: 'password', client_id: 'web', username: 'ana@exemplo.ao', merchant_id: json.merchant.id };
  const signedIn = await call('its owner signs in for it', 'POST /oauth/token', {
    token: null,
    body: { ...own, password: 'mulemba kitanda roxo 57' },
  });
  const path = `/api/merchants/${own.merchant_id}`;
  const client = await call('its first client', `POST ${path}/clients`, {
    token: signedIn.json.access_token,
    body: { name: 'ERP' },
  });
  await operateJson(
    tour.app,
    'merchant',
    'set',
    own.merchant_id,
    '--entity',
    '00888',
    '--gpo-pos-ids',
    'other-pos',
    '--gpo-merchant-ids',
    'other-merchant',
    '--yes',
  );
  await tour.pass();
  made['stranger'] = { merchantId: own.merchant_id, ownerToken: signedIn.json.access_token, ...client.json };
}

export async function walkClients(tour: Tour): Promise<void> {
  const { call } = tour;
  const clients = `${MERCHANT}/clients`;
  await call('a client with faults', `POST ${clients}`, { body: { name: '', scopes: ['money'] } });
  const made = await call('a client is made', `POST ${clients}`, {
    body: { name: 'Caixa', scopes: ['payments:read'] },
  });
  const { clientId, clientSecret } = made.json;
  await call('the clients', `GET ${clients}?pageSize=10`);
  const rotated = await call('its secret rotates', `POST ${clients}/${clientId}/rotate-secret`, {
    body: { overlapHours: 1 },
  });
  await call('its secret with a fault', `POST ${clients}/${clientId}/rotate-secret`, { body: { overlapHours: 999 } });
  const grant = { grant_type: 'client_credentials', client_id: clientId };
  await call('its old secret is accepted still', 'POST /oauth/token', {
    token: null,
    body: { ...grant, client_secret: clientSecret },
  });
  const fresh = await call('its new secret is accepted', 'POST /oauth/token', {
    token: null,
    body: { ...grant, client_secret: rotated.json.clientSecret },
  });
  await call('what it may not', `GET ${clients}`, { token: fresh.json.access_token });
  await call('the client is revoked', `DELETE ${clients}/${clientId}`, { headers: { 'idempotency-key': 'client-1' } });
  await call('the client is revoked by the same key', `DELETE ${clients}/${clientId}`, {
    headers: { 'idempotency-key': 'client-1' },
  });
  await call('the client is revoked again', `DELETE ${clients}/${clientId}`);
  await call('a client that is none', `POST ${clients}/nothing/rotate-secret`, { body: {} });
  await call('the clients after', `GET ${clients}`);
}
