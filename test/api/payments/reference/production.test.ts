// References in production: nothing where no rail takes them; with one, its currency only, whether it can be reached or not.
import { afterEach, describe, expect, test } from 'vitest';
import { PRODUCTION_ENV, startTestApp, until, type TestApp } from '../../../support/app.ts';
import {
  byReference,
  faultsOf,
  pay,
  PPR,
  readAtMachine,
  reference,
  untilReceived,
  untilRegistered,
} from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';

const RAIL = { PPR_URL: 'https://127.0.0.1:9', PPR_KEY: 'a key of a real PPR rail' };

let app: TestApp;
let token: string;
afterEach(() => app?.stop());

async function start(env: Record<string, string>): Promise<void> {
  app = await startTestApp({ env: { ...PRODUCTION_ENV, ...env } });
  ({ token } = await app.addMerchant());
}

const CREATIONS: [string, string, object][] = [
  ['one', PPR, reference()],
  ['a legacy one', `${PPR}/legacy`, reference()],
  ['a bulk', `${PPR}/bulk`, { references: [reference()] }],
  ['a payment', '/api/payments', byReference()],
];

describe('without a PPR rail', () => {
  test('nothing is created, and nothing is there', async () => {
    await start({});
    for (const [, path, body] of CREATIONS) {
      const reply = await leavesNothing(app, () => app.call(path, { body, token }));
      expect([reply.status, reply.json.code]).toEqual([400, 'payment_method_unavailable']);
    }
    expect((await app.call(PPR, { token })).json).toMatchObject({ data: [], totalItems: 0 });
    expect((await app.call(`${PPR}/123456789/cancel`, { method: 'POST', token })).status).toBe(404);
    expect((await app.call('/rails/ppr/notifications', { body: {}, token: null })).status).toBe(401);
  });
});

describe('with a rail that cannot be reached', () => {
  test('is created all the same, and canceled; the history says why nobody can pay it', async () => {
    await start(RAIL);
    for (const [name, path, body] of CREATIONS) {
      const { status, json } = await app.call(path, { body, token });
      expect([name, status]).toEqual([name, 201]);
      const made = json.data?.[0] ?? json;
      expect(made).toMatchObject({ status: 'Pending', registeredAt: null, currency: 'AOA' });
      expect(made.checkoutUrl).toMatch(/^https:\/\/pay\.example\/checkout\//);
    }
    const { json } = await app.call(PPR, { body: reference(), token });
    const steps = async () =>
      (await app.call(`${PPR}/${json.reference}/history`, { token })).json.data.map(({ type }: any) => type);
    await until(async () => (await steps()).includes('reference.registration_failed'), 'the failure');
    const canceled = await app.call(`${PPR}/${json.reference}/cancel`, { method: 'POST', token });
    expect([canceled.status, canceled.json.status]).toEqual([200, 'Canceled']);
  });

  test('takes kwanzas only', async () => {
    await start(RAIL);
    const reply = await leavesNothing(app, () =>
      app.call('/api/payments', { body: byReference({}, { currency: 'USD' }), token }),
    );
    expect([reply.status, reply.json.code]).toEqual([400, 'currency_not_supported']);
    expect(faultsOf(reply)).toEqual(['/currency currency_not_supported']);
  });
});

test.each([
  ['JPY', 15, '15'],
  ['USD', 15.5, '15.50'],
  ['KWD', 1.125, '1.125'],
])('the sandbox’s rail takes any well-formed currency, %s in its own decimals', async (currency, amount, shown) => {
  app = await startTestApp();
  const { status, json } = await app.call('/api/payments', { body: byReference({}, { currency, amount }) });
  expect([status, json.currency, json.amount]).toEqual([201, currency, amount]);
  await untilRegistered(app, json.reference);
  expect(await readAtMachine(app, json)).toMatchObject({ amount: shown, currency });
  await pay(app, json);
  expect(await untilReceived(app, json.reference, amount)).toMatchObject({ status: 'Paid', currency, flags: [] });
});
