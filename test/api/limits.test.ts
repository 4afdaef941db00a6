// Rate limits (decisions §2): who is counted for what, what every answer says of it, and a 429 that has no effect.
import { afterEach, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../support/app.ts';
import { create, webframe } from '../support/payments.ts';
import { createReference, PPR, reference } from '../support/ppr.ts';
import { createCode } from '../support/qrcodes.ts';
import { leavesNothing } from '../support/rows.ts';

let app: TestApp;
afterEach(() => app?.stop());

const start = async (env: Record<string, string>) => (app = await startTestApp({ env }));

/** `r` of the RateLimit header, with the policy it belongs to. */
function readLimit({ headers }: Reply): { policy: string | null; left: number } {
  const left = /^"(\w+)";r=(\d+);t=([1-9]\d?)$/.exec(headers.get('ratelimit') ?? '');
  return { policy: headers.get('ratelimit-policy'), left: Number(left?.[2] ?? -1) };
}

const post = (body: unknown = webframe(), headers: Record<string, string> = {}) =>
  app.call('/api/payments', { body, headers });

test('every answer says the policy and what is left of it, until there is nothing', async () => {
  await start({ RATE_LIMIT_WRITE: '3' });
  const policy = '"write";q=3;w=60';
  for (const left of [2, 1, 0]) {
    const reply = await post();
    expect(reply.status).toBe(201);
    expect(readLimit(reply)).toEqual({ policy, left });
    expect(reply.headers.has('retry-after')).toBe(false);
  }
  const refused = await leavesNothing(app, () => post(webframe(), { 'idempotency-key': 'limited' }));
  expect(refused.status).toBe(429);
  expect(refused.json.code).toBe('too_many_requests');
  expect(readLimit(refused)).toEqual({ policy, left: 0 });
  const wait = refused.headers.get('retry-after') ?? '';
  expect(wait).toMatch(/^[1-9]\d?$/);
  expect(Number(wait)).toBeLessThanOrEqual(60);
});

test('refused, replayed and forbidden requests count like any other', async () => {
  await start({ RATE_LIMIT_WRITE: '5' });
  const body = webframe();
  const key = { 'idempotency-key': 'counted' };
  const narrow = await app.token('demo', 'demo-secret', 'payments:read');
  const replies = [
    await post(body, key),
    await post(body, key),
    await post({}),
    await post('{'),
    await app.call('/api/payments', { body, token: narrow }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 400, 400, 403]);
  expect(replies.map((reply) => readLimit(reply).left)).toEqual([4, 3, 2, 1, 0]);
  expect((await post()).status).toBe(429);
});

test('a request without a valid token counts for nobody', async () => {
  await start({ RATE_LIMIT_WRITE: '1' });
  const anonymous = await app.call('/api/payments', { body: webframe(), token: 'forged' });
  expect(anonymous.status).toBe(401);
  expect(anonymous.headers.has('ratelimit')).toBe(false);
  expect((await post()).status).toBe(201);
});

test('merchants are counted apart, the clients of one together', async () => {
  await start({ RATE_LIMIT_WRITE: '1' });
  const other = await app.addMerchant();
  const narrow = await app.token('demo', 'demo-secret', 'payments:write');
  expect((await post()).status).toBe(201);
  expect((await app.call('/api/payments', { body: webframe(), token: narrow })).status).toBe(429);
  expect((await app.call('/api/payments', { body: webframe(), token: other.token })).status).toBe(201);
});

describe('buckets', () => {
  test('reads and syncs share one, apart from writes', async () => {
    await start({ RATE_LIMIT_WRITE: '1', RATE_LIMIT_READ: '5' });
    const { id } = await createCode(app);
    const replies = [
      await app.call('/api/payments'),
      await app.call(`/api/payments/${id}`),
      await app.call(`/api/payments/${id}/events`),
      await app.call(`/api/payments/${id}/qrcode`),
      await app.call(`/api/payments/${id}/sync`, { method: 'POST' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(replies.map(readLimit)).toEqual([4, 3, 2, 1, 0].map((left) => ({ policy: '"read";q=5;w=60', left })));
    expect((await app.call(`/api/payments/${id}`)).status).toBe(429);
    expect((await app.call(`/api/payments/${id}/sync`, { method: 'POST' })).status).toBe(429);
    expect((await app.call(`/api/payments/${id}/qrcode`)).status).toBe(429);
    expect((await post()).status).toBe(429);
  });

  test('cancels count as writes, and one too many cancels nothing', async () => {
    await start({ RATE_LIMIT_WRITE: '3', RATE_LIMIT_READ: '1' });
    const codes = [await createCode(app), await createCode(app)];
    const [first, second] = codes.map(
      ({ id }) =>
        () =>
          app.call(`/api/payments/${id}/cancel`, { method: 'POST' }),
    );
    expect(readLimit(await first!())).toEqual({ policy: '"write";q=3;w=60', left: 0 });
    expect((await leavesNothing(app, second!)).status).toBe(429);
    expect((await app.call(`/api/payments/${codes[1]?.id}`)).json.status).toBe('Pending');
  });

  test('creating and canceling references are writes, one request each however many it makes', async () => {
    await start({ RATE_LIMIT_WRITE: '5', RATE_LIMIT_READ: '1' });
    const references = [reference(), reference(), reference()];
    const made = await app.call(PPR, { body: reference() });
    const replies = [
      made,
      await app.call(`${PPR}/legacy`, { body: reference() }),
      await app.call(`${PPR}/bulk`, { body: { references } }),
      await app.call(`${PPR}/bulk`, { body: { references: [] } }),
      await app.call(`${PPR}/${made.json.reference}/cancel`, { method: 'POST' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 400, 200]);
    expect(replies.map(readLimit)).toEqual([4, 3, 2, 1, 0].map((left) => ({ policy: '"write";q=5;w=60', left })));
    const [{ count }] = await app.sql('select count(*)::int from payments');
    for (const path of ['', '/legacy', '/bulk'])
      expect((await app.call(PPR + path, { body: { ...reference(), references } })).status).toBe(429);
    expect((await app.call('/api/payments', { body: webframe() })).status).toBe(429);
    expect((await app.sql('select count(*)::int from payments'))[0].count).toBe(count);
  });

  test('reading references counts with other reads', async () => {
    await start({ RATE_LIMIT_READ: '4' });
    const { reference: own } = await createReference(app);
    const replies = [
      await app.call(PPR),
      await app.call(`${PPR}/${own}`),
      await app.call(`${PPR}/${own}/history`),
      await app.call(`/api/payments/${own}`),
    ];
    expect(replies.map(readLimit)).toEqual([3, 2, 1, 0].map((left) => ({ policy: '"read";q=4;w=60', left })));
    for (const path of [PPR, `${PPR}/${own}`, `${PPR}/${own}/history`, `/api/payments/${own}`])
      expect((await app.call(path)).status).toBe(429);
  });

  test('tokens and checkouts are counted by address, in words of each', async () => {
    await start({ RATE_LIMIT_PUBLIC: '3' });
    const { clientToken } = await create(app, webframe());
    const session = await app.call(`/checkout/${clientToken}/session`, { token: null });
    expect(readLimit(session)).toEqual({ policy: '"public";q=3;w=60', left: 1 });
    expect((await app.call('/.well-known/jwks.json', { token: null })).status).toBe(200);
    const origin = { origin: 'https://loja.example' };
    const push = { body: { phoneNumber: '923000001' }, token: null, headers: origin };
    const refused = await app.call(`/checkout/${clientToken}/pay`, push);
    expect(refused.status).toBe(429);
    // A widget on another site can read why, and when to come back.
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
    const body = new URLSearchParams({ grant_type: 'client_credentials' }).toString();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const token = await app.call('/oauth/token', { body, headers: form, token: null });
    expect(token.status).toBe(429);
    expect(token.json).toEqual({ error: expect.any(String), error_description: expect.any(String) });
    expect(Number(token.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  test('a merchant’s own calls do not count against its address', async () => {
    await start({ RATE_LIMIT_PUBLIC: '1' });
    for (let n = 0; n < 3; n++) expect((await post()).status).toBe(201);
  });

  test('forwarded addresses count only when a trusted proxy names them', async () => {
    await start({ RATE_LIMIT_PUBLIC: '1' });
    const readKeys = (from: string) =>
      app.call('/.well-known/jwks.json', { token: null, headers: { 'x-forwarded-for': from } });
    expect((await readKeys('203.0.113.1')).status).toBe(200);
    expect((await readKeys('203.0.113.2')).status).toBe(429);
    await app.stop();
    await start({ RATE_LIMIT_PUBLIC: '1', TRUSTED_PROXIES: '127.0.0.1' });
    expect((await readKeys('203.0.113.1')).status).toBe(200);
    expect((await readKeys('203.0.113.2')).status).toBe(200);
    // What stands before the proxy's own word is the caller's invention.
    expect((await readKeys('198.51.100.9, 203.0.113.2')).status).toBe(429);
    // One IPv6 subscriber holds a whole /64.
    expect((await readKeys('2001:db8:1:2::1')).status).toBe(200);
    expect((await readKeys('2001:db8:1:2:ffff::9')).status).toBe(429);
    expect((await readKeys('2001:db8:1:3::1')).status).toBe(200);
  });

  test('0 switches one off', async () => {
    await start({ RATE_LIMIT_WRITE: '0', RATE_LIMIT_READ: '1' });
    const reply = await post();
    expect(reply.headers.has('ratelimit')).toBe(false);
    expect(reply.headers.has('ratelimit-policy')).toBe(false);
    expect((await app.call('/api/payments')).status).toBe(200);
    expect((await app.call('/api/payments')).status).toBe(429);
  });

  test('health and the rail’s notifications are never refused for coming too often', async () => {
    await start({ RATE_LIMIT_PUBLIC: '1' });
    for (let n = 0; n < 3; n++) {
      expect((await app.call('/healthz', { token: null })).status).toBe(200);
      expect((await app.call('/rails/gpo/notifications', { body: {}, token: null })).status).toBe(401);
      expect((await app.call('/rails/ppr/notifications', { body: {}, token: null })).status).toBe(401);
    }
  });
});
