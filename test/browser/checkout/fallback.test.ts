// "Pay by reference instead" as its payer taps it: on the page, with and without scripts, in other tabs, in the widget and its dialog.
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { expectOnePayable, replaceable } from '../../support/fallback.ts';
import { approved, readAttempts, sendNotification, writeNotification } from '../../support/notify.ts';
import { create, travelToStatus, untilStatus } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { allowOrigin, DialogPage } from '../pages/dialog.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { payAtMachine, ReferencePart } from '../pages/reference.ts';
import { OrderPage, ShopPage } from '../pages/shop.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
  await allowOrigin(fixture.app, merchant.url);
});
afterAll(() => merchant.close());

const REFUSED = 'Pagamento recusado no telemóvel';
/** Until the rail knows it, the page says that it is being activated; then what to type in. */
const BY_REFERENCE = /^(Pague por referência|A referência está a ser ativada)$/;
const TAP = 'Pagar por referência';
const PLAIN: VisitOptions = { javaScriptEnabled: false };

/** A payment whose first push was refused, by whatever way the payer asked for it. */
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

describe('the page', () => {
  test('has no such button before anything was refused, and one tap after it leads to the reference', async () => {
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
    await tap.click();
    const second = await expectReferenceShown(checkout, payment);
    await expect(checkout.main).toContainText('1 500,00 Kz');
    await payAtMachine(fixture.app, second);
    await checkout.expectTitle('Pago');
    // Back leads to where the payer came from, never to what is over.
    expect(await checkout.page.evaluate(() => history.length)).toBe(2);
  });

  test('can be reached and used by keyboard alone', async () => {
    const { payment, checkout, tap } = await openRefused();
    await checkout.payButton.focus();
    await checkout.page.keyboard.press('Tab');
    await expect(tap).toBeFocused();
    await checkout.page.keyboard.press('Enter');
    await expectReferenceShown(checkout, payment);
  });

  test('makes it the one thing to do when there are no more tries', async () => {
    const { payment, checkout, tap } = await openRefused();
    await fixture.app.sql('update payments set attempts_made = 5 where id = $1', [payment.id]);
    await checkout.page.reload();
    await checkout.expectTitle('Não há mais tentativas');
    await expect(checkout.main).toContainText('Pode pagar com entidade e referência');
    await expect(checkout.main).not.toContainText('peça um novo pagamento');
    await tap.click();
    await expectReferenceShown(checkout, payment);
  });

  test('a double tap is one request and one payment', async () => {
    const { payment, checkout, tap } = await openRefused();
    let requests = 0;
    checkout.page.on('request', (request) => (requests += request.method() === 'POST' ? 1 : 0));
    await tap.dblclick();
    await expectReferenceShown(checkout, payment);
    expect(requests).toBe(1);
  });

  test('other tabs go there by themselves', async () => {
    const { payment, checkout, tap } = await openRefused();
    const other = new CheckoutPage(await checkout.page.context().newPage());
    await other.open(payment);
    await expect(other.payButton).toBeVisible();
    await tap.click();
    await expectReferenceShown(checkout, payment);
    await expectReferenceShown(other, payment);
    // And whoever opens the old address later.
    await other.open(payment, 'pt');
    await expectReferenceShown(other, payment);
  });

  test('a tap whose answer never comes is found out, not repeated', async () => {
    const { payment, checkout, tap } = await openRefused({ expected: /ERR_FAILED/ });
    let posts = 0;
    await checkout.page.route('**/reference?*', async (route) => {
      posts++;
      await route.fetch();
      await route.abort();
    });
    await tap.click();
    await expectReferenceShown(checkout, payment);
    expect(posts).toBe(1);
  });

  test('a tap that does not arrive says so, and can be made again', async () => {
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

  test('money that comes late for the refused push leads back to its receipt', async () => {
    const { payment, checkout, tap } = await openRefused();
    await tap.click();
    await expectReferenceShown(checkout, payment);
    await approveAfterAll(payment);
    await checkout.expectTitle('Pago');
    await expect(checkout.page).toHaveURL(`${payment.checkoutUrl}?lang=pt`);
    await expect(checkout.main).toContainText('fora do prazo');
  });
});

describe('without JavaScript', () => {
  test('is one tap too, and the old address leads there', async () => {
    const { payment, checkout, tap } = await openRefused(PLAIN, 'pt');
    await checkout.expectTitle(REFUSED);
    await tap.click();
    await expectReferenceShown(checkout, payment);
    await checkout.open(payment, 'pt');
    await expectReferenceShown(checkout, payment);
  });

  test('a tap beside a push of another tab shows the push', async () => {
    const { payment, checkout, tap } = await openRefused(PLAIN, 'pt');
    const body = { phoneNumber: ownNumber() };
    await fixture.app.call(`/checkout/${payment.clientToken}/pay`, { body, token: null });
    await tap.click();
    await checkout.expectWaiting();
  });
});

describe('the widget', () => {
  async function openWidget(payment: { clientToken: string }) {
    const widget = new WidgetPage(await fixture.visit({ origins: [merchant.url] }));
    await widget.rememberEvents();
    await widget.page.addInitScript(() => {
      const tokens: string[] = [];
      Object.assign(window, { tokens });
      document.addEventListener('balcao:status', (event) => {
        tokens.push((event as CustomEvent<{ token: string }>).detail.token);
      });
    });
    await widget.page.goto(merchant.show({ body: `<balcao-payment token="${payment.clientToken}"></balcao-payment>` }));
    return widget;
  }

  const readTokens = ({ page }: WidgetPage) => page.evaluate(() => (window as unknown as { tokens: string[] }).tokens);

  test('swaps to the reference in its place, says so, and tells the page which payment its events are of', async () => {
    const payment = await makeRefused();
    const widget = await openWidget(payment);
    await widget.expectTitle(REFUSED);
    await widget.expectNoViolations();
    await widget.expectFitsNarrow();
    await widget.element.getByRole('button', { name: TAP }).click();
    await expect(widget.title).toHaveText(BY_REFERENCE);
    // What had the focus is gone: it stands on what is new.
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

  test('opened with the old token, or open elsewhere, shows what took its place', async () => {
    const payment = await makeRefused();
    const widget = await openWidget(payment);
    await widget.expectTitle(REFUSED);
    await fixture.app.call(`/checkout/${payment.clientToken}/reference`, { method: 'POST', token: null });
    await expect(widget.title).toHaveText(BY_REFERENCE);
    const later = await openWidget(payment);
    await expect(later.title).toHaveText(BY_REFERENCE);
    expect(new Set(await readTokens(later))).toEqual(new Set([(await secondOf(payment)).clientToken]));
  });

  test('in its dialog the page goes on in the frame', async () => {
    const payment = await makeRefused();
    const shop = new DialogPage(
      await fixture.visit({ origins: [merchant.url], viewport: { width: 1280, height: 1600 } }),
    );
    await shop.rememberEvents();
    await shop.page.goto(merchant.show({ body: `<balcao-checkout token="${payment.clientToken}"></balcao-checkout>` }));
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

test('the demo shop follows its order to the reference', async () => {
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

test('a payment whose time is over offers nothing', async () => {
  const { payment, checkout, tap } = await openRefused();
  await fixture.app.clock.pass(31 * 60_000);
  await travelToStatus(fixture.app, payment.id, 'Expired');
  await checkout.expectTitle('O prazo para pagar terminou');
  await expect(tap).toHaveCount(0);
});

/** The simulator never approves what it has refused; the protocol allows it. */
async function approveAfterAll({ id }: { id: string }) {
  const [push] = await readAttempts(fixture.app, id);
  const key = fixture.app.node.core.keyring.derive('rail:gpo').toString('base64url');
  await sendNotification(fixture.app, writeNotification(fixture.app, push.id, approved()), { key });
}
