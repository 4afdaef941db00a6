// Failures of the page in the dialog: a late script, wrong links, a gateway without its database.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { afterEach, describe, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { DialogPage } from '../pages/dialog.ts';
import { checkoutElement, openMerchant } from '../pages/merchant.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

const FORM = 'Pague com Multicaixa Express';
const WAITING = 'Confirme o pagamento no seu telemóvel';
const SCRIPTS = '**/assets/*.js';
const DESKTOP = { viewport: { width: 1280, height: 900 } };
const ISOLATED = { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' };

/** Opens a dialog on a page of the merchant with cross-origin isolation. */
async function openDialog(token: string, expected?: RegExp, areScriptsBlocked = false) {
  const prepare = async (page: Page) => {
    await new DialogPage(page).rememberEvents();
    if (areScriptsBlocked) await page.route(SCRIPTS, (route) => route.abort());
  };
  const body = checkoutElement({ clientToken: token }, 'theme="dark" open');
  const page = await merchant.open({ body, headers: ISOLATED }, { ...DESKTOP, ...(expected && { expected }), prepare });
  const shop = new DialogPage(page);
  shop.tellsHeight = !areScriptsBlocked && !expected;
  return shop;
}

const expectDark = (shop: DialogPage) =>
  expect(shop.inside.locator('html')).toHaveCSS('background-color', 'rgb(30, 28, 25)');

describe('the page in the dialog before its script arrives', () => {
  const openEarly = async (body = webframe()) => {
    const payment = await create(fixture.app, body);
    const shop = await openDialog(payment.clientToken, /ERR_FAILED|400/, true);
    await shop.expectInside(FORM);
    return shop;
  };

  test('stays in the frame after the form is sent, and sends all later events', async () => {
    const shop = await openEarly();
    await shop.page.unroute(SCRIPTS);
    await shop.payInside('900000000');
    await shop.expectInside(WAITING);
    await expectDark(shop);
    await shop.expectFitting();
    await shop.travelToInside(fixture.app, 'Pago');
    await expect
      .poll(() => shop.readEvents())
      .toEqual(['balcao:status Processing', 'balcao:status Paid', 'balcao:paid Paid']);
    await expect(shop.elsewhere).toHaveCount(0);
    await shop.inside.getByRole('link', { name: 'Descarregar esta página' }).focus();
    shop.pressEscape();
    await expect(shop.dialog).toHaveCount(0);
  });

  test('stays in the frame after a change of language and after a wrong phone number', async () => {
    const shop = await openEarly();
    await shop.followInside('English');
    await shop.expectInside('Pay with Multicaixa Express');
    await shop.page.unroute(SCRIPTS);
    await shop.payInside('12');
    await expect(shop.inside.getByRole('textbox')).toHaveAttribute('aria-invalid', 'true');
    await expectDark(shop);
    await expect.poll(() => shop.readEvents()).toEqual(['balcao:status Pending']);
  });

  test('opens the link to the shop in the whole window', async () => {
    const { publicUrl } = fixture.app.node.core;
    const shop = await openEarly(webframe({ metadata: { cancelUrl: `${publicUrl}/demo` } }));
    await shop.page.unroute(SCRIPTS);
    await shop.followInside('Voltar à loja sem pagar');
    await expect(shop.page).toHaveURL(`${publicUrl}/demo`);
  });
});

describe('the links of the page in the dialog', () => {
  test('refresh only the frame, and save the page without the frame', async () => {
    const payment = await create(fixture.app, webframe());
    const shop = await openDialog(payment.clientToken);
    await shop.expectInside(FORM);
    await shop.payInside('900000000');
    await shop.expectInside(WAITING);
    const [again] = await Promise.all([
      shop.page.waitForRequest((request) => request.isNavigationRequest()),
      shop.followInside('Actualizar'),
    ]);
    expect(again.url()).toBe(`${payment.checkoutUrl}?lang=pt&embed=1&theme=dark`);
    await shop.expectInside(WAITING);
    await shop.travelToInside(fixture.app, 'Pago');
    await expect.poll(async () => (await shop.readEvents()).at(-1)).toBe('balcao:paid Paid');
    const [download] = await Promise.all([
      shop.page.waitForEvent('download'),
      shop.followInside('Descarregar esta página'),
    ]);
    expect(download.url()).toBe(`${payment.checkoutUrl}?lang=pt&keep=1`);
    expect(await download.failure()).toBeNull();
  });
});

describe('the page in the dialog', () => {
  const mendDatabase = () => fixture.app.sql('alter table if exists payments_away rename to payments');
  afterEach(mendDatabase);

  test('explains a wrong link in each language, on isolated pages too', async () => {
    const shop = await openDialog('nothing', /404/);
    await shop.expectInside('Este link de pagamento não é válido');
    await shop.followInside('English');
    await shop.expectInside('This payment link is not valid');
  });

  test('explains a server error in each language, and opens again in the same frame', async () => {
    const payment = await create(fixture.app, webframe());
    await fixture.app.sql('alter table payments rename to payments_away');
    const shop = await openDialog(payment.clientToken, /500/);
    await shop.expectInside('Não foi possível abrir esta página');
    await shop.followInside('English');
    await shop.expectInside('This page could not be opened');
    await mendDatabase();
    await shop.followInside('Open again');
    await shop.expectInside('Pay with Multicaixa Express');
    await expectDark(shop);
    await expect.poll(() => shop.readEvents()).toEqual(['balcao:status Pending']);
  });
});
