// A client token opens one payment's checkout from any website, until a day after the payment ends.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { createPushed, declined, notify, NOTIFY_ENV } from '../../support/notify.ts';
import { create, travelToStatus, webframe } from '../../support/payments.ts';
import { sendRaw } from '../../support/raw.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

type Path = { path: string; type: string; send(token: string): Promise<Reply> };

const JSON_PROBLEM = 'application/problem+json';
const PATHS: Path[] = [
  ['', 'GET', 'text/html; charset=utf-8'] as const,
  ['/session', 'GET', JSON_PROBLEM] as const,
  ['/events', 'GET', JSON_PROBLEM] as const,
  ['/qrcode.svg', 'GET', JSON_PROBLEM] as const,
  ['/logo', 'GET', JSON_PROBLEM] as const,
  ['/preview.png', 'GET', JSON_PROBLEM] as const,
  ['/pay', 'POST', JSON_PROBLEM, { phoneNumber: '923000001' }] as const,
  ['/reference', 'POST', JSON_PROBLEM] as const,
  ['/qrcode', 'POST', JSON_PROBLEM] as const,
].map(([path, method, type, body]) => ({
  path,
  type,
  send: (token) => app.call(`/checkout/${token}${path}`, { method, token: null, ...(body && { body }) }),
}));

const idBytes = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex');

/** Tokens that differ slightly from a valid one, and are invalid. */
const WRONG_TOKENS: Record<string, (token: string, id: string, other: string) => string> = {
  'one letter changed': (token) => `${token.startsWith('B') ? 'C' : 'B'}${token.slice(1)}`,
  'the last letter changed': (token) => `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
  'one letter less': (token) => token.slice(0, -1),
  'one letter more': (token) => `${token}A`,
  padding: (token) => `${token}=`,
  'a payment’s id': (_token, id) => id,
  'an id with a made-up proof': (_token, id) => Buffer.concat([idBytes(id), randomBytes(16)]).toString('base64url'),
  'an id with another payment’s proof': (_token, id, other) =>
    Buffer.concat([idBytes(id), Buffer.from(other, 'base64url').subarray(16)]).toString('base64url'),
  'random bytes': () => randomBytes(32).toString('base64url'),
  'a word': () => 'x',
};

test('the table of this file lists all paths of the checkout', () => {
  const declared = app.node.app.routes.filter(({ access }) => access.kind === 'clientToken');
  const paths = declared.map(({ path }) => path.replace('/checkout/{clientToken}', ''));
  expect(PATHS.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
});

test.each(PATHS)(
  "$path of the checkout returns 404 for a wrong token and for a merchant's token",
  async ({ send, type }) => {
    const [{ id, clientToken }, other] = [await create(app, webframe()), await create(app, webframe())];
    const wrong = Object.entries(WRONG_TOKENS).map(([name, make]) => [name, make(clientToken, id, other.clientToken)]);
    await leavesNothing(app, async () => {
      for (const [name, token] of [...wrong, ['a merchant’s', await app.token()]]) {
        const reply = await send(token!);
        expect([name, reply.status, reply.headers.get('content-type')]).toEqual([name, 404, type]);
        if (reply.json) expect(reply.json.code).toBe('not_found');
        else expect(reply.text).toMatch(/^<!doctype html>/);
      }
    });
  },
);

test('POST …/pay by a form returns an HTML page for a wrong token', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const reply = await app.call('/checkout/x/pay', { body: 'phoneNumber=923000001', headers, token: null });
  expect(reply.status).toBe(404);
  expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test('GET /api/payments/{id} returns 404 for a client token', async () => {
  const { clientToken } = await create(app, webframe());
  expect((await app.call(`/api/payments/${clientToken}`)).status).toBe(404);
});

test('the database stores no client token, and GET of the payment returns the token again', async () => {
  const { id, clientToken } = await create(app, webframe());
  expect((await app.call(`/api/payments/${id}`)).json.clientToken).toBe(clientToken);
  const [row] = await app.sql('select row_to_json(p)::text as text from payments p where id = $1', [id]);
  expect(row.text).not.toContain(clientToken);
});

describe('a browser on another website', () => {
  const ORIGIN = 'Origin: https://loja.example';

  test.each(['GET', 'POST'])('may send a CORS preflight for %s', async (method) => {
    const { clientToken } = await create(app, webframe());
    const ask = [ORIGIN, `Access-Control-Request-Method: ${method}`, 'Access-Control-Request-Headers: content-type'];
    const reply = await sendRaw(app.url, `OPTIONS /checkout/${clientToken}/pay`, ask);
    expect(reply.status).toBe(204);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-allow-methods')).toContain(method);
    expect(reply.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('content-type');
    // `*` excludes cookies. The checkout sets no cookie.
    expect(reply.headers.has('access-control-allow-credentials')).toBe(false);
  });

  test('may read responses and errors of the checkout', async () => {
    const { clientToken } = await create(app, webframe());
    const requests: [string, string, number][] = [
      ['GET', `/checkout/${clientToken}/session`, 200],
      ['GET', '/checkout/x/session', 404],
      ['DELETE', `/checkout/${clientToken}/session`, 405],
    ];
    for (const [method, path, status] of requests) {
      const reply = await sendRaw(app.url, `${method} ${path}`, [ORIGIN]);
      expect(reply.status).toBe(status);
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      expect(reply.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
    }
  });

  test('may not call the API of the merchant', async () => {
    for (const path of ['/api/payments', '/oauth/token']) {
      const reply = await sendRaw(app.url, `OPTIONS ${path}`, [ORIGIN, 'Access-Control-Request-Method: POST']);
      expect(reply.headers.has('access-control-allow-origin')).toBe(false);
    }
  });
});

// This test runs last, because it advances the clock by days.
test('a client token expires a day after the end of its payment', async () => {
  const { payment, attemptId } = await createPushed(app);
  const open = await create(app, webframe({ metadata: { expiresInMinutes: 1440 } }));
  await notify(app, attemptId, declined('CUSTOMER_REFUSED'));
  const statuses = async (token: string) =>
    Promise.all(PATHS.slice(0, 2).map(async ({ send }) => (await send(token)).status));
  app.clock.leap(24 * 3_600_000 - 1_000);
  expect(await statuses(payment.clientToken)).toEqual([200, 200]);
  expect(await statuses(open.clientToken)).toEqual([200, 200]);
  app.clock.leap(2_000);
  expect(await statuses(payment.clientToken)).toEqual([404, 404]);
  expect(
    (await app.call(`/checkout/${payment.clientToken}/pay`, { body: { phoneNumber: '923000001' }, token: null }))
      .status,
  ).toBe(404);
  // The second payment ends later, so its checkout is still open.
  await travelToStatus(app, open.id, 'Expired');
  expect(await statuses(open.clientToken)).toEqual([200, 200]);
});
