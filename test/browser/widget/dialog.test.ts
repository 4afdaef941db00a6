// <balcao-checkout>: the hosted page in a dialog over a merchant's page.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, purchase, webframe } from '../../support/payments.ts';
import { stopTimers } from '../pages/checkout.ts';
import { DialogPage } from '../pages/dialog.ts';
import { checkoutElement, openMerchant, type MerchantPage } from '../pages/merchant.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

const DESKTOP = { viewport: { width: 1280, height: 900 } };
const BUTTON = '<button id="pay">Pagar</button>';

async function openMerchantPage(page: MerchantPage, options: VisitOptions = DESKTOP) {
  const prepare = (each: Page) => new DialogPage(each).rememberEvents();
  return new DialogPage(await merchant.open(page, { prepare, ...options }));
}

/** A payment of 1500 Kz, with an open dialog whose page has sent its status. */
async function openDialog(more = '', options?: VisitOptions) {
  const payment = await create(fixture.app, webframe());
  const shop = await openMerchantPage({ body: BUTTON + checkoutElement(payment, more) }, options);
  await shop.page.locator('#pay').focus();
  await shop.open();
  await shop.expectInside('Pague com Multicaixa Express');
  await untilEvent(shop, 'balcao:status Pending');
  return { shop, payment };
}

/** Waits for an event. The frame may show a status before its message reaches the page around it. */
const untilEvent = (shop: DialogPage, event: string) => expect.poll(() => shop.readEvents()).toContain(event);

const countStreams = () => fixture.app.node.app.streams.count();

test('the dialog sends an event for each status of the payment, for its end and for the closing', async () => {
  const { shop } = await openDialog();
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

describe('the dialog of <balcao-checkout>', () => {
  test.each([
    ['in the page', async (shop: DialogPage) => shop.closeButton.focus()],
    ['in the frame', async (shop: DialogPage) => shop.inside.getByRole('textbox').focus()],
  ])('closes on Esc pressed %s, and returns the focus', async (_where, focus) => {
    const { shop } = await openDialog();
    await focus(shop);
    shop.pressEscape();
    await expect(shop.dialog).toHaveCount(0);
    await expect(shop.page.locator('#pay')).toBeFocused();
    await expect(shop.element).not.toHaveAttribute('open');
    expect((await shop.readEvents()).at(-1)).toBe('balcao:close Pending');
    await expect.poll(countStreams).toBe(0);
  });

  test('keeps the focus inside while it is open', async () => {
    const { shop } = await openDialog();
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

  test('opens and closes by attribute, method and property', async () => {
    const { shop } = await openDialog('open');
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

  test('stays closed with open="false", and does not change if the page opens it twice', async () => {
    const shop = await openMerchantPage({
      body: checkoutElement(await create(fixture.app, webframe()), 'open="false"'),
    });
    await expect(shop.dialog).toHaveCount(0);
    await shop.element.evaluate((element) => element.setAttribute('open', 'true'));
    const phone = shop.inside.getByRole('textbox');
    await phone.fill('923');
    await shop.element.evaluate((element: HTMLElement & { open(): void }) => {
      element.open();
      Object.assign(element, { open: true });
    });
    await expect(phone).toHaveValue('923');
  });

  test('has a height before its page loads, and fills a small phone without horizontal scrolling', async () => {
    const payment = await create(fixture.app, webframe());
    const phone = { viewport: { width: 320, height: 568 } };
    const shop = await openMerchantPage({ body: checkoutElement(payment) }, { ...phone, expected: /ERR_FAILED/ });
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

  test('has the language of the element, and a link of its page switches the language', async () => {
    const { shop } = await openDialog('lang="pt" theme="dark"');
    await shop.expectFitting();
    await expect(shop.inside.locator('html')).toHaveCSS('background-color', 'rgb(30, 28, 25)');
    await shop.followInside('Français');
    await shop.expectInside('Payez avec Multicaixa Express');
    await expect(shop.inside.locator('html')).toHaveCSS('background-color', 'rgb(30, 28, 25)');
    await shop.payInside('900000000');
    await untilEvent(shop, 'balcao:status Processing');
    await shop.travelToInside(fixture.app, 'Payé');
    await expect
      .poll(() => shop.readEvents())
      .toEqual(['balcao:status Pending', 'balcao:status Processing', 'balcao:status Paid', 'balcao:paid Paid']);
    await shop.element.evaluate((element) => element.setAttribute('lang', 'fr'));
    await expect(shop.closeButton).toHaveAccessibleName('Fermer');
  });

  test('opens a link out of the checkout in the whole window', async () => {
    const { publicUrl } = fixture.app.node.core;
    const payment = await create(fixture.app, webframe({ metadata: { cancelUrl: `${publicUrl}/demo` } }));
    const shop = await openMerchantPage({ body: checkoutElement(payment, 'open') });
    await shop.expectInside('Pague com Multicaixa Express');
    await shop.followInside('Voltar à loja sem pagar');
    await expect(shop.page).toHaveURL(`${publicUrl}/demo`);
  });
});

describe('several checkout dialogs of a page', () => {
  test('show their own payments and send their own events', async () => {
    const first = await create(fixture.app, webframe({ amount: 100 }));
    const second = await create(fixture.app, purchase('900000001'));
    const { page } = await openMerchantPage({ body: checkoutElement(first) + checkoutElement(second) });
    const [one, two] = [0, 1].map((nth) => new DialogPage(page, page.locator('balcao-checkout').nth(nth)));
    await two!.open();
    await untilEvent(two!, 'balcao:status Processing');
    await two!.travelToInside(fixture.app, 'Pagamento recusado no telemóvel');
    await untilEvent(two!, 'balcao:failed Failed');
    await one!.open();
    await expect(one!.inside.getByText('100,00 Kz').first()).toBeVisible();
    await untilEvent(one!, 'balcao:status Pending');
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

  test('leave neither frame nor stream after their removal', async () => {
    const { shop } = await openDialog();
    await shop.element.evaluate((element) => {
      const parent = element.parentElement!;
      for (let n = 0; n < 20; n++) {
        element.remove();
        parent.append(element);
      }
    });
    await expect.poll(countStreams).toBe(1);
    await shop.expectInside('Pague com Multicaixa Express');
    const remains = await shop.element.evaluate((element) => {
      element.remove();
      return element.shadowRoot!.querySelectorAll('dialog, iframe').length + frames.length;
    });
    expect(remains).toBe(0);
    await expect(shop.page.locator('#pay')).toBeFocused();
    await expect.poll(countStreams).toBe(0);
    expect((await shop.readEvents()).filter((event) => event.includes('close'))).toEqual([]);
  });

  test('show another payment if their token changes', async () => {
    const { shop } = await openDialog();
    const other = await create(fixture.app, webframe({ amount: 200 }));
    await shop.element.evaluate((element, token) => element.setAttribute('token', token), other.clientToken);
    await expect(shop.inside.getByText('200,00 Kz').first()).toBeVisible();
    await expect(shop.element).toHaveAttribute('open');
    expect((await shop.readEvents()).filter((event) => event.includes('close'))).toEqual([]);
  });
});

describe('the dialog whose hosted page does not load', () => {
  test('shows a link to the hosted page after six seconds, until that page loads', async () => {
    const payment = await create(fixture.app, webframe());
    const shop = await openMerchantPage({ body: checkoutElement(payment) });
    const { page } = shop;
    await stopTimers(page);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/checkout/**', (route) => released.then(() => route.continue()));
    await shop.open();
    await expect(shop.dialog).toContainText('A abrir…');
    await page.clock.runFor(6_000);
    await expect(shop.elsewhere).toHaveAttribute('href', `${payment.checkoutUrl}?lang=pt`);
    release();
    await shop.expectInside('Pague com Multicaixa Express');
    await expect(shop.elsewhere).toHaveCount(0);
    await expect.poll(() => shop.readEvents()).toEqual(['balcao:status Pending']);
  });
});
