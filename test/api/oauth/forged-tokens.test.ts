// Forged tokens: one route refuses many kinds of them, and every route refuses one kind.
import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { importJWK, SignJWT, type JWTPayload } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { needsToken, type Route } from '../../../server/http/route.ts';
import { SCOPES } from '../../../shared/scopes.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { addMember } from '../../support/members.ts';
import {
  bodyOf,
  DAYS,
  fill,
  guardedRoutes,
  KNOWN_BODIES,
  makeOneOfEach,
  nameOf,
  readKept,
  type OneOfEach,
} from '../../support/one-of-each.ts';
import { webframe } from '../../support/payments.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
let demo: OneOfEach;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  demo = await makeOneOfEach(app);
  shop = await app.addMerchant();
});

/** The gateway's private signing key, decrypted with SECRETS_KEYS. */
async function readSigningKey() {
  await app.token();
  const [row] = await app.sql('select kid, sealed_private_jwk from signing_keys where retired_at is null');
  const jwk = JSON.parse(app.node.core.keyring.open(row.sealed_private_jwk, 'signing-key'));
  return { kid: row.kid as string, key: await importJWK(jwk, 'ES256'), jwk };
}

type Forgery = { claims?: JWTPayload; header?: Record<string, unknown>; drop?: string };

/** Returns a token that is signed with the gateway's key and has the changed header and claims of a test. */
async function forge({ claims = {}, header = {}, drop = '' }: Forgery = {}): Promise<string> {
  const { kid, key } = await readSigningKey();
  const { publicUrl, clock } = app.node.core;
  const nowS = clock.now().getTime() / 1000;
  const about = { client_id: 'demo', merchant_id: '00000000-0000-7000-8000-00000000de30', sub: 'demo' };
  const granted = { jti: randomUUID(), scope: 'payments:read payments:write', iat: nowS, exp: nowS + 600 };
  const payload: JWTPayload = { iss: publicUrl, aud: `${publicUrl}/api`, ...about, ...granted, ...claims };
  delete payload[drop];
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header }).sign(key);
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function forgeUnsigned(alg: string): Promise<string> {
  const [header = '', payload] = (await forge()).split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
  return `${encode({ alg, typ: 'at+jwt', kid })}.${payload}.`;
}

/** RFC 8725 §2.1: an attacker uses the public key as the secret of an HMAC. */
async function forgeByConfusion(): Promise<string> {
  const { kid, jwk } = await readSigningKey();
  const { d: _, ...publicJwk } = jwk;
  const content = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${(await forge()).split('.')[1]}`;
  return `${content}.${createHmac('sha256', JSON.stringify(publicJwk)).update(content).digest('base64url')}`;
}

/** `brought` has extra header fields by which a token names its own key (RFC 8725 §3.5, RFC 7515 §4.1). */
async function forgeWithOwnKey(brought: (publicJwk: object) => Record<string, unknown> = () => ({})): Promise<string> {
  const { kid } = await readSigningKey();
  const [, payload = ''] = (await forge()).split('.');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const header = { alg: 'ES256', typ: 'at+jwt', kid, ...brought(publicKey.export({ format: 'jwk' })) };
  return new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
}

async function forgeTampered(): Promise<string> {
  const [header, payload = '', signature] = (await forge({ claims: { scope: 'payments:read' } })).split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return `${header}.${encode({ ...claims, scope: 'payments:read payments:write' })}.${signature}`;
}

const hour = 3600;
const WRONG_TOKENS: Record<string, () => Promise<string> | string> = {
  'no token at all': () => 'garbage',
  'three parts of nothing': () => 'a.b.c',
  'seven thousand characters': () => 'x'.repeat(7_000),
  'alg none': () => forgeUnsigned('none'),
  'alg None': () => forgeUnsigned('None'),
  'a signature left out': () => forgeUnsigned('ES256'),
  'HS256 with the public key': () => forgeByConfusion(),
  'a foreign key under our kid': () => forgeWithOwnKey(),
  'its own key in it': () => forgeWithOwnKey((jwk) => ({ jwk })),
  'its own key in it, under no kid': () => forgeWithOwnKey((jwk) => ({ jwk, kid: undefined })),
  'an address of its own keys': () => forgeWithOwnKey(() => ({ jku: `${app.url}/jwks.json`, x5u: `${app.url}/x5u` })),
  'a kid that is SQL': () => forge({ header: { kid: "' or '1'='1" } }),
  'a kid that is a path': () => forge({ header: { kid: '../../../../dev/null' } }),
  'changed claims': () => forgeTampered(),
  'an unknown kid': () => forge({ header: { kid: 'unknown' } }),
  'no kid': () => forge({ header: { kid: undefined } }),
  'typ JWT': () => forge({ header: { typ: 'JWT' } }),
  'no typ': () => forge({ header: { typ: undefined } }),
  'another issuer': () => forge({ claims: { iss: 'https://evil.example' } }),
  'another audience': () => forge({ claims: { aud: 'https://evil.example/api' } }),
  'our address without /api for audience': () => forge({ claims: { aud: app.node.core.publicUrl } }),
  'no audience': () => forge({ drop: 'aud' }),
  'no end': () => forge({ drop: 'exp' }),
  'no client': () => forge({ drop: 'client_id' }),
  'no merchant': () => forge({ drop: 'merchant_id' }),
  'no scope': () => forge({ drop: 'scope' }),
  'an unknown client': () => forge({ claims: { client_id: 'nobody' } }),
  'a client of another merchant': () => forge({ claims: { client_id: shop.clientId } }),
  'a start in the future': () => forge({ claims: { nbf: app.clock.now().getTime() / 1000 + hour } }),
  'an end that has come': () => forge({ claims: { exp: app.clock.now().getTime() / 1000 } }),
};

/** Sends a request that would succeed with a valid token of the demo merchant. */
async function send(route: Route, token: string | null): Promise<Reply> {
  const path = `${fill(route.path, demo.ids)}?${new URLSearchParams(DAYS[route.path])}`;
  const options = { method: route.method, ...bodyOf(route, demo.ids) };
  if (!route.isStream) return app.call(path, { ...options, token });
  // The response of a stream does not end, so the test reads only its headers.
  const hangUp = new AbortController();
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const response = await fetch(app.url + path, { headers, signal: hangUp.signal });
  const text = response.ok ? '' : await response.text();
  hangUp.abort();
  return { status: response.status, headers: response.headers, text, json: text && JSON.parse(text) };
}

/** Returns the status, the problem code and the WWW-Authenticate header of a refusal. */
const NO_TOKEN = [401, 'invalid_token', 'Bearer realm="balcao"'];
const WRONG_TOKEN = [401, 'invalid_token', 'Bearer realm="balcao", error="invalid_token"'];
const missing = (scope: string) => [
  403,
  'insufficient_scope',
  `Bearer realm="balcao", error="insufficient_scope", scope="${scope}"`,
];
const refusalOf = ({ status, json, headers }: Reply) => [status, json?.code, headers.get('www-authenticate')];

test('a token without changes from the forging function is accepted', async () => {
  expect((await app.call('/api/payments', { token: await forge() })).status).toBe(200);
  expect((await app.call('/api/payments', { body: webframe(), token: await forge() })).status).toBe(201);
});

describe('POST /api/payments', () => {
  const pay = (options: { token: string | null; headers?: Record<string, string> }) =>
    leavesNothing(app, () => app.call('/api/payments', { body: webframe(), ...options }));

  test('returns 401 without a token', async () => {
    expect(refusalOf(await pay({ token: null }))).toEqual(NO_TOKEN);
  });

  test.each(Object.entries(WRONG_TOKENS))('returns 401 for a token with %s', async (_name, write) => {
    expect(refusalOf(await pay({ token: await write() }))).toEqual(WRONG_TOKEN);
  });

  test.each([
    ['Basic credentials', () => `Basic ${btoa('demo:demo-secret')}`],
    ['a token without its scheme', () => app.token()],
    ['two tokens', async () => `Bearer ${await app.token()} ${await app.token()}`],
  ])('returns 401 for %s', async (_name, write) => {
    expect(refusalOf(await pay({ token: null, headers: { authorization: await write() } }))).toEqual(WRONG_TOKEN);
  });
});

describe('every guarded route', () => {
  test('needs a token, and only the six routes for new people are not guarded', () => {
    const open = app.node.app.routes.filter(({ path, access }) => /^\/(api|v1)\//.test(path) && !needsToken(access));
    expect(open.map(nameOf).toSorted()).toEqual([
      'POST /api/auth/accept-invitation',
      'POST /api/auth/recover',
      'POST /api/auth/register',
      'POST /api/auth/reset',
      'POST /api/auth/verify-email',
      'POST /api/auth/verify-email/resend',
    ]);
    expect(guardedRoutes(app).length).toBeGreaterThan(90);
  });

  test('refuses a request without a token and with a forged token, and changes nothing', async () => {
    const before = await readKept(app);
    const [forged, seen, expected]: [string, unknown[], unknown[]] = [await forgeTampered(), [], []];
    for (const route of guardedRoutes(app)) {
      seen.push([nameOf(route), refusalOf(await send(route, null)), refusalOf(await send(route, forged))]);
      expected.push([nameOf(route), NO_TOKEN, WRONG_TOKEN]);
    }
    expect(seen).toEqual(expected);
    expect(await readKept(app)).toEqual(before);
  });

  test('names the missing scope for a token that has all other scopes, and changes nothing', async () => {
    const before = await readKept(app);
    const withoutRole = await (await addMember(app)).token();
    const kept = await readKept(app);
    const [seen, expected]: [unknown[], unknown[]] = [[], []];
    for (const route of guardedRoutes(app)) {
      if (route.access.kind !== 'bearer') continue;
      const { scope } = route.access;
      const others = SCOPES.filter((name) => name !== scope).join(' ');
      for (const token of [await app.token('demo', 'demo-secret', others), withoutRole]) {
        const reply = await send(route, token);
        seen.push([nameOf(route), refusalOf(reply)]);
        expected.push([nameOf(route), missing(scope)]);
      }
    }
    expect(seen).toEqual(expected);
    expect(await readKept(app)).toEqual(kept);
    expect(kept.length).toBe(before.length + 2);
  });

  test('for people refuses the token of an API client', async () => {
    const before = await readKept(app);
    const routes = guardedRoutes(app).filter(({ access }) => access.kind === 'user');
    expect(routes.length).toBeGreaterThan(5);
    for (const route of routes) {
      const { status, json } = await send(route, await app.token());
      expect([nameOf(route), status, json.code]).toEqual([nameOf(route), 403, 'user_required']);
    }
    expect(await readKept(app)).toEqual(before);
  });

  // This test is the last, because each operation succeeds and changes data.
  test('accepts a token that has only the scope of the route', async () => {
    const routes = guardedRoutes(app).filter(({ access }) => access.kind === 'bearer');
    const unknown = routes.filter(({ body }) => body).map(({ operationId }) => operationId);
    expect(unknown.filter((name) => !KNOWN_BODIES.includes(name))).toEqual([]);
    const failed: Record<string, string> = {};
    // PUT before GET, and DELETE last, so that each operation finds its object.
    const order = ['PUT', 'GET', 'POST', 'DELETE'];
    const rank = ({ method }: Route) => order.indexOf(method);
    for (const route of routes.toSorted((a, b) => rank(a) - rank(b) || b.path.localeCompare(a.path))) {
      const token = await app.token('demo', 'demo-secret', route.access.kind === 'bearer' ? route.access.scope : '');
      const { status, json } = await send(route, token);
      if (status >= 300) failed[nameOf(route)] = `${status} ${json.code}`;
    }
    expect(failed).toEqual({
      // These routes accept the token, but the state of the object or the caller's rights refuse the request.
      'GET /api/payments/{paymentId}/qrcode': '404 not_found',
      'GET /api/shifts': '403 user_required',
      'GET /api/shifts/current': '403 user_required',
      'GET /api/shifts/{shiftId}': '403 user_required',
      'POST /api/shifts': '403 user_required',
      'POST /api/shifts/{shiftId}/cash': '403 user_required',
      'POST /api/shifts/{shiftId}/close': '403 user_required',
      'POST /api/payments/{internalPaymentId}/cancel': '409 payment_replaced',
      'POST /api/payments/{paymentId}/receipt': '409 receipt_unavailable',
      'POST /api/payments/{internalPaymentId}/refunds': '409 payment_not_paid',
      'POST /api/payments/{internalPaymentId}/resolve': '409 nothing_to_resolve',
      'POST /api/refunds/{refundId}/cancel': '409 refund_not_cancelable',
      'POST /api/merchants/{merchantId}/users': '403 role_not_grantable',
      'DELETE /api/merchants/{merchantId}/users/{userId}': '403 role_not_grantable',
      'POST /api/merchants/{merchantId}/clients/{clientId}/rotate-secret': '403 client_not_grantable',
      'DELETE /api/merchants/{merchantId}/clients/{clientId}': '403 client_not_grantable',
    });
  });
});
