// <balcao-checkout>: the hosted page in a dialog over a merchant's page, from its opening to its end.
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { create, purchase, webframe } from '../../support/payments.ts';
import { allowOrigin, DialogPage } from '../pages/dialog.ts';
import { startMerchant, type Merchant, type MerchantPage } from '../pages/merchant.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
  await allowOrigin(fixture.app, merchant.url);
});
afterAll(() => merchant.close());

const DESKTOP = { viewport: { width: 1280, height: 900 } };
const BUTTON = '<button id="pay">Pagar</button>';

async function visitShop(page: MerchantPage, options: VisitOptions = DESKTOP) {
  const shop = new DialogPage(await fixture.visit({ origins: [merchant.url], ...options }));
  await shop.rememberEvents();
  await shop.page.goto(merchant.show(page));
  return shop;
}

const elementOf = ({ clientToken }: { clientToken: string }, more = '') =>
  `<balcao-checkout token="${clientToken}" ${more}></balcao-checkout>`;

/** A payment of 1500 Kz, its dialog open, its page heard. */
async function openShop(more = '', options?: VisitOptions) {
  const payment = await create(fixture.app, webframe());
  const shop = await visitShop({ body: BUTTON + elementOf(payment, more) }, options);
  await shop.page.locator('#pay').focus();
  await shop.open();
  await shop.expectInside('Pague com Multicaixa Express');
  await expect.poll(() => shop.readEvents()).toContain('balcao:status Pending');
  return { shop, payment };
}

const countStreams = () => fixture.app.node.app.streams.count();

test('pays in the dialog, tells the page each change, the end, and that it was closed', async () => {
  const { shop } = await openShop();
  await shop.expectFitting();
  await shop.payInside('900000000');
  await shop.expectInside('Confirme o pagamento no seu telemóvel');
  await shop.expectFitting();
  await shop.travelToInside(fixture.app, 'Pago');
  await shop.expectFitting();
  await shop.closeButton.click();
  await expect(shop.dialog).toHaveCount(0);
  expect(await shop.readEvents()).toEqual([
    'balcao:status Pending',
    'balcao:status Processing',
    'balcao:status Paid',
    'balcao:paid Paid',
    'balcao:close Paid',
  ]);
});

describe('the dialog', () => {
  test.each([
    ['in the page', async (shop: DialogPage) => shop.closeButton.focus()],
    ['in the frame', async (shop: DialogPage) => shop.inside.getByRole('textbox').focus()],
  ])('is closed by Esc pressed %s, and gives the focus back', async (_where, focus) => {
    const { shop } = await openShop();
    await focus(shop);
    shop.pressEscape();
    await expect(shop.dialog).toHaveCount(0);
    await expect(shop.page.locator('#pay')).toBeFocused();
    await expect(shop.element).not.toHaveAttribute('open');
    expect((await shop.readEvents()).at(-1)).toBe('balcao:close Pending');
    await expect.poll(countStreams, { timeout: 20_000 }).toBe(0);
  });

  test('is all that can be reached while it is open', async () => {
    const { shop } = await openShop();
    const button = shop.page.locator('#pay');
    await button.focus();
    await expect(button).not.toBeFocused();
    await expect(shop.dialog).toHaveAccessibleName('Pagamento');
    for (let n = 0; n < 12; n++) {
      await shop.page.keyboard.press('Tab');
      await expect(button).not.toBeFocused();
    }
    await shop.expectNoViolations();
  });

  test('opens and closes by attribute, by method, and by the property that frameworks set', async () => {
    const { shop } = await openShop('open');
    const set = (isOpen: boolean) =>
      shop.element.evaluate((element, open) => void Object.assign(element, { open }), isOpen);
    const shut = () => expect(shop.dialog).toHaveCount(0);
    await set(false);
    await shut();
    await set(true);
    await expect(shop.dialog).toBeVisible();
    await shop.element.evaluate((element: HTMLElement & { close(): void }) => element.close());
    await shut();
    await shop.element.evaluate((element) => element.setAttribute('open', ''));
    await expect(shop.dialog).toBeVisible();
    await shop.element.evaluate((element) => element.removeAttribute('open'));
    await shut();
    await shop.open();
    await shop.expectInside('Pague com Multicaixa Express');
  });

  test('is opened by its property after a framework wrote “false”', async () => {
    const shop = await visitShop({ body: elementOf(await create(fixture.app, webframe()), 'open="false"') });
    await expect(shop.dialog).toHaveCount(0);
    await shop.element.evaluate((element) => void Object.assign(element, { open: true }));
    await shop.expectInside('Pague com Multicaixa Express');
  });

  test('is left as it is, opened again by its method or its property after a framework wrote “true”', async () => {
    const shop = await visitShop({ body: elementOf(await create(fixture.app, webframe()), 'open="true"') });
    const phone = shop.inside.getByRole('textbox');
    await phone.fill('923');
    await shop.element.evaluate((element: HTMLElement & { open(): void }) => {
      element.open();
      Object.assign(element, { open: true });
    });
    await expect(phone).toHaveValue('923');
  });

  test('is never without height, fills a small phone, and does not scroll sideways', async () => {
    const payment = await create(fixture.app, webframe());
    const phone = { viewport: { width: 320, height: 568 } };
    const shop = await visitShop({ body: elementOf(payment) }, { ...phone, expected: /ERR_FAILED/ });
    await shop.page.route('**/checkout/**', (route) => route.abort());
    await shop.open();
    const heightOf = async () => (await shop.frame.boundingBox())!.height;
    expect(await heightOf()).toBeGreaterThan(400);
    await shop.page.setViewportSize(DESKTOP.viewport);
    expect(await heightOf()).toBe(520);
    await shop.page.unroute('**/checkout/**');
    await shop.page.setViewportSize(phone.viewport);
    await shop.element.evaluate((element) => element.setAttribute('lang', 'en'));
    await shop.expectInside('Pay with Multicaixa Express');
    expect(await shop.dialog.boundingBox()).toEqual({ x: 0, y: 0, ...phone.viewport });
    expect(await shop.inside.locator('html').evaluate((html) => html.scrollWidth)).toBe(320);
  });

  test('speaks the element’s language, and its page changes to another without being lost', async () => {
    const { shop } = await openShop('lang="pt" theme="dark"');
    await shop.expectFitting();
    await expect(shop.inside.locator('html')).toHaveCSS('background-color', 'rgb(30, 28, 25)');
    await shop.followInside('Français');
    await shop.expectInside('Payez avec Multicaixa Express');
    await expect(shop.inside.locator('html')).toHaveCSS('background-color', 'rgb(30, 28, 25)');
    await shop.payInside('900000000');
    await shop.travelToInside(fixture.app, 'Payé');
    expect(await shop.readEvents()).toEqual([
      'balcao:status Pending',
      'balcao:status Processing',
      'balcao:status Paid',
      'balcao:paid Paid',
    ]);
    await shop.element.evaluate((element) => element.setAttribute('lang', 'fr'));
    await expect(shop.closeButton).toHaveAccessibleName('Fermer');
  });

  test('lets go of the whole window where a link of its page leaves the checkout', async () => {
    const { publicUrl } = fixture.app.node.core;
    const payment = await create(fixture.app, webframe({ metadata: { cancelUrl: `${publicUrl}/demo` } }));
    const shop = await visitShop({ body: elementOf(payment, 'open') });
    await shop.expectInside('Pague com Multicaixa Express');
    await shop.followInside('Voltar à loja sem pagar');
    await expect(shop.page).toHaveURL(`${publicUrl}/demo`);
  });
});

describe('several, coming and going', () => {
  test('each shows its own payment, and its events are its own', async () => {
    const first = await create(fixture.app, webframe({ amount: 100 }));
    const second = await create(fixture.app, purchase('900000001'));
    const { page } = await visitShop({ body: elementOf(first) + elementOf(second) });
    const [one, two] = [0, 1].map((nth) => new DialogPage(page, page.locator('balcao-checkout').nth(nth)));
    await two!.open();
    await two!.travelToInside(fixture.app, 'Pagamento recusado no telemóvel');
    await one!.open();
    await expect(one!.inside.getByText('100,00 Kz').first()).toBeVisible();
    await one!.closeButton.click();
    await expect(two!.dialog).toBeVisible();
    expect(await one!.readEvents()).toEqual([
      'balcao:status Processing',
      'balcao:status Failed',
      'balcao:failed Failed',
      'balcao:status Pending',
      'balcao:close Pending',
    ]);
  });

  test('taken out of the page while open, it leaves nothing behind, however often', async () => {
    const { shop } = await openShop();
    await shop.element.evaluate((element) => {
      const parent = element.parentElement!;
      for (let n = 0; n < 20; n++) {
        element.remove();
        parent.append(element);
      }
    });
    await expect.poll(countStreams, { timeout: 20_000 }).toBe(1);
    await shop.expectInside('Pague com Multicaixa Express');
    const remains = await shop.element.evaluate((element) => {
      element.remove();
      return element.shadowRoot!.querySelectorAll('dialog, iframe').length + frames.length;
    });
    expect(remains).toBe(0);
    await expect(shop.page.locator('#pay')).toBeFocused();
    await expect.poll(countStreams, { timeout: 20_000 }).toBe(0);
    expect((await shop.readEvents()).filter((event) => event.includes('close'))).toEqual([]);
  });

  test('another token in an open one shows the other payment', async () => {
    const { shop } = await openShop();
    const other = await create(fixture.app, webframe({ amount: 200 }));
    await shop.element.evaluate((element, token) => element.setAttribute('token', token), other.clientToken);
    await expect(shop.inside.getByText('200,00 Kz').first()).toBeVisible();
    await expect(shop.element).toHaveAttribute('open');
    expect((await shop.readEvents()).filter((event) => event.includes('close'))).toEqual([]);
  });
});

describe('a page that cannot be shown', () => {
  test('of a payment that does not exist says so', async () => {
    const shop = await visitShop(
      { body: '<balcao-checkout token="nothing" open></balcao-checkout>' },
      { expected: /404/ },
    );
    await shop.expectInside('Este link de pagamento não é válido');
  });

  test('that does not come is offered by itself', async () => {
    const payment = await create(fixture.app, webframe());
    const shop = await visitShop({ body: elementOf(payment) }, { ...DESKTOP, expected: /ERR_FAILED/ });
    const { page } = shop;
    await page.clock.install();
    await page.route('**/checkout/**', (route) => route.abort());
    await shop.open();
    await expect(shop.dialog).toContainText('A abrir…');
    await page.clock.runFor(6_000);
    await expect(shop.elsewhere).toBeVisible();
    await page.unroute('**/checkout/**');
    await shop.elsewhere.click();
    await expect(page).toHaveURL(`${payment.checkoutUrl}?lang=pt`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Pague com Multicaixa Express');
  });

  test('yet, over a slow line, is not taken for one that may not be', async () => {
    const shop = await visitShop({ body: elementOf(await create(fixture.app, webframe())) });
    await shop.page.clock.install();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await shop.page.route('**/checkout/**', async (route) => {
      await held;
      await route.continue();
    });
    await shop.open();
    await shop.page.clock.runFor(6_000);
    await expect(shop.elsewhere).toBeVisible();
    letGo();
    await shop.expectInside('Pague com Multicaixa Express');
    await expect(shop.elsewhere).toHaveCount(0);
    await expect.poll(() => shop.readEvents()).toEqual(['balcao:status Pending']);
  });
});
