// GET /openapi.json: every declared route is in it with its access, its parameters and its answers; and answers are as it says.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { needsToken } from '../../server/http/route.ts';
import { DEMO } from '../../server/sandbox/seed.ts';
import { startTestApp, until, type TestApp } from '../support/app.ts';
import { create, webframe } from '../support/payments.ts';
import { byReference, createPayable, createReference, pay, PPR, reference } from '../support/ppr.ts';
import { createCode, qrcode } from '../support/qrcodes.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, type Receiver } from '../support/receiver.ts';

let app: TestApp;
let merchant: Receiver;
let document: any;
beforeAll(async () => {
  merchant = await startReceiver();
  CALLED.url = merchant.url;
  app = await startTestApp({ env: RECEIVER_ENV });
  const reply = await app.call('/openapi.json', { token: null });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  document = reply.json;
});
afterAll(async () => {
  await app?.stop();
  await merchant?.stop();
});

const operations = (): { path: string; method: string; operation: any }[] =>
  Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
const ENDPOINT = '/api/merchants/{merchantId}/callback';
const OWN_ENDPOINT = ENDPOINT.replace('{merchantId}', DEMO.merchantId);
const WEBHOOK = '/api/webhooks/{webhookId}';

/** A receiver of the demo merchant's. */
const CALLED = { url: '', accessKey: ACCESS_KEY };

const operationOf = (path: string, method: string) => document.paths[path]?.[method.toLowerCase()];

/** A callback of the demo merchant's that was delivered. */
async function told(): Promise<string> {
  const made = await createPayable(app);
  await pay(app, made);
  const path = `/api/callbacks?status=Delivered&paymentId=${made.internalId}`;
  return until(async () => (await app.call(path)).json.data[0]?.id, 'the callback being delivered');
}

const ownWebhook = async () => `/api/webhooks/${(await app.call('/api/webhooks', { body: CALLED })).json.id}`;

/** What a `#/…` reference points to. */
const resolve = (pointer: string) =>
  pointer
    .slice(2)
    .split('/')
    .reduce((value, key) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);

test('names itself, its version and its server', () => {
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\.\d$/),
    info: { title: 'Balcão', version: '0.1.0' },
    servers: [{ url: app.node.core.publicUrl }],
  });
});

test('has every published route, and no other', () => {
  const published = app.node.app.routes.filter((route) => !route.isHidden);
  const declared = published.map(({ method, path }) => `${method} ${path}`).toSorted();
  expect(
    operations()
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  ).toEqual(declared);
  expect(declared).toContain('POST /api/payments');
});

test('each has a name of its own, a summary, and says who may call it', () => {
  const names = operations().map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
  for (const { access, isHidden, path, method } of app.node.app.routes) {
    if (isHidden) continue;
    const operation = operationOf(path, method);
    expect(operation.summary, path).toMatch(/\S/);
    expect(operation.security, path).toEqual(needsToken(access) ? [{ bearer: [] }] : []);
    if (access.kind === 'bearer') expect(operation.description).toContain(`\`${access.scope}\``);
    if (needsToken(access)) {
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '403']));
    }
  }
  expect(document.components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
});

describe('what is answered is what is described', () => {
  /** The described schema as zod reads it, references resolved. */
  const schemaOf = (path: string, method: string, status: number, type = 'application/json') => {
    const { schema } = operationOf(path, method).responses[status].content[type];
    const inlined = JSON.parse(JSON.stringify(schema), (_key, value) => (value?.$ref ? inline(value.$ref) : value));
    return z.fromJSONSchema(inlined);
  };
  const inline = (pointer: string): any =>
    JSON.parse(JSON.stringify(resolve(pointer)), (_key, value) => (value?.$ref ? inline(value.$ref) : value));

  test.each([
    [
      'POST',
      '/api/payments',
      () => app.call('/api/payments', { body: webframe({ metadata: { custom: { a: [1] } } }) }),
      201,
    ],
    [
      'POST',
      '/api/payments',
      () => app.call('/api/payments', { body: qrcode(), headers: { prefer: 'return=representation' } }),
      201,
    ],
    ['GET', '/api/payments', () => app.call('/api/payments'), 200],
    [
      'POST',
      '/api/payments/{internalPaymentId}/cancel',
      async () => app.call(`/api/payments/${(await create(app, webframe())).id}/cancel`, { method: 'POST' }),
      200,
    ],
    ['GET', '/api/terminals/{posId}', () => app.call('/api/terminals/demo-pos'), 200],
    ['GET', '/api/terminals/{posId}/close', () => app.call('/api/terminals/demo-pos/close'), 200],
    ['GET', '/api/terminals/{posId}/open', () => app.call('/api/terminals/demo-pos/open'), 200],
    [
      'GET',
      '/api/payments/{paymentId}',
      async () => app.call(`/api/payments/${(await create(app, webframe())).id}`),
      200,
    ],
    [
      'GET',
      '/api/payments/{paymentId}/events',
      async () => app.call(`/api/payments/${(await create(app, webframe())).id}/events`),
      200,
    ],
    [
      'POST',
      '/api/payments/{paymentId}/sync',
      async () => app.call(`/api/payments/${(await create(app, webframe())).id}/sync`, { method: 'POST' }),
      200,
    ],
    [
      'GET',
      '/checkout/{clientToken}/session',
      async () => app.call(`/checkout/${(await create(app, webframe())).clientToken}/session`),
      200,
    ],
    [
      'POST',
      '/api/payments',
      () => app.call('/api/payments', { body: byReference({ customerName: 'Ana', custom: { a: [1] } }) }),
      201,
    ],
    [
      'GET',
      '/api/payments/{paymentId}',
      async () => app.call(`/api/payments/${(await createReference(app)).reference}`),
      200,
    ],
    ['POST', PPR, () => app.call(PPR, { body: reference({ customMetadata: { a: [1] } }) }), 201],
    ['POST', `${PPR}/legacy`, () => app.call(`${PPR}/legacy`, { body: { referenceType: 'Charging' } }), 201],
    ['POST', `${PPR}/bulk`, () => app.call(`${PPR}/bulk`, { body: { references: [reference()] } }), 201],
    ['GET', PPR, () => app.call(PPR), 200],
    ['GET', `${PPR}/{pprReference}`, async () => app.call(`${PPR}/${(await createReference(app)).reference}`), 200],
    [
      'GET',
      `${PPR}/{pprReference}/history`,
      async () => app.call(`${PPR}/${(await createReference(app)).reference}/history`),
      200,
    ],
    [
      'POST',
      `${PPR}/{pprReference}/cancel`,
      async () => app.call(`${PPR}/${(await createReference(app)).reference}/cancel`, { method: 'POST' }),
      200,
    ],
    [
      'GET',
      '/checkout/{clientToken}/session',
      async () => app.call(`/checkout/${(await createReference(app)).clientToken}/session`),
      200,
    ],
    ['PUT', ENDPOINT, () => app.call(OWN_ENDPOINT, { method: 'PUT', body: CALLED }), 200],
    ['GET', ENDPOINT, () => app.call(OWN_ENDPOINT), 200],
    ['POST', '/api/callbacks/test', () => app.call('/api/callbacks/test', { method: 'POST' }), 200],
    ['GET', '/api/callbacks', () => app.call('/api/callbacks'), 200],
    ['GET', '/api/callbacks/{deliveryId}', async () => app.call(`/api/callbacks/${await told()}`), 200],
    [
      'POST',
      '/api/callbacks/{deliveryId}/replay',
      async () => app.call(`/api/callbacks/${await told()}/replay`, { method: 'POST' }),
      202,
    ],
    ['POST', '/api/callbacks/replay', () => app.call('/api/callbacks/replay', { method: 'POST' }), 202],
    ['POST', '/api/webhooks', () => app.call('/api/webhooks', { body: CALLED }), 201],
    ['GET', '/api/webhooks', () => app.call('/api/webhooks'), 200],
    ['GET', WEBHOOK, async () => app.call(await ownWebhook()), 200],
    ['PUT', WEBHOOK, async () => app.call(await ownWebhook(), { method: 'PUT', body: CALLED }), 200],
    [
      'POST',
      `${WEBHOOK}/rotate-secret`,
      async () => app.call(`${await ownWebhook()}/rotate-secret`, { method: 'POST' }),
      200,
    ],
    ['POST', `${WEBHOOK}/test`, async () => app.call(`${await ownWebhook()}/test`, { method: 'POST' }), 200],
    ['GET', `${WEBHOOK}/deliveries`, async () => app.call(`${await ownWebhook()}/deliveries`), 200],
    ['GET', '/.well-known/jwks.json', () => app.call('/.well-known/jwks.json'), 200],
    ['GET', '/readyz', () => app.call('/readyz'), 200],
  ])('%s %s', async (method, path, send, status) => {
    const reply = await send();
    expect(reply.status).toBe(status);
    const checked = schemaOf(path, method, status).safeParse(reply.json);
    expect(checked.error?.issues ?? []).toEqual([]);
  });

  test('the images of a code too', async () => {
    const { id } = await createCode(app);
    const replies = [
      ['/api/payments', 'POST', await app.call('/api/payments', { body: qrcode() })],
      ['/api/payments/{paymentId}/qrcode', 'GET', await app.call(`/api/payments/${id}/qrcode`)],
    ] as const;
    for (const [path, method, reply] of replies) {
      const described = operationOf(path, method).responses[200].content;
      expect(Object.keys(described), path).toEqual([reply.headers.get('content-type')]);
    }
  });

  test('a refusal too', async () => {
    const reply = await app.call('/api/payments', { body: { amount: 'x' } });
    const checked = schemaOf('/api/payments', 'POST', 400, 'application/problem+json').safeParse(reply.json);
    expect(checked.error?.issues ?? []).toEqual([]);
    expect(schemaOf('/api/payments', 'POST', 400, 'application/problem+json').safeParse({}).success).toBe(false);
  });

  test('a request too: what is described is taken, and what is taken is described', async () => {
    const bodyOf = (path: string) => {
      const { schema } = operationOf(path, 'POST').requestBody.content['application/json'];
      const inlined = JSON.parse(JSON.stringify(schema), (_key, value) => (value?.$ref ? inline(value.$ref) : value));
      return z.fromJSONSchema(inlined);
    };
    const single = { amount: 1, reference: '012345678', expiryDate: '2027-01-31', customMetadata: { a: 1 } };
    const bodies: [string, object][] = [
      [PPR, single],
      [PPR, { referenceType: 'Charging' }],
      [`${PPR}/legacy`, { ...single, reference: '112345678' }],
      [`${PPR}/bulk`, { references: [{ amount: 1 }, { referenceType: 'Charging' }] }],
      ['/api/payments', byReference({ customerEmail: 'a@b.c', custom: {} }, { reference: '' })],
      ['/api/payments', webframe()],
    ];
    for (const [path, body] of bodies) {
      expect([path, bodyOf(path).safeParse(body).error?.issues ?? []]).toEqual([path, []]);
      expect((await app.call(path, { body })).status).toBe(201);
    }
    for (const [path, body] of [
      [PPR, { amount: 1, reference: '1' }],
      [`${PPR}/bulk`, { references: [] }],
    ] as const) {
      expect((await app.call(path, { body })).status).toBe(400);
    }
  });
});
