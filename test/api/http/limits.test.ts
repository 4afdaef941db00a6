// Rate limits for each merchant, console session and IP address.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Route } from '../../../server/http/route.ts';
import { startTestApp, type CallOptions, type Reply, type TestApp } from '../../support/app.ts';
import { enterConsole } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { create, webframe } from '../../support/payments.ts';
import { PPR, reference } from '../../support/ppr.ts';
import { qrcode } from '../../support/qrcodes.ts';
import { leavesNothing } from '../../support/rows.ts';

/** Returns the remaining requests of the header RateLimit, and the header RateLimit-Policy. */
function readLimit({ headers }: Reply): { policy: string | null; left: number } {
  const left = /^"(\w+)";r=(\d+);t=([1-9]\d?)$/.exec(headers.get('ratelimit') ?? '');
  return { policy: headers.get('ratelimit-policy'), left: Number(left?.[2] ?? -1) };
}

const WRITE = '"write";q=5;w=60';
const READ = '"read";q=5;w=60';
const DOWN = [4, 3, 2, 1, 0];

describe('the rate limits of merchants', () => {
  let app: TestApp;
  /** A new merchant, which has used nothing of its limit. */
  let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
  beforeAll(async () => {
    app = await startTestApp({ env: { RATE_LIMIT_WRITE: '5', RATE_LIMIT_READ: '5', RATE_LIMIT_PUBLIC: '100' } });
  });
  beforeEach(async () => {
    shop = await app.addMerchant();
  });

  const call = (path: string, options: CallOptions = {}) => app.call(path, { token: shop.token, ...options });
  const post = (body: unknown = webframe(), headers: Record<string, string> = {}) =>
    call('/api/payments', { body, headers });
  const makeCode = async () => {
    const { json } = await post(qrcode(), { prefer: 'return=representation' });
    return json.id as string;
  };

  test('ignore a forwarded IP address that no trusted proxy wrote', async () => {
    const readKeys = (from: string) =>
      app.call('/.well-known/jwks.json', { token: null, headers: { 'x-forwarded-for': from } });
    const [first, second] = [readLimit(await readKeys('203.0.113.1')), readLimit(await readKeys('203.0.113.2'))];
    expect([first.policy, second]).toEqual(['"public";q=100;w=60', { ...first, left: first.left - 1 }]);
  });

  test('appear in every response with the policy and the remaining requests', async () => {
    for (const left of DOWN) {
      const reply = await post();
      expect(reply.status).toBe(201);
      expect(readLimit(reply)).toEqual({ policy: WRITE, left });
      expect(reply.headers.has('retry-after')).toBe(false);
    }
    const refused = await leavesNothing(app, () => post(webframe(), { 'idempotency-key': 'limited' }));
    expect(refused.status).toBe(429);
    expect(refused.json.code).toBe('too_many_requests');
    expect(readLimit(refused)).toEqual({ policy: WRITE, left: 0 });
    const wait = refused.headers.get('retry-after') ?? '';
    expect(wait).toMatch(/^[1-9]\d?$/);
    expect(Number(wait)).toBeLessThanOrEqual(60);
  });

  test('count refused, repeated and forbidden requests', async () => {
    const body = webframe();
    const key = { 'idempotency-key': 'counted' };
    const narrow = await app.token(shop.clientId, shop.secret, 'payments:read');
    const replies = [
      await post(body, key),
      await post(body, key),
      await post({}),
      await post('{'),
      await app.call('/api/payments', { body, token: narrow }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 400, 400, 403]);
    expect(replies.map((reply) => readLimit(reply).left)).toEqual(DOWN);
    expect((await post()).status).toBe(429);
  });

  test('do not count a request without a valid token', async () => {
    const anonymous = await app.call('/api/payments', { body: webframe(), token: 'forged' });
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers.has('ratelimit')).toBe(false);
    const reply = await post();
    expect([reply.status, readLimit(reply).left]).toEqual([201, 4]);
  });

  test('count each merchant on its own, and the clients of one merchant together', async () => {
    const other = await app.addMerchant();
    const narrow = await app.token(shop.clientId, shop.secret, 'payments:write');
    for (let nth = 0; nth < 5; nth++) expect((await post()).status).toBe(201);
    expect((await app.call('/api/payments', { body: webframe(), token: narrow })).status).toBe(429);
    const reply = await app.call('/api/payments', { body: webframe(), token: other.token });
    expect([reply.status, readLimit(reply).left]).toEqual([201, 4]);
  });

  test('count reads and syncs in one rate-limit bucket, and writes in another', async () => {
    const id = await makeCode();
    const replies = [await call(`/api/payments/${id}`), await call(`/api/payments/${id}/sync`, { method: 'POST' })];
    expect(replies.map(readLimit)).toEqual([4, 3].map((left) => ({ policy: READ, left })));
    expect(readLimit(await call(`/api/payments/${id}/cancel`, { method: 'POST' }))).toEqual({ policy: WRITE, left: 3 });
  });

  test('count every operation of the API as a read or a write', () => {
    const routes = app.node.app.routes.filter(
      ({ path, access }) => path.startsWith('/api/') && access.kind === 'bearer',
    );
    expect(routes.length).toBeGreaterThan(80);
    const expected = ({ method, path, bucket }: Route) => {
      if (bucket === 'terminal') return path.startsWith('/api/terminals/{posId}');
      return bucket === (method === 'GET' || path.endsWith('/sync') ? 'read' : 'write');
    };
    expect(
      routes.filter((route) => !expected(route)).map(({ method, path, bucket }) => [method, path, bucket]),
    ).toEqual([]);
  });

  test('count a bulk creation as one write, which creates nothing if it is refused', async () => {
    const body = { references: [reference(), reference(), reference()] };
    expect(readLimit(await call(`${PPR}/bulk`, { body }))).toEqual({ policy: WRITE, left: 4 });
    for (let nth = 0; nth < 4; nth++) expect((await post()).status).toBe(201);
    expect((await leavesNothing(app, () => call(`${PPR}/bulk`, { body }))).status).toBe(429);
  });
});

describe('the rate limits of console sessions', () => {
  const PAYMENTS = '/console/payments';
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ env: { RATE_LIMIT_READ: '5', RATE_LIMIT_WRITE: '5', RATE_LIMIT_CONSOLE: '200' } });
  });

  test('are independent of the merchant’s API limits', async () => {
    const { merchantId, token } = await app.addMerchant();
    const owner = await enterConsole(app, await addMember(app, { merchantId }));
    for (let nth = 0; nth < 10; nth++) expect((await owner.open(PAYMENTS)).status).toBe(200);
    const charge = { amount: '10', way: 'push', phone: '900000000' };
    for (let nth = 0; nth < 2; nth++) expect((await owner.act('/console/charge', 'charge', charge)).status).toBe(303);
    expect(readLimit(await app.call('/api/payments', { token }))).toEqual({ policy: READ, left: 4 });
    expect(readLimit(await app.call('/api/payments', { token, body: webframe() }))).toEqual({ policy: WRITE, left: 4 });
  });

  test('refuse requests of one session, and still accept another session of the same merchant', async () => {
    const { merchantId, token } = await app.addMerchant();
    const [one, other] = await Promise.all(
      [1, 2].map(async () => enterConsole(app, await addMember(app, { merchantId }))),
    );
    const statuses: number[] = [];
    for (let nth = 0; nth < 200 && statuses.at(-1) !== 429; nth++) statuses.push((await one!.open(PAYMENTS)).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await other!.open(PAYMENTS)).status).toBe(200);
    expect((await app.call('/api/payments', { token })).status).toBe(200);
  });
});

describe('the rate limits of IP addresses', () => {
  let app: TestApp;
  beforeAll(async () => {
    const limits = { RATE_LIMIT_PUBLIC: '3', RATE_LIMIT_WRITE: '0', RATE_LIMIT_READ: '1' };
    app = await startTestApp({ env: { ...limits, TRUSTED_PROXIES: '127.0.0.1' } });
  });

  /** Calls from another IP address, which a trusted proxy reports. */
  const callFrom = (address: string, path: string, { headers, ...options }: CallOptions = {}) =>
    app.call(path, { token: null, headers: { 'x-forwarded-for': address, ...headers }, ...options });
  const readKeys = (address: string) => callFrom(address, '/.well-known/jwks.json');
  async function useUp(address: string): Promise<void> {
    for (const left of [2, 1, 0]) expect(readLimit(await readKeys(address)).left).toBe(left);
    expect((await readKeys(address)).status).toBe(429);
  }

  test('count token requests and checkout requests, and refuse each in the format of its interface', async () => {
    const { clientToken } = await create(app, webframe());
    const mine = '198.51.100.1';
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ grant_type: 'client_credentials' }).toString();
    const askToken = () => callFrom(mine, '/oauth/token', { body, headers: form });
    expect(readLimit(await askToken())).toEqual({ policy: '"public";q=3;w=60', left: 2 });
    const session = await callFrom(mine, `/checkout/${clientToken}/session`);
    expect(readLimit(session)).toEqual({ policy: '"public";q=3;w=60', left: 1 });
    expect((await readKeys(mine)).status).toBe(200);
    const push = { body: { phoneNumber: '923000001' }, headers: { origin: 'https://loja.example' } };
    const refused = await callFrom(mine, `/checkout/${clientToken}/pay`, push);
    expect(refused.status).toBe(429);
    // A widget on another site can read the reason of the refusal and the time of the next try.
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
    const token = await askToken();
    expect(token.status).toBe(429);
    expect(token.json).toEqual({ error: expect.any(String), error_description: expect.any(String) });
    expect(Number(token.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  test('do not count calls with a merchant’s token', async () => {
    const token = await app.token();
    for (let n = 0; n < 4; n++)
      expect((await callFrom('198.51.100.2', '/api/payments', { token, body: webframe() })).status).toBe(201);
    expect(readLimit(await readKeys('198.51.100.2')).left).toBe(2);
  });

  test('use the IP address that a trusted proxy forwards', async () => {
    await useUp('203.0.113.1');
    await useUp('203.0.113.2');
    // A client can invent every entry before the one that the proxy adds.
    expect((await readKeys('198.51.100.9, 203.0.113.2')).status).toBe(429);
    // An IPv6 subscriber owns a whole /64, so all its addresses share one limit.
    await useUp('2001:db8:1:2::1');
    expect((await readKeys('2001:db8:1:2:ffff::9')).status).toBe(429);
    expect((await readKeys('2001:db8:1:3::1')).status).toBe(200);
  });

  test('do not refuse probes and rail notifications', async () => {
    const mine = '198.51.100.3';
    await useUp(mine);
    for (let n = 0; n < 2; n++) {
      expect((await callFrom(mine, '/healthz')).status).toBe(200);
      expect((await callFrom(mine, '/rails/gpo/notifications', { body: {} })).status).toBe(401);
      expect((await callFrom(mine, '/rails/ppr/notifications', { body: {} })).status).toBe(401);
    }
  });

  test('are off if their setting is 0', async () => {
    const reply = await app.call('/api/payments', { body: webframe() });
    expect(reply.status).toBe(201);
    expect(reply.headers.has('ratelimit')).toBe(false);
    expect(reply.headers.has('ratelimit-policy')).toBe(false);
    expect((await app.call('/api/payments')).status).toBe(200);
    expect((await app.call('/api/payments')).status).toBe(429);
  });
});
