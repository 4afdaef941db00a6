// The hosted page in the dialog where nothing goes as it should: its script is late, links are wrong, the gateway has a bad moment.
import { expect } from '../../support/expect.ts';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { allowOrigin, DialogPage } from '../pages/dialog.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
  await allowOrigin(fixture.app, merchant.url);
});
afterAll(() => merchant.close());

const FORM = 'Pague com Multicaixa Express';
const WAITING = 'Confirme o pagamento no seu telemóvel';
const SCRIPTS = '**/assets/*.js';
const DESKTOP = { viewport: { width: 1280, height: 900 } };
const ISOLATED = { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' };

/** A page of the merchant, isolated as strictly as can be, whose dialog is open. */
async function openDialog(token: string, expected?: RegExp, areScriptsBlocked = false) {
  const page = await fixture.visit({ ...DESKTOP, origins: [merchant.url], ...(expected && { expected }) });
  const shop = new DialogPage(page);
  await shop.rememberEvents();
  if (areScriptsBlocked) await page.route(SCRIPTS, (route) => route.abort());
  shop.tellsHeight = !areScriptsBlocked && !expected;
  const body = `<balcao-checkout token="${token}" theme="dark" open></balcao-checkout>`;
  await page.goto(merchant.show({ body, headers: ISOLATED }));
  return shop;
}

const expectDark = (shop: DialogPage) =>
  expect(shop.inside.locator('html')).toHaveCSS('background-color', 'rgb(30, 28, 25)');

describe('before its script came', () => {
  const openEarly = async (body = webframe()) => {
    const payment = await create(fixture.app, body);
    const shop = await openDialog(payment.clientToken, /ERR_FAILED|400/, true);
    await shop.expectInside(FORM);
    return shop;
  };

  test('a tap on the button stays in the frame, and the page around hears all that follows', async () => {
    const shop = await openEarly();
    await shop.page.unroute(SCRIPTS);
    await shop.payInside('900000000');
    await shop.expectInside(WAITING);
    await expectDark(shop);
    await shop.expectFitting();
    await shop.travelToInside(fixture.app, 'Pago');
    expect(await shop.readEvents()).toEqual(['balcao:status Processing', 'balcao:status Paid', 'balcao:paid Paid']);
    await expect(shop.elsewhere).toHaveCount(0);
    await shop.inside.getByRole('link', { name: 'Descarregar esta página' }).focus();
    shop.pressEscape();
    await expect(shop.dialog).toHaveCount(0);
  });

  test('so does another language, and what is wrong with a number', async () => {
    const shop = await openEarly();
    await shop.followInside('English');
    await shop.expectInside('Pay with Multicaixa Express');
    await shop.page.unroute(SCRIPTS);
    await shop.payInside('12');
    await expect(shop.inside.getByRole('textbox')).toHaveAttribute('aria-invalid', 'true');
    await expectDark(shop);
    await expect.poll(() => shop.readEvents()).toEqual(['balcao:status Pending']);
  });

  test('the way back to the shop leads the whole window there', async () => {
    const { publicUrl } = fixture.app.node.core;
    const shop = await openEarly(webframe({ metadata: { cancelUrl: `${publicUrl}/demo` } }));
    await shop.page.unroute(SCRIPTS);
    await shop.followInside('Voltar à loja sem pagar');
    await expect(shop.page).toHaveURL(`${publicUrl}/demo`);
  });
});

describe('the links of the page', () => {
  test('"look again" asks the server, and "keep" keeps the page as it is by itself', async () => {
    const payment = await create(fixture.app, webframe());
    const shop = await openDialog(payment.clientToken);
    await shop.expectInside(FORM);
    await shop.payInside('900000000');
    await shop.expectInside(WAITING);
    const [again] = await Promise.all([
      shop.page.waitForRequest((request) => request.isNavigationRequest()),
      shop.followInside('Atualizar'),
    ]);
    expect(again.url()).toBe(`${payment.checkoutUrl}?lang=pt&embed=1&theme=dark`);
    await shop.expectInside(WAITING);
    await shop.travelToInside(fixture.app, 'Pago');
    expect((await shop.readEvents()).at(-1)).toBe('balcao:paid Paid');
    const [download] = await Promise.all([
      shop.page.waitForEvent('download'),
      shop.followInside('Descarregar esta página'),
    ]);
    expect(download.url()).toBe(`${payment.checkoutUrl}?lang=pt&keep=1`);
    expect(await download.failure()).toBeNull();
  });
});

describe('what cannot be shown', () => {
  const mendDatabase = () => fixture.app.sql('alter table if exists payments_away rename to payments');
  afterEach(mendDatabase);

  test('a wrong link says so in any language, on isolated pages too', async () => {
    const shop = await openDialog('nothing', /404/);
    await shop.expectInside('Este link de pagamento não é válido');
    await shop.followInside('English');
    await shop.expectInside('This payment link is not valid');
  });

  test('a bad moment says so, in any language, and leads back into the same frame', async () => {
    const payment = await create(fixture.app, webframe());
    await fixture.app.sql('alter table payments rename to payments_away');
    const shop = await openDialog(payment.clientToken, /500/);
    await shop.expectInside('Esta página não abriu agora');
    await shop.followInside('English');
    await shop.expectInside('This page did not open just now');
    await mendDatabase();
    await shop.followInside('Open again');
    await shop.expectInside('Pay with Multicaixa Express');
    await expectDark(shop);
    await expect.poll(() => shop.readEvents()).toEqual(['balcao:status Pending']);
  });
});
