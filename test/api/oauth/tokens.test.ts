// POST /oauth/token for API clients (RFC 6749).
import { beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../../shared/scopes.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  app = await startTestApp();
  shop = await app.addMerchant({ scopes: ['payments:read', 'payments:write'] });
});

type Fields = Record<string, string>;
const GRANT = { grant_type: 'client_credentials' };
const DEMO = { client_id: 'demo', client_secret: 'demo-secret' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const FORM_LATIN = { 'content-type': 'application/x-www-form-urlencoded; charset=iso-8859-1' };
const MULTIPART = '--x\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\nclient_credentials\r\n--x--\r\n';

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const post = (body: unknown, headers: Fields = {}): Promise<Reply> =>
  app.call('/oauth/token', { method: 'POST', body, headers, token: null });
const asForm = (fields: Fields, headers: Fields = {}) =>
  post(new URLSearchParams(fields).toString(), { ...FORM, ...headers });

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());

describe('POST /oauth/token', () => {
  test.each<[string, () => Promise<Reply>]>([
    ['a form, credentials inside', () => asForm({ ...GRANT, ...DEMO })],
    ['a form, Basic', () => asForm(GRANT, { authorization: basic('demo', 'demo-secret') })],
    ['JSON, credentials inside', () => post({ ...GRANT, ...DEMO })],
    ['JSON, Basic', () => post(GRANT, { authorization: basic('demo', 'demo-secret') })],
    [
      'Basic in small letters',
      () => asForm(GRANT, { authorization: basic('demo', 'demo-secret').replace('Basic', 'basic') }),
    ],
    [
      'Basic, form-encoded inside (RFC 6749 §2.3.1)',
      () => asForm(GRANT, { authorization: basic('d%65mo', 'demo%2Dsecret') }),
    ],
    [
      'Basic with the id repeated in the body',
      () => asForm({ ...GRANT, client_id: 'demo' }, { authorization: basic('demo', 'demo-secret') }),
    ],
    ['an empty scope', () => asForm({ ...GRANT, ...DEMO, scope: '' })],
    ['unknown parameters', () => asForm({ ...GRANT, ...DEMO, colour: 'blue' })],
  ])('issues a token for %s', async (_name, send) => {
    const reply = await send();
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: SCOPES.join(' '),
      merchant_id: '00000000-0000-7000-8000-00000000de30',
    });
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('pragma')).toBe('no-cache');
    expect((await app.call('/api/payments', { token: reply.json.access_token })).status).toBe(200);
  });

  test('issues an access token with the token claims of RFC 9068', async () => {
    const { access_token } = (await asForm({ ...GRANT, client_id: shop.clientId, client_secret: shop.secret })).json;
    const { publicUrl } = app.node.core;
    const issuedAtS = app.clock.now().getTime() / 1000;
    expect(headerOf(access_token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(claimsOf(access_token)).toEqual({
      iss: publicUrl,
      aud: `${publicUrl}/api`,
      sub: shop.clientId,
      client_id: shop.clientId,
      merchant_id: shop.merchantId,
      scope: 'payments:read payments:write',
      iat: issuedAtS,
      exp: issuedAtS + 3600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });
});

describe('the scope of an access token', () => {
  test.each([
    ['payments:read', 'payments:read'],
    ['payments:write payments:read', 'payments:write payments:read'],
    ['  payments:read  ', 'payments:read'],
    ['payments:read merchant:write', 'payments:read'],
  ])('for the requested scope %j is %j', async (scope, given) => {
    const reply = await asForm({ ...GRANT, client_id: shop.clientId, client_secret: shop.secret, scope });
    expect(reply.json.scope).toBe(given);
    expect(claimsOf(reply.json.access_token).scope).toBe(given);
  });

  test.each(['merchant:write', 'payments:everything', 'payments:read payments:everything', 'PAYMENTS:READ', '*'])(
    'is refused for the requested scope %j',
    async (scope) => {
      const reply = await asForm({ ...GRANT, client_id: shop.clientId, client_secret: shop.secret, scope });
      expect(reply.status).toBe(400);
      expect(reply.json.error).toBe('invalid_scope');
      expect(reply.json.access_token).toBeUndefined();
    },
  );
});

const wrongClient = [401, 'invalid_client'] as const;
const wrongRequest = [400, 'invalid_request'] as const;

describe('an invalid token request', () => {
  test.each<[string, () => Promise<Reply>, number, string]>([
    ['wrong secret', () => asForm({ ...GRANT, client_id: 'demo', client_secret: 'x' }), ...wrongClient],
    ['wrong secret by Basic', () => asForm(GRANT, { authorization: basic('demo', 'x') }), ...wrongClient],
    ['unknown client', () => asForm({ ...GRANT, client_id: 'nobody', client_secret: 'x' }), ...wrongClient],
    [
      'another client’s secret',
      () => asForm({ ...GRANT, client_id: shop.clientId, client_secret: 'demo-secret' }),
      ...wrongClient,
    ],
    ['no credentials', () => asForm(GRANT), ...wrongClient],
    ['no secret', () => asForm({ ...GRANT, client_id: 'demo' }), ...wrongClient],
    ['Basic that is no base64', () => asForm(GRANT, { authorization: 'Basic ???' }), ...wrongClient],
    ['Basic without a colon', () => asForm(GRANT, { authorization: `Basic ${btoa('demo')}` }), ...wrongClient],
    ['Basic with a NUL', () => asForm(GRANT, { authorization: basic('de\0mo', 'x') }), ...wrongClient],
    ['Basic with an encoded NUL', () => asForm(GRANT, { authorization: basic('de%00mo', 'x%00') }), ...wrongClient],
    ['a bearer token for credentials', () => asForm(GRANT, { authorization: 'Bearer x' }), ...wrongClient],
    [
      'two ways to authenticate',
      () => asForm({ ...GRANT, ...DEMO }, { authorization: basic('demo', 'demo-secret') }),
      ...wrongRequest,
    ],
    ['no grant_type', () => asForm(DEMO), ...wrongRequest],
    ['nothing', () => asForm({}), ...wrongRequest],
    ['no body', () => app.call('/oauth/token', { method: 'POST', token: null }), ...wrongRequest],
    [
      'a parameter twice',
      () => post('grant_type=client_credentials&client_id=demo&client_id=x&client_secret=y', FORM),
      ...wrongRequest,
    ],
    ['a number for a secret', () => post({ ...GRANT, client_id: 'demo', client_secret: 1 }), ...wrongRequest],
    ['a list', () => post([GRANT]), ...wrongRequest],
    ['malformed JSON', () => post('{"grant_type"'), ...wrongRequest],
    [
      'a NUL in a form',
      () => post('grant_type=client_credentials&client_id=a%00&client_secret=b', FORM),
      ...wrongRequest,
    ],
    [
      'a NUL in JSON',
      () => post('{"grant_type":"client_credentials","client_id":"a\\u0000","client_secret":"b"}'),
      ...wrongRequest,
    ],
    ['fields behind __proto__', () => post(`{"__proto__":${JSON.stringify({ ...GRANT, ...DEMO })}}`), ...wrongRequest],
    [
      'the password grant of an unknown person',
      () => asForm({ ...DEMO, grant_type: 'password', username: 'a', password: 'b' }),
      400,
      'invalid_grant',
    ],
    [
      'the password grant without a password',
      () => asForm({ ...DEMO, grant_type: 'password', username: 'a' }),
      ...wrongRequest,
    ],
    ['authorization_code', () => asForm({ ...DEMO, grant_type: 'authorization_code' }), 400, 'unsupported_grant_type'],
    ['plain text', () => post('grant_type=client_credentials', { 'content-type': 'text/plain' }), ...wrongRequest],
    ['multipart', () => post(MULTIPART, { 'content-type': 'multipart/form-data; boundary=x' }), ...wrongRequest],
    ['a compressed form', () => post('grant_type=x', { ...FORM, 'content-encoding': 'gzip' }), ...wrongRequest],
    ['a form in Latin 1', () => post('grant_type=x', FORM_LATIN), ...wrongRequest],
    ['a body of 2 MB', () => asForm({ ...GRANT, ...DEMO, x: 'x'.repeat(2_000_000) }), 413, 'invalid_request'],
  ])('is refused: %s', async (_name, send, status, error) => {
    const reply = await send();
    expect(reply.status).toBe(status);
    expect(reply.json).toEqual({ error, error_description: expect.stringMatching(/\S/) });
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(reply.headers.get('www-authenticate')).toBe(status === 401 ? 'Basic realm="balcao"' : null);
  });
});

test('the secrets of clients are stored only as hashes', async () => {
  const rows = await app.sql('select * from clients');
  expect(rows.length).toBeGreaterThan(1);
  expect(JSON.stringify(rows)).not.toContain(shop.secret);
  expect(JSON.stringify(rows)).not.toContain('demo-secret');
});

test('the authorization server metadata lists endpoints, grants and scopes (RFC 8414)', async () => {
  const { status, json } = await app.call('/.well-known/oauth-authorization-server', { token: null });
  expect(status).toBe(200);
  const { publicUrl } = app.node.core;
  expect(json).toMatchObject({
    issuer: publicUrl,
    token_endpoint: `${publicUrl}/oauth/token`,
    jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    grant_types_supported: [
      'client_credentials',
      'password',
      'refresh_token',
      'urn:balcao:params:oauth:grant-type:mfa-otp',
    ],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    scopes_supported: SCOPES,
  });
});
