// Who may call: every bearer endpoint against every kind of wrong token, missing scopes, and other merchants' payments.
import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { importJWK, SignJWT, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peopleRoutes } from '../../server/accounts/people-routes.ts';
import { billingRoutes } from '../../server/billing/routes.ts';
import type { Core } from '../../server/core.ts';
import { needsToken } from '../../server/http/route.ts';
import { merchantRoutes } from '../../server/merchants/routes.ts';
import { notificationRoutes } from '../../server/notifications/routes.ts';
import { DEMO } from '../../server/sandbox/seed.ts';
import { smsRoutes } from '../../server/sms/routes.ts';
import { startTestApp, until, type Reply, type TestApp } from '../support/app.ts';
import { create, webframe } from '../support/payments.ts';
import { createPayable, creepUntilTold, pay, PPR, reference } from '../support/ppr.ts';
import { createCode } from '../support/qrcodes.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, type Receiver } from '../support/receiver.ts';
import { leavesNothing } from '../support/rows.ts';

let app: TestApp;
let id: string;
let codeId: string;
let digits: string;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
let merchant: Receiver;
let called: { url: string; accessKey: string; types: string[] };
let deliveryId: string;
let webhookId: string;
const ownEndpoint = `/api/merchants/${DEMO.merchantId}/callback`;
beforeAll(async () => {
  merchant = await startReceiver();
  // Of the terminals there are no news here.
  called = { url: merchant.url, accessKey: ACCESS_KEY, types: ['terminal.stuck'] };
  app = await startTestApp({ env: RECEIVER_ENV });
  id = (await create(app, webframe())).id;
  codeId = (await createCode(app)).id;
  digits = (await createPayable(app)).reference;
  shop = await app.addMerchant();
  webhookId = (await app.call('/api/webhooks', { body: called })).json.id;
  const paid = await createPayable(app);
  await pay(app, paid);
  const told = `/api/callbacks?status=Delivered&paymentId=${paid.internalId}`;
  deliveryId = await until(async () => (await app.call(told)).json.data[0]?.id, 'the callback being delivered');
  await untilQuiet();
});
afterAll(async () => {
  await app?.stop();
  await merchant?.stop();
});

/** Every operation behind a token, with the scope it needs. */
const OPERATIONS = [
  {
    operationId: 'createPayment',
    scope: 'payments:write',
    send: (token: string | null, headers = {}) => app.call('/api/payments', { body: webframe(), token, headers }),
  },
  {
    operationId: 'listPayments',
    scope: 'payments:read',
    send: (token: string | null, headers = {}) => app.call('/api/payments', { token, headers }),
  },
  {
    operationId: 'readPayment',
    scope: 'payments:read',
    send: (token: string | null, headers = {}) => app.call(`/api/payments/${id}`, { token, headers }),
  },
  {
    operationId: 'readPaymentHistory',
    scope: 'payments:read',
    send: (token: string | null, headers = {}) => app.call(`/api/payments/${id}/events`, { token, headers }),
  },
  {
    operationId: 'syncPayment',
    scope: 'payments:read',
    send: (token: string | null, headers = {}) =>
      app.call(`/api/payments/${id}/sync`, { method: 'POST', token, headers }),
  },
  {
    operationId: 'cancelPayment',
    scope: 'payments:write',
    send: (token: string | null, headers = {}) =>
      app.call(`/api/payments/${id}/cancel`, { method: 'POST', token, headers }),
  },
  {
    operationId: 'readPaymentCode',
    scope: 'payments:read',
    send: (token: string | null, headers = {}) => app.call(`/api/payments/${codeId}/qrcode`, { token, headers }),
  },
  ...(['', '/legacy', '/bulk'] as const).map((path) => ({
    operationId: { '': 'createReference', '/legacy': 'createLegacyReference', '/bulk': 'createReferences' }[path],
    scope: 'references:write',
    send: (token: string | null, headers = {}) =>
      app.call(PPR + path, { body: path === '/bulk' ? { references: [reference()] } : reference(), token, headers }),
  })),
  {
    operationId: 'listReferences',
    scope: 'references:read',
    send: (token: string | null, headers = {}) => app.call(PPR, { token, headers }),
  },
  {
    operationId: 'readReference',
    scope: 'references:read',
    send: (token: string | null, headers = {}) => app.call(`${PPR}/${digits}`, { token, headers }),
  },
  {
    operationId: 'readReferenceHistory',
    scope: 'references:read',
    send: (token: string | null, headers = {}) => app.call(`${PPR}/${digits}/history`, { token, headers }),
  },
  {
    operationId: 'cancelReference',
    scope: 'references:write',
    send: (token: string | null, headers = {}) =>
      app.call(`${PPR}/${digits}/cancel`, { method: 'POST', token, headers }),
  },
  ...['read', 'open', 'close'].map((action) => ({
    operationId: `${action}Terminal`,
    scope: 'terminals',
    send: (token: string | null, headers = {}) =>
      app.call(`/api/terminals/demo-pos${action === 'read' ? '' : `/${action}`}`, { token, headers }),
  })),
  {
    operationId: 'listEvents',
    scope: 'payments:read',
    send: (token: string | null, headers = {}) => app.call('/api/events', { token, headers }),
  },
  {
    operationId: 'streamEvents',
    scope: 'payments:read',
    send: (token: string | null, headers = {}) => openStream('/api/events/stream', token, headers),
  },
  // The endpoint is set before it is tested, and removed at the end.
  ...(
    [
      ['setCallbackEndpoint', 'PUT', () => ownEndpoint, () => called],
      ['readCallbackEndpoint', 'GET', () => ownEndpoint],
      ['testCallbackEndpoint', 'POST', () => '/api/callbacks/test'],
      ['listCallbacks', 'GET', () => '/api/callbacks'],
      ['readCallback', 'GET', () => `/api/callbacks/${deliveryId}`],
      ['replayCallback', 'POST', () => `/api/callbacks/${deliveryId}/replay`],
      ['replayCallbacks', 'POST', () => '/api/callbacks/replay'],
      ['removeCallbackEndpoint', 'DELETE', () => ownEndpoint],
      ['createWebhook', 'POST', () => '/api/webhooks', () => called],
      ['listWebhooks', 'GET', () => '/api/webhooks'],
      ['readWebhook', 'GET', () => `/api/webhooks/${webhookId}`],
      ['replaceWebhook', 'PUT', () => `/api/webhooks/${webhookId}`, () => called],
      ['rotateWebhookSecret', 'POST', () => `/api/webhooks/${webhookId}/rotate-secret`],
      ['testWebhook', 'POST', () => `/api/webhooks/${webhookId}/test`],
      ['listWebhookDeliveries', 'GET', () => `/api/webhooks/${webhookId}/deliveries`],
      ['removeWebhook', 'DELETE', () => `/api/webhooks/${webhookId}`],
    ] as [string, string, () => string, (() => object)?][]
  ).map(([operationId, method, path, body]) => ({
    operationId,
    scope: method === 'GET' ? 'merchant:read' : 'merchant:write',
    send: (token: string | null, headers = {}) => app.call(path(), { method, body: body?.(), token, headers }),
  })),
];

/** Neither the rail nor a merchant is still to be told of something: nothing is written by itself. */
async function untilQuiet(): Promise<void> {
  await creepUntilTold(app);
  const isTold = async () => (await app.sql('select from deliveries where due_at is not null')).length === 0;
  await until(isTold, 'every callback being delivered');
}

/** A stream has no end: its head is enough. */
async function openStream(path: string, token: string | null, headers: Record<string, string>): Promise<Reply> {
  const hangUp = new AbortController();
  const bearer: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const response = await fetch(app.url + path, { headers: { ...bearer, ...headers }, signal: hangUp.signal });
  const text = response.ok ? '' : await response.text();
  hangUp.abort();
  return { status: response.status, headers: response.headers, text, json: text && JSON.parse(text) };
}

// Declarations only: nothing of them runs here.
const about = { publicUrl: '', config: {} } as Core;
const DECLARED = [merchantRoutes, notificationRoutes, billingRoutes, peopleRoutes]
  .flatMap((list) => list(about))
  .concat(smsRoutes(about, null));

/** Operations that are asked here as they are declared: at ids of nobody, with an empty body. */
const AT_THE_DOOR = DECLARED.filter(({ access }) => needsToken(access)).map(
  ({ operationId, access, method, path }) => ({
    operationId,
    scope: access.kind === 'bearer' ? access.scope : null,
    send(token: string | null, headers = {}) {
      const address = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
        name === 'merchantId' ? DEMO.merchantId : randomUUID(),
      );
      return app.call(address, { method, token, headers, ...(method !== 'GET' && { body: {} }) });
    },
  }),
);

test('the lists of operations here are the whole list', () => {
  const declared = app.node.app.routes.flatMap(({ access, operationId }) =>
    needsToken(access) ? [{ operationId, scope: access.kind === 'bearer' ? access.scope : null }] : [],
  );
  const byName = (a: { operationId: string }, b: { operationId: string }) => a.operationId.localeCompare(b.operationId);
  const listed = [...OPERATIONS, ...AT_THE_DOOR].map(({ operationId, scope }) => ({ operationId, scope }));
  expect(listed.toSorted(byName)).toEqual(declared.toSorted(byName));
});

/** The key that signs tokens, as whoever holds SECRETS_KEYS could read it. */
async function readSigningKey() {
  await app.token();
  const [row] = await app.sql('select kid, sealed_private_jwk from signing_keys where retired_at is null');
  const jwk = JSON.parse(app.node.core.keyring.open(row.sealed_private_jwk, 'signing-key'));
  return { kid: row.kid as string, key: await importJWK(jwk, 'ES256'), jwk };
}

type Forgery = { claims?: JWTPayload; header?: Record<string, unknown>; drop?: string };

/** A token like ours, signed with our own key, but for what a test changes. */
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

/** RFC 8725 §2.1: the public key used as the secret of an HMAC. */
async function forgeByConfusion(): Promise<string> {
  const { kid, jwk } = await readSigningKey();
  const { d: _, ...publicJwk } = jwk;
  const content = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${(await forge()).split('.')[1]}`;
  return `${content}.${createHmac('sha256', JSON.stringify(publicJwk)).update(content).digest('base64url')}`;
}

/** `brought` are further members of the header, by which it would bring its key along (RFC 8725 §3.5, RFC 7515 §4.1). */
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
  'ten thousand characters': () => 'x'.repeat(10_000),
  'alg none': () => forgeUnsigned('none'),
  'alg None': () => forgeUnsigned('None'),
  'a signature left out': () => forgeUnsigned('ES256'),
  'HS256 with the public key': () => forgeByConfusion(),
  'somebody’s own key under our kid': () => forgeWithOwnKey(),
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
  'a client nobody knows': () => forge({ claims: { client_id: 'nobody' } }),
  'a client of another merchant': () => forge({ claims: { client_id: shop.clientId } }),
  'a start in the future': () => forge({ claims: { nbf: app.clock.now().getTime() / 1000 + hour } }),
  'an end that has come': () => forge({ claims: { exp: app.clock.now().getTime() / 1000 } }),
};

const isRefused = ({ status, json, headers }: Reply, challenge: string) => {
  expect(status).toBe(401);
  expect(json.code).toBe('invalid_token');
  expect(headers.get('www-authenticate')).toBe(challenge);
};

test('the forger’s hand is good enough: unchanged, its token is taken', async () => {
  expect((await app.call('/api/payments', { token: await forge() })).status).toBe(200);
});

describe.each([...OPERATIONS, ...AT_THE_DOOR])('$operationId', ({ send }) => {
  test('takes no call without a token', async () => {
    isRefused(await leavesNothing(app, () => send(null)), 'Bearer realm="balcao"');
  });

  test.each(Object.keys(WRONG_TOKENS))('takes no token with: %s', async (name) => {
    const token = await WRONG_TOKENS[name]?.();
    isRefused(await leavesNothing(app, () => send(token ?? '')), 'Bearer realm="balcao", error="invalid_token"');
  });

  test.each([
    ['Basic credentials', () => `Basic ${btoa('demo:demo-secret')}`],
    ['a token without its scheme', () => app.token()],
    ['two tokens', async () => `Bearer ${await app.token()} ${await app.token()}`],
  ])('takes no %s', async (_name, write) => {
    const headers = { authorization: await write() };
    isRefused(await leavesNothing(app, () => send(null, headers)), 'Bearer realm="balcao", error="invalid_token"');
  });
});

describe.each(AT_THE_DOOR)('$operationId', ({ send, scope }) => {
  test(scope ? 'needs its scope' : 'needs a person', async () => {
    const others = ['payments:read', 'payments:write'].join(' ');
    const reply = await leavesNothing(app, async () => send(await app.token('demo', 'demo-secret', others)));
    expect(reply.status).toBe(403);
    expect(reply.json.code).toBe(scope ? 'insufficient_scope' : 'user_required');
    if (scope) expect((await send(await app.token('demo', 'demo-secret', scope))).status).not.toBe(403);
  });
});

describe.each(OPERATIONS)('$operationId', ({ send, scope }) => {
  test('needs its scope', async () => {
    const others = ['payments:read', 'payments:write', 'merchant:write'].filter((name) => name !== scope);
    const reply = await leavesNothing(app, async () => send(await app.token('demo', 'demo-secret', others.join(' '))));
    expect(reply.status).toBe(403);
    expect(reply.json.code).toBe('insufficient_scope');
    const challenge = `Bearer realm="balcao", error="insufficient_scope", scope="${scope}"`;
    expect(reply.headers.get('www-authenticate')).toBe(challenge);
    expect((await send(await app.token('demo', 'demo-secret', scope))).status).toBeLessThan(300);
    await untilQuiet();
  });
});
