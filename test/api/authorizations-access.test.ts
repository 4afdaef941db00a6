// Who may authorize, capture and cancel: tokens, scopes, other merchants; and what it costs of the write limit.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../support/app.ts';
import { authorization, cancel, capture, createAuthorized, take } from '../support/authorizations.ts';
import { readPayment } from '../support/notify.ts';
import { leavesNothing } from '../support/rows.ts';

let app: TestApp;
let held: any;
beforeAll(async () => {
  app = await startTestApp();
  held = await createAuthorized(app);
});
afterAll(() => app?.stop());

/** Every step, as somebody with this token asks for it. */
const STEPS: [string, (token: string | null, node?: TestApp) => Promise<Reply>][] = [
  ['an authorization', (token, node = app) => take(node, authorization(), { token })],
  ['a capture', (token, node = app) => take(node, capture(held.id), { token })],
  ['a cancellation', (token, node = app) => cancel(node, held.id, { token, key: randomUUID() })],
];

test.each(STEPS)('%s without a valid token is 401, and nothing happens', async (_name, ask) => {
  for (const token of [null, 'forged']) {
    const reply = await leavesNothing(app, () => ask(token));
    expect(reply.status).toBe(401);
  }
  expect(await readPayment(app, held.id)).toEqual(held);
});

test.each(STEPS)('%s by who may only read is 403, and nothing happens', async (_name, ask) => {
  const token = await app.token('demo', 'demo-secret', 'payments:read');
  const reply = await leavesNothing(app, () => ask(token));
  expect(reply).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } });
  expect(reply.headers.get('www-authenticate')).toContain('scope="payments:write"');
  expect(await readPayment(app, held.id)).toEqual(held);
});

test.each([
  ['captured', () => capture(held.id), 400],
  ['canceled', null, 404],
] as const)('another merchant’s authorization cannot be %s', async (_name, body, status) => {
  const { token } = await app.addMerchant();
  const ask = () => (body ? take(app, body(), { token }) : cancel(app, held.id, { token }));
  expect((await leavesNothing(app, ask)).status).toBe(status);
  expect(await readPayment(app, held.id)).toEqual(held);
});

test('what they are refused does not tell whether it exists', async () => {
  const { token } = await app.addMerchant();
  const strip = ({ status, json }: Reply) => ({ status, ...json, instance: null });
  const nothing = randomUUID();
  expect(strip(await cancel(app, held.id, { token }))).toEqual(strip(await cancel(app, nothing, { token })));
  expect(strip(await take(app, capture(held.id), { token }))).toEqual(
    strip(await take(app, capture(nothing), { token })),
  );
});

test('each counts as a write', async () => {
  const limited = await startTestApp({ env: { RATE_LIMIT_WRITE: '3' } });
  try {
    const token = await limited.token();
    for (const [, ask] of STEPS) {
      expect((await ask(token, limited)).headers.get('ratelimit-policy')).toBe('"write";q=3;w=60');
    }
    for (const [, ask] of STEPS) expect((await ask(token, limited)).status).toBe(429);
  } finally {
    await limited.stop();
  }
});
