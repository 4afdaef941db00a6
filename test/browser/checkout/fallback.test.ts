// The button "Pay by reference instead": on the page with and without scripts, in other tabs, and in the widget.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { expectOnePayable, replaceable } from '../../support/fallback.ts';
import { approved, readAttempts, sendNotification, writeNotification } from '../../support/notify.ts';
import { create, untilStatus } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { DialogPage } from '../pages/dialog.ts';
import { checkoutElement, paymentElement, openMerchant } from '../pages/merchant.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { payAtMachine, ReferencePart } from '../pages/reference.ts';
import { OrderPage, ShopPage } from '../pages/shop.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

const REFUSED = 'Pagamento recusado no telemóvel';
/** The title before and after the provider has registered the reference. */
const BY_REFERENCE = /^(Pague por referência|A referência está a ser activada)$/;
const TAP = 'Pagar por referência';
const PLAIN: VisitOptions = { javaScriptEnabled: false };

/** A payment whose first push was refused. */
async function makeRefused() {
  const payment = await create(fixture.app, replaceable());
  const number = ownNumber();
  const body = { phoneNumber: number };
  await fixture.app.call(`/checkout/${payment.clientToken}/pay`, { body, token: null });
  await answerPush(fixture.app, number, 'decline');
  await untilStatus(fixture.app, payment.id, 'Pending');
  return payment;
}

async function openRefused(options: VisitOptions = {}, lang?: string) {
  const payment = await makeRefused();
  const checkout = new CheckoutPage(await fixture.visit(options));
  await checkout.open(payment, lang);
  return { payment, checkout, tap: checkout.main.getByRole('button', { name: TAP }) };
}

const secondOf = async ({ id }: { id: string }) => {
  const { replacedBy } = (await fixture.app.call(`/api/payments/${id}`)).json;
  const { json } = await fixture.app.call(`/api/payments/${replacedBy}`);
  return json;
};

async function expectReferenceShown(checkout: CheckoutPage, payment: { id: string }) {
  await expect(checkout.heading).toHaveText(BY_REFERENCE);
  const second = await secondOf(payment);
  await expect(checkout.page).toHaveURL(`${second.checkoutUrl}?lang=pt`);
  await new ReferencePart(checkout.main, checkout.page.locator('#news')).expectDigits(second);
  await expectOnePayable(fixture.app);
  return second;
}

describe('the switch to a reference on the page', () => {
  test('is offered only after a refused push, and one keystroke opens the reference', async () => {
    const payment = await create(fixture.app, replaceable());
    const checkout = new CheckoutPage(await fixture.visit());
    await checkout.open(payment);
    const tap = checkout.main.getByRole('button', { name: TAP });
    await expect(checkout.payButton).toBeVisible();
    await expect(tap).toHaveCount(0);
    const number = ownNumber();
    await checkout.pay(number);
    await checkout.expectWaiting();
    await expect(tap).toHaveCount(0);
    await answerPush(fixture.app, number, 'decline');
    await checkout.expectTitle(REFUSED);
    await checkout.payButton.focus();
    await checkout.page.keyboard.press('Tab');
    await expect(tap).toBeFocused();
    await checkout.page.keyboard.press('Enter');
    const second = await expectReferenceShown(checkout, payment);
    await expect(checkout.main).toContainText('1 500,00 Kz');
    await payAtMachine(fixture.app, second);
    await checkout.expectTitle('Pago');
    // The Back button leads to the page before the checkout, never to the replaced payment.
    expect(await checkout.page.evaluate(() => history.length)).toBe(2);
  });

  test('also shows the reference in the other tabs of the payment', async () => {
    const { payment, checkout, tap } = await openRefused();
    const other = new CheckoutPage(await checkout.page.context().newPage());
    await other.open(payment);
    await expect(other.payButton).toBeVisible();
    await tap.click();
    await expectReferenceShown(checkout, payment);
    await expectReferenceShown(other, payment);
    await other.open(payment, 'pt');
    await expectReferenceShown(other, payment);
  });

  test('shows an error if its request does not arrive, and can be repeated', async () => {
    const { payment, checkout, tap } = await openRefused({ expected: /ERR_FAILED/ });
    await checkout.page.route('**/reference?*', (route) => route.abort());
    await tap.click();
    await expect(checkout.main.getByRole('alert')).toHaveText('Parece que o pedido não chegou. Pode tentar novamente.');
    await expect(checkout.phone).toHaveAttribute('aria-invalid', 'false');
    await checkout.expectNoViolations();
    await checkout.page.unroute('**/reference?*');
    await tap.click();
    await expectReferenceShown(checkout, payment);
  });

  test('returns to the receipt if the refused push is approved late', async () => {
    const { payment, checkout, tap } = await openRefused();
    await tap.click();
    await expectReferenceShown(checkout, payment);
    await approveAfterAll(payment);
    await checkout.expectTitle('Pago');
    await expect(checkout.page).toHaveURL(`${payment.checkoutUrl}?lang=pt`);
    await expect(checkout.main).toContainText('fora do prazo');
  });
});

describe('the switch to a reference without JavaScript', () => {
  test('needs one tap, and the old page redirects to the reference', async () => {
    const { payment, checkout, tap } = await openRefused(PLAIN, 'pt');
    await checkout.expectTitle(REFUSED);
    await tap.click();
    await expectReferenceShown(checkout, payment);
    await checkout.open(payment, 'pt');
    await expectReferenceShown(checkout, payment);
  });
});

describe('the switch to a reference in the widget', () => {
  async function openWidget(payment: { clientToken: string }) {
    const prepare = async (page: Page) => {
      await new WidgetPage(page).rememberEvents();
      await page.addInitScript(() => {
        const tokens: string[] = [];
        Object.assign(window, { tokens });
        document.addEventListener('balcao:status', (event) => {
          tokens.push((event as CustomEvent<{ token: string }>).detail.token);
        });
      });
    };
    return new WidgetPage(await merchant.open({ body: paymentElement(payment) }, { prepare }));
  }

  const readTokens = ({ page }: WidgetPage) => page.evaluate(() => (window as unknown as { tokens: string[] }).tokens);

  test('draws the reference in the same element, and the events name the new payment', async () => {
    const payment = await makeRefused();
    const widget = await openWidget(payment);
    await widget.expectTitle(REFUSED);
    await widget.expectNoViolations();
    await widget.expectFitsNarrow();
    await widget.element.getByRole('button', { name: TAP }).click();
    await expect(widget.title).toHaveText(BY_REFERENCE);
    // The focused button is gone, so the focus moves to the title.
    await expect(widget.title).toBeFocused();
    const second = await secondOf(payment);
    await payAtMachine(fixture.app, second);
    await widget.expectTitle('Pago');
    const events = await widget.readEvents();
    expect(events).not.toContain('balcao:status Canceled');
    expect(events.at(-1)).toBe('balcao:paid Paid');
    const tokens = await readTokens(widget);
    expect(tokens[0]).toBe(payment.clientToken);
    expect(tokens.at(-1)).toBe(second.clientToken);
    await expect(widget.element).toHaveAttribute('token', payment.clientToken);
  });

  test('replaces the payment in other widgets, open or opened later', async () => {
    const payment = await makeRefused();
    const widget = await openWidget(payment);
    await widget.expectTitle(REFUSED);
    await fixture.app.call(`/checkout/${payment.clientToken}/reference`, { method: 'POST', token: null });
    await expect(widget.title).toHaveText(BY_REFERENCE);
    const later = await openWidget(payment);
    await expect(later.title).toHaveText(BY_REFERENCE);
    expect(new Set(await readTokens(later))).toEqual(new Set([(await secondOf(payment)).clientToken]));
  });

  test('shows the reference in the frame of the dialog', async () => {
    const payment = await makeRefused();
    const prepare = (page: Page) => new DialogPage(page).rememberEvents();
    const viewport = { width: 1280, height: 1600 };
    const shop = new DialogPage(await merchant.open({ body: checkoutElement(payment) }, { prepare, viewport }));
    await shop.open();
    await shop.expectInside(REFUSED);
    await shop.pressInside(shop.inside.getByRole('button', { name: TAP }));
    await expect(shop.inside.getByRole('heading', { level: 1 })).toHaveText(BY_REFERENCE);
    await shop.expectFitting();
    await payAtMachine(fixture.app, await secondOf(payment));
    await shop.expectInside('Pago');
    await expect.poll(() => shop.readEvents()).toContain('balcao:paid Paid');
    expect(await shop.readEvents()).not.toContain('balcao:status Canceled');
  });
});

describe('the demo shop', () => {
  test('shows the reference on the page of the order', async () => {
    const page = await fixture.visit();
    const shop = new ShopPage(page);
    await shop.open(fixture.app);
    await shop.buy('Café de Amboim', 'Pagar na página');
    const checkout = new CheckoutPage(page);
    const number = ownNumber();
    await checkout.pay(number);
    await checkout.expectWaiting();
    await answerPush(fixture.app, number, 'decline');
    await checkout.main.getByRole('button', { name: TAP }).click();
    await expect(checkout.heading).toHaveText(BY_REFERENCE);
    const part = new ReferencePart(checkout.main, page.locator('#news'));
    const reference = (await part.valueOf('Referência').textContent()) ?? '';
    await page.getByRole('link', { name: 'Voltar à loja' }).click();
    const order = new OrderPage(page);
    await order.expectState('À espera de pagamento');
    await payAtMachine(fixture.app, { entity: '00999', reference, checkoutUrl: '', clientToken: '' });
    await order.expectState('Pago');
  });
});

/** Approves a refused push. The rail protocol allows this, but the simulator never does it. */
async function approveAfterAll({ id }: { id: string }) {
  const [push] = await readAttempts(fixture.app, id);
  const key = fixture.app.node.core.keyring.derive('rail:gpo').toString('base64url');
  await sendNotification(fixture.app, writeNotification(fixture.app, push.id, approved()), { key });
}
