import { afterEach, expect, test } from 'vitest';
import { PRODUCTION_ENV, startTestApp, until, type TestApp } from '../../../support/app.ts';
import { byReference, readFieldFaults, PPR, reference } from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';

const UNREACHABLE_RAIL = { PPR_URL: 'https://127.0.0.1:9', PPR_KEY: 'a key of a real PPR rail' };

let app: TestApp;
let token: string;
afterEach(() => app?.stop());

async function start(env: Record<string, string>): Promise<void> {
  app = await startTestApp({ env: { ...PRODUCTION_ENV, ...env } });
  ({ token } = await app.addMerchant());
}

const CREATIONS: [path: string, body: object][] = [
  [PPR, reference()],
  [`${PPR}/legacy`, reference()],
  [`${PPR}/bulk`, { references: [reference()] }],
  ['/api/payments', byReference()],
];

test('production without a rail for payment references refuses every creation of a reference', async () => {
  await start({});
  for (const [path, body] of CREATIONS) {
    const reply = await leavesNothing(app, () => app.call(path, { body, token }));
    expect([reply.status, reply.json.code]).toEqual([400, 'payment_method_unavailable']);
  }
  expect((await app.call(PPR, { token })).json).toMatchObject({ data: [], totalItems: 0 });
  expect((await app.call(`${PPR}/123456789/cancel`, { method: 'POST', token })).status).toBe(404);
  expect((await app.call('/rails/ppr/notifications', { body: {}, token: null })).status).toBe(401);
});

test('production with an unreachable rail still creates and cancels references, but only in kwanzas', async () => {
  await start(UNREACHABLE_RAIL);
  for (const [path, body] of CREATIONS) {
    const { status, json } = await app.call(path, { body, token });
    expect(status, path).toBe(201);
    const made = json.data?.[0] ?? json;
    expect(made).toMatchObject({ status: 'Pending', registeredAt: null, currency: 'AOA' });
    expect(made.checkoutUrl).toMatch(/^https:\/\/pay\.example\/checkout\//);
  }
  const { json } = await app.call(PPR, { body: reference(), token });
  const isReported = async () => {
    const history = await app.call(`${PPR}/${json.reference}/history`, { token });
    return history.json.data.some(({ type }: any) => type === 'reference.registration_failed');
  };
  await until(isReported, 'the failed registration');
  const canceled = await app.call(`${PPR}/${json.reference}/cancel`, { method: 'POST', token });
  expect([canceled.status, canceled.json.status]).toEqual([200, 'Canceled']);
  const body = byReference({}, { currency: 'USD' });
  const refused = await leavesNothing(app, () => app.call('/api/payments', { body, token }));
  expect(readFieldFaults(refused)).toEqual(['/currency currency_not_supported']);
});
