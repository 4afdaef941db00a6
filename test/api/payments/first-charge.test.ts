import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type CallOptions, type Reply, type TestApp } from '../../support/app.ts';
import { enterConsole } from '../../support/console.ts';
import { createLink, linkBody, useLink } from '../../support/links.ts';
import { addMember } from '../../support/members.ts';
import { operateJson } from '../../support/cli.ts';
import { purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { registerPerson } from '../../support/people.ts';
import { pay, reference, untilRegistered } from '../../support/ppr.ts';
import { qrcode, scanCode } from '../../support/qrcodes.ts';

/** The sandbox automatically approves pushes to this phone. */
const APPROVER = '900000000';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

type Shop = { merchantId: string; app: TestApp };

/** Returns the test app with a token of this merchant. */
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

/** Creates a merchant without GPO ids, like an earlier release did. The next start of a node adds the ids. */
async function openByEarlierRelease(): Promise<Shop> {
  const shop = await app.addMerchant({ gpoMerchantIds: [], gpoPosIds: [], entity: null });
  await (await app.startTwin()).stop();
  return shopOf({ merchantId: shop.merchantId, clientId: shop.clientId, clientSecret: shop.secret });
}

test.each([
  ['the API', openByApi],
  ['the command line', openByCommand],
  ['an earlier release', openByEarlierRelease],
])(
  'a sandbox merchant that is created by %s can be paid by push, page, QR code, reference and link',
  async (_name, open) => {
    const shop = await open();
    const create = async (body: object, headers = {}) => {
      const reply = await shop.app.call('/api/payments', { body, headers });
      expect(reply.status, reply.text).toBe(201);
      return reply.json;
    };
    const [push, page] = [await create(purchase(APPROVER)), await create(webframe())];
    const link = await useLink(shop.app, await createLink(shop.app));
    for (const token of [page.clientToken, link.token])
      await app.call(`/checkout/${token}/pay`, { body: { phoneNumber: APPROVER }, token: null });
    const code = await create(qrcode(), { Prefer: 'return=representation' });
    expect((await scanCode(app, code.qrCode.content)).status).toBe(201);
    const { json } = await shop.app.call('/api/references/ppr', { body: reference() });
    await untilRegistered(shop.app, json.reference);
    await pay(app, json);
    for (const id of [push.internalId, page.internalId, link.id, code.internalId, json.reference])
      await travelToStatus(shop.app, id, 'Paid');
  },
);

test("two sandbox merchants never share a live reference, and cannot read each other's references", async () => {
  const [one, other] = [await openByApi(), await openByApi()];
  const { json } = await one.app.call('/api/references/ppr', { body: reference() });
  const taken = await other.app.call('/api/references/ppr', { body: reference({ reference: json.reference }) });
  expect([taken.status, taken.json.code]).toEqual([400, 'reference_in_use']);
  expect((await other.app.call(`/api/references/ppr/${json.reference}`)).status).toBe(404);
});

test('two sandbox merchants have different GPO ids', async () => {
  const [one, other] = [await openByApi(), await openByCommand()];
  const read = async ({ app, merchantId }: Shop) => (await app.call(`/api/merchants/${merchantId}`)).json;
  const [first, second] = [await read(one), await read(other)];
  expect(first.gpoPosIds).toHaveLength(1);
  expect(first.gpoPosIds).not.toEqual(second.gpoPosIds);
  expect(first.gpoMerchantIds).not.toEqual(second.gpoMerchantIds);
});

test('a sandbox push shows the payer the name of the merchant', async () => {
  const shop = await openByApi();
  await shop.app.call('/api/payments', { body: purchase('923000111') });
  const read = async () => (await app.call('/sandbox/phone/923000111/pushes', { token: null })).json.pushes[0];
  const push = await until(read, 'the push reaching the phone');
  expect(push.merchant).toBe('Panos da Ana');
});

test('a starting node keeps the ids that an operator assigned', async () => {
  const { merchantId } = await app.addMerchant({ gpoMerchantIds: [], gpoPosIds: ['pos-own'], entity: null });
  await (await app.startTwin()).stop();
  const [row] = await app.sql('select gpo_merchant_ids, gpo_pos_ids, entity from merchants where id = $1', [
    merchantId,
  ]);
  expect(row).toEqual({ gpo_merchant_ids: [], gpo_pos_ids: ['pos-own'], entity: null });
});

describe('a merchant without GPO ids and without an entity', () => {
  const CONTACT = 'operador@balcao.example';
  const CREATIONS: [string, string, object, string][] = [
    ['push', '/api/payments', purchase(APPROVER), 'gpo_id_required'],
    ['page', '/api/payments', webframe(), 'gpo_id_required'],
    ['QR code', '/api/payments', qrcode(), 'gpo_id_required'],
    ['reference', '/api/references/ppr', reference(), 'entity_not_assigned'],
  ];
  let named: TestApp;
  let token: string;
  let merchantId: string;
  beforeAll(async () => {
    named = await app.startTwin({ env: { OPERATOR_CONTACT: CONTACT } });
    const shop = await app.addMerchant({ gpoMerchantIds: [], gpoPosIds: [], entity: null });
    merchantId = shop.merchantId;
    token = await named.token(shop.clientId, shop.secret);
  });

  test.each(CREATIONS)('receives a 400 for a %s that says how to connect a rail', async (_name, path, body, code) => {
    const { status, json } = await named.call(path, { body, token });
    expect([status, json.code]).toEqual([400, code]);
    expect(json.detail).toContain(`/console/rails`);
    expect(json.detail).toContain(CONTACT);
  });

  test("sees in the console how to connect a rail, depending on the user's role", async () => {
    const fields = { amount: '10', way: 'push', phone: APPROVER };
    const owner = await enterConsole(named, await addMember(app, { merchantId, role: 'Owner' }));
    const refused = (await owner.act('/console/charge', 'charge', fields)).text;
    expect(refused).toContain('A sua loja ainda não pode cobrar por Multicaixa Express.');
    expect(refused).toContain('href="/console/rails?new"');
    expect(refused).toContain(CONTACT);
    const cashier = await enterConsole(named, await addMember(app, { merchantId, role: 'Cashier' }));
    const shown = (await cashier.act('/console/charge', 'charge', { ...fields, way: 'reference' })).text;
    expect(shown).toContain('A sua loja ainda não tem entidade para referências.');
    expect(shown).toContain('Peça a um administrador');
    expect(shown).not.toContain('href="/console/rails?new"');
  });

  test('sees at the creation of a link that the link cannot be paid', async () => {
    const { json } = await named.call('/api/links', { body: linkBody(), token });
    expect(json.obstacles).toEqual(['gpo_id_required']);
    const [listed] = (await named.call('/api/links', { token })).json.data;
    expect(listed.obstacles).toEqual(['gpo_id_required']);
    const owner = await enterConsole(named, await addMember(app, { merchantId, role: 'Owner' }));
    const made = await owner.act('/console/links', 'linkCreate', { title: 'Rifa', amount: '100' });
    const { text } = await owner.open(made.headers.get('location')!);
    expect(text).toContain('Por agora, este link não pode ser pago');
    expect(text).toContain('href="/console/rails?new"');
  });
});

test('a merchant with only an entity is paid by a page that offers references', async () => {
  const { token, merchantId } = await app.addMerchant({ gpoMerchantIds: [], gpoPosIds: [] });
  await app.sql(`update merchants set checkout_methods = '{push,reference}' where id = $1`, [merchantId]);
  const made = await app.call('/api/payments', { body: webframe(), token });
  expect(made.status).toBe(201);
  const page = await app.call(`/checkout/${made.json.clientToken}/session`, { token: null });
  expect(page.json.ways).toEqual(['reference']);
  const link = await app.call('/api/links', { body: linkBody(), token });
  expect(link.json.obstacles).toEqual([]);
});
