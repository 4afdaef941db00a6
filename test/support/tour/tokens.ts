// Tokens of clients: issued in every way, refused in the usual ones, and revoked.
import type { Tour } from './recorder.ts';

const TOKEN = 'POST /oauth/token';
const DEMO = { client_id: 'demo', client_secret: 'demo-secret' };
const GRANT = { grant_type: 'client_credentials' };

export async function walkTokens(tour: Tour): Promise<void> {
  const { call } = tour;
  const open = { token: null };
  await call('a token by JSON', TOKEN, { ...open, body: { ...GRANT, ...DEMO } });
  await call('a token by a form', TOKEN, { ...open, form: { ...GRANT, ...DEMO, scope: 'payments:read' } });
  const basic = { authorization: `Basic ${Buffer.from('demo:demo-secret').toString('base64')}` };
  const { json } = await call('a token by Basic', TOKEN, { ...open, body: GRANT, headers: basic });
  const [header, claims] = String(json.access_token)
    .split('.')
    .map((part, nth) => nth < 2 && JSON.parse(Buffer.from(part, 'base64url').toString()));
  tour.keep('what the token says', { header, claims });
  await call('a token for a wrong secret', TOKEN, { ...open, body: { ...GRANT, ...DEMO, client_secret: 'wrong' } });
  await call('a token of a scope that is none', TOKEN, { ...open, body: { ...GRANT, ...DEMO, scope: 'money' } });
  await call('a token by a grant that is none', TOKEN, { ...open, body: { grant_type: 'magic', ...DEMO } });
  await call('a token for nothing', TOKEN, { ...open, body: {} });

  await call('a revoked token: before', 'GET /api/payments?pageSize=1', { token: json.access_token });
  await call('a token is revoked', 'POST /oauth/revoke', { ...open, body: { token: json.access_token, ...DEMO } });
  // A node asks again after a while which tokens were revoked.
  await tour.pass(60_000);
  await call('a revoked token: after', 'GET /api/payments', { token: json.access_token });
  await call('a revocation by nobody', 'POST /oauth/revoke', { ...open, body: { token: 'x' } });

  await call('without a token', 'GET /api/payments', open);
  await call('with a token that is none', 'GET /api/payments', { token: 'nothing' });
  const narrow = await tour.app.token('demo', 'demo-secret', 'payments:read');
  await call('with a token that may not', 'POST /api/payments', { token: narrow, body: {} });
  await call('as a client where a person is needed', 'GET /api/profile');
  await call('a body that is no JSON', 'POST /api/payments', { body: '{"amount":' });
  await call('a body of another type', 'POST /api/payments', { body: 'x', headers: { 'content-type': 'text/plain' } });
}
