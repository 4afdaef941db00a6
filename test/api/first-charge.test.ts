// A new shop's first charge: in the sandbox each way is paid at once; in production the refusal names the way out.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type CallOptions, type Reply, type TestApp } from '../support/app.ts';
import { createLink, useLink } from '../support/links.ts';
import { operateJson } from '../support/operator.ts';
import { purchase, travelToStatus, webframe } from '../support/payments.ts';
import { registerPerson } from '../support/people.ts';
import { pay, reference, untilRegistered } from '../support/ppr.ts';
import { qrcode, scanCode } from '../support/qrcodes.ts';

/** A phone that approves by itself. */
const APPROVER = '900000000';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

type Shop = { merchantId: string; app: TestApp };

/** The app as one merchant's own client calls it. */
async function shopOf({ merchantId, clientId, clientSecret }: Record<string, string>): Promise<Shop> {
  const token = await app.token(clientId, clientSecret);
  const call = (path: string, options: CallOptions = {}): Promise<Reply> => app.call(path, { token, ...options });
  return { merchantId: merchantId!, app: { ...app, call } };
}

async function openByApi(): Promise<Shop> {
  const ana = await registerPerson(app);
  const { json } = await ana.call('/api/merchants', { body: { name: 'Panos da Ana' } });
  return shopOf({ merchantId: json.merchant.id, ...json.client });
}

async function openByCommand(): Promise<Shop> {
  return shopOf(await operateJson(app, 'merchant', 'create', '--name', 'Padaria Nova'));
}

/** A row as an earlier release left it, met by a node that starts. */
async function openByEarlierRelease(): Promise<Shop> {
  const shop = await app.addMerchant({ gpoMerchantIds: [], gpoPosIds: [], entity: null });
  await (await app.startTwin()).stop();
  return shopOf({ merchantId: shop.merchantId, clientId: shop.clientId, clientSecret: shop.secret });
}

describe.each([
  ['the API', openByApi],
  ['the command line', openByCommand],
  ['an earlier release', openByEarlierRelease],
])('a sandbox shop made by %s', (_name, open) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await open();
  });
  const create = async (body: object, headers = {}) => {
    const reply = await shop.app.call('/api/payments', { body, headers });
    expect(reply.status, reply.text).toBe(201);
    return reply.json;
  };
  const untilPaid = (id: string) => travelToStatus(shop.app, id, 'Paid');

  test('is paid by push', async () => {
    await untilPaid((await create(purchase(APPROVER))).internalId);
  });

  test('is paid by its page', async () => {
    const { internalId, clientToken } = await create(webframe());
    await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: APPROVER }, token: null });
    await untilPaid(internalId);
  });

  test('is paid by QR code', async () => {
    const { internalId, qrCode } = await create(qrcode(), { Prefer: 'return=representation' });
    expect((await scanCode(app, qrCode.content)).status).toBe(201);
    await untilPaid(internalId);
  });

  test('is paid by reference', async () => {
    const { json } = await shop.app.call('/api/references/ppr', { body: reference() });
    await untilRegistered(shop.app, json.reference);
    await pay(app, json);
    await travelToStatus(shop.app, json.reference, 'Paid');
  });

  test('is paid by link', async () => {
    const { token, id } = await useLink(shop.app, await createLink(shop.app));
    await app.call(`/checkout/${token}/pay`, { body: { phoneNumber: APPROVER }, token: null });
    await untilPaid(id);
  });
});

test('two sandbox shops never have one live reference, and neither reads the other’s', async () => {
  const [one, other] = [await openByApi(), await openByApi()];
  const { json } = await one.app.call('/api/references/ppr', { body: reference() });
  const taken = await other.app.call('/api/references/ppr', { body: reference({ reference: json.reference }) });
  expect([taken.status, taken.json.code]).toEqual([400, 'reference_in_use']);
  expect((await other.app.call(`/api/references/ppr/${json.reference}`)).status).toBe(404);
});

test('two sandbox shops have terminals of their own', async () => {
  const [one, other] = [await openByApi(), await openByCommand()];
  const read = async ({ app, merchantId }: Shop) => (await app.call(`/api/merchants/${merchantId}`)).json;
  const [first, second] = [await read(one), await read(other)];
  expect(first.gpoPosIds).toHaveLength(1);
  expect(first.gpoPosIds).not.toEqual(second.gpoPosIds);
  expect(first.gpoMerchantIds).not.toEqual(second.gpoMerchantIds);
});

test('the payer’s phone in the sandbox names the shop', async () => {
  const shop = await openByApi();
  await shop.app.call('/api/payments', { body: purchase('923000111') });
  const read = async () => (await app.call('/sandbox/phone/923000111/pushes', { token: null })).json.pushes[0];
  const push = await until(read, 'the push reaching the phone');
  expect(push.merchant).toBe('Panos da Ana');
});

test('a start leaves the ids that an operator assigned', async () => {
  const { merchantId } = await app.addMerchant({ gpoMerchantIds: [], gpoPosIds: ['pos-own'], entity: null });
  await (await app.startTwin()).stop();
  const [row] = await app.sql('select gpo_merchant_ids, gpo_pos_ids, entity from merchants where id = $1', [
    merchantId,
  ]);
  expect(row).toEqual({ gpo_merchant_ids: [], gpo_pos_ids: ['pos-own'], entity: null });
});
