import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { enterConsole, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { create, purchase, travelToStatus } from '../../support/payments.ts';

const CONTACT = 'operador@balcao.example';
const PATH = '/console/start';
const MENU = 'href="/console/start"';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { OPERATOR_CONTACT: CONTACT } });
});

type Bare = Parameters<TestApp['addMerchant']>[0];

async function openShop(fields: Bare = {}) {
  const { merchantId, token } = await app.addMerchant(fields);
  await app.sql(`update merchants set checkout_methods = '{push,qrcode,reference}' where id = $1`, [merchantId]);
  const enter = async (role: 'Owner' | 'Cashier' | 'Developer' = 'Owner') =>
    enterConsole(app, await addMember(app, { merchantId, role }));
  const call: TestApp['call'] = (path, options = {}) => app.call(path, { token, ...options });
  return { merchantId, enter, app: { ...app, call } };
}

async function takePayment(shop: Awaited<ReturnType<typeof openShop>>): Promise<void> {
  const { internalId } = await create(shop.app, purchase('900000000'));
  await travelToStatus(shop.app, internalId, 'Paid');
}

const homeOf = async (visit: Visit) => (await visit.open('/console')).headers.get('location');

/** The texts of the badges, in the order of the methods. */
const badgesIn = (text: string) =>
  [...text.matchAll(/<span class="state \w+">.*?<\/svg>([^<]+)/g)].map(([, word]) => word);

describe('the start screen of a new shop that can charge', () => {
  test('is its home, names each method as ready, and leads to the first charge', async () => {
    const owner = await (await openShop()).enter();
    expect(await homeOf(owner)).toBe(PATH);
    const { text } = await owner.open(PATH);
    expect(text).toContain('A sua loja já pode cobrar por: Multicaixa Express, Código QR e Referência.');
    expect(badgesIn(text)).toEqual(['Pode cobrar', 'Pode cobrar', 'Pode cobrar']);
    expect(text).toContain('href="/console/charge"');
    expect(text).not.toContain('href="/console/rails?new"');
  });

  test('leaves home and menu with the first payment', async () => {
    const shop = await openShop();
    const owner = await shop.enter();
    expect((await owner.open('/console/payments')).text).toContain(MENU);
    await takePayment(shop);
    expect(await homeOf(owner)).toBe('/console/today');
    expect((await owner.open('/console/payments')).text).not.toContain(MENU);
  });
});

describe('the start screen of a shop that lacks a method', () => {
  test('names each obstacle and leads to a contract and to the operator', async () => {
    const owner = await (await openShop({ gpoMerchantIds: [], gpoPosIds: [], entity: null })).enter();
    const { text } = await owner.open(PATH);
    expect(text).toContain('A sua loja ainda não pode cobrar.');
    expect(badgesIn(text)).toEqual(['Ainda não', 'Ainda não', 'Ainda não']);
    expect(text).toContain('Falta um contrato de Multicaixa Express');
    expect(text).toContain('Falta uma entidade para as referências');
    expect(text).toContain('href="/console/rails?new"');
    expect(text).toContain(`href="mailto:${CONTACT}"`);
    expect(text).not.toContain('Fazer a primeira cobrança');
  });

  test('offers no contract to a developer, whose role cannot add one', async () => {
    const developer = await (await openShop({ entity: null })).enter('Developer');
    const { text } = await developer.open(PATH);
    expect(text).not.toContain('href="/console/rails?new"');
    expect(text).toContain('Peça a um administrador da loja');
  });

  test('stays in the menu after the first payment, until the method is set aside', async () => {
    const shop = await openShop({ entity: null });
    const owner = await shop.enter();
    await takePayment(shop);
    expect(await homeOf(owner)).toBe('/console/today');
    expect((await owner.open('/console/payments')).text).toContain(MENU);
    const done = await owner.act(PATH, 'offer', { methods: 'push,qrcode' });
    expect(done.status).toBe(303);
    expect((await owner.open('/console/payments')).text).not.toContain(MENU);
    const { json } = await shop.app.call(`/api/merchants/${shop.merchantId}`);
    expect(json.checkoutMethods).toEqual(['push', 'qrcode']);
    const { text } = await owner.open(PATH);
    expect(badgesIn(text)).toEqual(['Pode cobrar', 'Pode cobrar', 'Posta de parte']);
    expect(text).toContain('name="methods" value="push,qrcode,reference"');
  });

  test('refuses to set every method aside', async () => {
    const owner = await (await openShop({ entity: null })).enter();
    expect((await owner.act(PATH, 'offer', { methods: '' })).status).toBe(400);
  });
});

test('a cashier of a new shop begins at another screen, without the start screen in the menu', async () => {
  const cashier = await (await openShop()).enter('Cashier');
  expect(await homeOf(cashier)).not.toBe(PATH);
  expect((await cashier.open('/console/charge')).text).not.toContain(MENU);
  expect((await cashier.open(PATH)).text).toContain('Quem gere a loja prepara aqui');
});
