// Tokens of API clients: the tour requests and revokes them, and some requests are refused.
import type { Tour } from './recorder.ts';

const TOKEN = 'POST /oauth/token';
const DEMO = { client_id: 'demo', client_secret: 'demo-secret' };
const GRANT = { grant_type: 'client_credentials' };

export async function walkTokens(tour: Tour): Promise<void> {
  const { call } = tour;
  const open = { token: null };
  await call(TOKEN, 200, { ...open, body: { ...GRANT, ...DEMO } });
  const basic = { authorization: `Basic ${Buffer.from('demo:demo-secret').toString('base64')}` };
  const { json } = await call(TOKEN, 200, { ...open, body: GRANT, headers: basic });
  await call(TOKEN, 401, { ...open, body: { ...GRANT, ...DEMO, client_secret: 'wrong' } });
  await call(TOKEN, 400, { ...open, body: { ...GRANT, ...DEMO, scope: 'money' } });

  await call('GET /api/payments?pageSize=1', 200, { token: json.access_token });
  await call('POST /oauth/revoke', 200, { ...open, body: { token: json.access_token, ...DEMO } });
  // A node reads the list of revoked tokens again after a minute.
  await tour.pass(60_000);
  await call('GET /api/payments', 401, { token: json.access_token });
  await call('POST /oauth/revoke', 401, { ...open, body: { token: 'x' } });

  await call('GET /api/payments', 401, open);
  const narrow = await tour.app.token('demo', 'demo-secret', 'payments:read');
  await call('POST /api/payments', 403, { token: narrow, body: {} });
  await call('GET /api/profile', 403);
  await call('POST /api/payments', 400, { body: '{"amount":' });
  await call('POST /api/payments', 415, { body: 'x', headers: { 'content-type': 'text/plain' } });
}
