// A try of an account's credentials: each of its results, at each provider; nothing is bought, and only a success is remembered.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Fake } from '../../../sandbox/rails/fake.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  addRail,
  callRails,
  NOBODY,
  openAppyPay,
  openKamba,
  openOmbala,
  openOpg,
  openProxypay,
  SECRET,
  type RailBody,
  type RailOwnerHere,
} from '../../support/rail-accounts.ts';

/** A provider, its fake, and what may be asked of it by a try. */
type Provider = { fake: Fake; body: RailBody; asks: string };

let app: TestApp;
let shop: RailOwnerHere;
const providers: Record<string, Provider> = {};
beforeAll(async () => {
  app = await startTestApp();
  shop = await app.addMerchant();
  const { clock } = app;
  Object.assign(providers, {
    appypay: { ...(await openAppyPay(clock)), asks: 'POST /oauth2/token' },
    proxypay: { ...(await openProxypay(clock)), asks: 'GET /payments' },
    opg: { ...(await openOpg(clock)), asks: 'GET /opg/v1/transactions/balcao-probe' },
    kambasms: { ...(await openKamba(clock)), asks: 'GET /credits/balance' },
    ombala: { ...(await openOmbala(clock)), asks: 'GET /messages' },
  });
});

/** Enters it, tries it, and tells what came of it, and whether it is proved now. */
async function tryBody(body: RailBody) {
  const { id } = await addRail(app, shop, body);
  const { status, json } = await callRails(app, shop, { id, at: '/test', method: 'POST' });
  const { verifiedAt } = (await callRails(app, shop, { id })).json;
  await callRails(app, shop, { id, method: 'DELETE' });
  return { status, result: json.result, detail: json.detail, verifiedAt };
}

const SENTENCE = /^[A-Z][^\n]{10,200}\.$/;

async function expectFault(body: RailBody, result: string): Promise<void> {
  const tried = await tryBody(body);
  expect(tried).toEqual({ status: 200, result, detail: expect.stringMatching(SENTENCE), verifiedAt: null });
  expect(tried.detail).not.toContain(SECRET);
}

/** The same account with this field of its address or secret changed. */
const withSecret = (body: RailBody, value: string): RailBody => {
  const secrets = Object.fromEntries(
    Object.entries(body.secrets ?? {}).map(([name, kept]) => [name, kept === SECRET ? value : kept]),
  );
  return { ...body, secrets };
};
const withHost = (body: RailBody, url: string): RailBody => {
  const urls = Object.keys(body.settings).filter((name) => name.endsWith('Url'));
  return { ...body, settings: { ...body.settings, ...Object.fromEntries(urls.map((name) => [name, url])) } };
};

describe.each(['appypay', 'proxypay', 'opg', 'kambasms', 'ombala'])('%s', (name) => {
  test('good ones: one question, and it is remembered when', async () => {
    const { fake, body, asks } = providers[name]!;
    fake.requests.length = 0;
    const verifiedAt = app.clock.now().toISOString();
    expect(await tryBody(body)).toEqual({ status: 200, result: 'ok', detail: null, verifiedAt });
    expect(fake.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([asks]);
  });

  test('a wrong secret', () =>
    expectFault(withSecret(providers[name]!.body, 'wrong-secret-of-nobody'), 'wrong_secret'));

  test('known, and not let in', async () => {
    const { fake, body } = providers[name]!;
    fake.fault(403);
    await expectFault(body, 'not_allowed');
  });

  test('somebody else’s host', async () => {
    const { fake, body } = providers[name]!;
    fake.fault(405);
    await expectFault(body, 'wrong_host');
  });

  test('nobody there, and somebody who cannot answer', async () => {
    const { fake, body } = providers[name]!;
    await expectFault(withHost(body, NOBODY), 'no_connection');
    fake.fault('drop_before');
    await expectFault(body, 'no_connection');
    fake.fault(503);
    await expectFault(body, 'no_connection');
  });
});

test('a try that fails takes nothing back that was proved before', async () => {
  const { fake, body } = providers['appypay']!;
  const { id } = await addRail(app, shop, body);
  const attempt = async () => (await callRails(app, shop, { id, at: '/test', method: 'POST' })).json.result;
  expect(await attempt()).toBe('ok');
  const { verifiedAt } = (await callRails(app, shop, { id })).json;
  await app.clock.pass(60_000);
  fake.fault(503);
  expect(await attempt()).toBe('no_connection');
  expect((await callRails(app, shop, { id })).json.verifiedAt).toBe(verifiedAt);
});

test('a name that leads into a private network is not called', async () => {
  const { id } = await addRail(app, shop, providers['kambasms']!.body);
  // As if its name had led elsewhere when it was entered.
  const settings = { sender: 'LOJA', baseUrl: 'https://10.0.0.1/api' };
  await app.sql('update rail_accounts set settings = $2 where id = $1', [id, settings]);
  const { json } = await callRails(app, shop, { id, at: '/test', method: 'POST' });
  expect(json).toEqual({ result: 'wrong_host', detail: expect.stringMatching(SENTENCE) });
});
