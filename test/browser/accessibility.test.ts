// Every screen there is, held to WCAG 2.2 AA in light and dark and at 320 px; the payer’s also with text twice as large.
import { expect } from 'playwright/test';
import { describe, test } from 'vitest';
import { until } from '../support/app.ts';
import { create, orderFault, purchase, readBooks, travelToStatus, webframe } from '../support/payments.ts';
import { BasePage } from './pages/base.ts';
import { CheckoutPage } from './pages/checkout.ts';
import { answerPush, ownNumber } from './pages/phone.ts';
import { OrderPage, ShopPage } from './pages/shop.ts';
import { setStage, type VisitOptions } from './pages/stage.ts';
import { WidgetPage } from './pages/widget.ts';

const stage = setStage();
const DESCRIPTION = 'Pano samakaka, algodão estampado, um metro e oitenta';

async function openCheckout(body = webframe({ amount: 9_999_999.99, description: DESCRIPTION })) {
  const payment = await create(stage.app, body);
  const checkout = new CheckoutPage(await stage.visit({ expected: /ERR_|400/ }));
  await checkout.open(payment);
  return { checkout, payment };
}

async function openWaiting() {
  const number = ownNumber();
  const { checkout, payment } = await openCheckout();
  await checkout.pay(number);
  await checkout.expectWaiting();
  return { checkout, payment, number };
}

/** Screens by name, each brought about as people bring it about. */
type Screens = Record<string, () => Promise<BasePage>>;

const CHECKOUT: Screens = {
  'the form': async () => (await openCheckout()).checkout,
  async 'the form with a wrong number'() {
    const { checkout } = await openCheckout();
    await checkout.pay('12');
    await expect(checkout.phone).toHaveAttribute('aria-invalid', 'true');
    return checkout;
  },
  'waiting for the phone': async () => (await openWaiting()).checkout,
  async 'waiting without network'() {
    const { checkout } = await openWaiting();
    await checkout.page.route(/\/(session|events)\?/, (route) => route.abort());
    await checkout.page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(checkout.offlineNote).toBeVisible();
    return checkout;
  },
  async 'finding out whether the request arrived'() {
    const { checkout } = await openCheckout();
    await checkout.page.route(/\/(session|pay)\?/, (route) => route.abort());
    await checkout.pay(ownNumber());
    await checkout.expectTitle('A verificar o seu pedido');
    return checkout;
  },
  async 'the bank’s answer outstanding'() {
    const { checkout, payment, number } = await openWaiting();
    await orderFault(stage.app, { on: 'notification', kind: 'drop', phone: number });
    await orderFault(stage.app, { on: 'query', kind: 'unavailable', phone: number, times: 100 });
    await stage.app.clock.advance(95_000);
    await checkout.open(payment);
    await checkout.expectTitle('A confirmar com o seu banco');
    return checkout;
  },
  async 'a refusal'() {
    const { checkout, number } = await openWaiting();
    await answerPush(stage.app, number, 'decline');
    await checkout.expectTitle('Pagamento recusado no telemóvel');
    return checkout;
  },
  async 'no tries left'() {
    const number = ownNumber();
    const { checkout, payment } = await openCheckout();
    await stage.app.sql('update payments set attempts_made = 4 where id = $1', [payment.id]);
    await checkout.pay(number);
    await answerPush(stage.app, number, 'decline');
    await checkout.expectTitle('Não há mais tentativas');
    return checkout;
  },
  async paid() {
    const { checkout, number } = await openWaiting();
    await answerPush(stage.app, number, 'approve');
    await checkout.expectTitle('Pago');
    return checkout;
  },
  async 'refused for good'() {
    const { checkout } = await openCheckout(purchase('900000001'));
    await checkout.travelToTitle(stage.app, 'Pagamento recusado no telemóvel');
    return checkout;
  },
  async expired() {
    const { checkout } = await openCheckout();
    await stage.app.clock.advance(30 * 60_000);
    await checkout.travelToTitle(stage.app, 'O prazo para pagar terminou');
    return checkout;
  },
  async 'a link to nothing'() {
    const checkout = new CheckoutPage(await stage.visit({ expected: /404/ }));
    await checkout.page.goto(`${stage.app.node.core.publicUrl}/checkout/nothing`);
    await checkout.expectTitle('Este link de pagamento não é válido');
    return checkout;
  },
};

async function openAt(path: string, options: VisitOptions = {}) {
  const page = await stage.visit(options);
  await page.goto(stage.app.node.core.publicUrl + path);
  return new BasePage(page);
}

async function openOrder() {
  const page = await stage.visit();
  const shop = new ShopPage(page);
  await shop.open(stage.app);
  await shop.buy('Cesto de mateba', 'Pagar aqui');
  const widget = new WidgetPage(page);
  await widget.expectTitle('Pague com Multicaixa Express');
  return { widget, order: new OrderPage(page), number: ownNumber() };
}

const WIDGET: Screens = {
  'the form, in the shop’s order': async () => (await openOrder()).widget,
  async 'the form with a wrong number'() {
    const { widget } = await openOrder();
    await widget.pay('12');
    await expect(widget.phone).toHaveAttribute('aria-invalid', 'true');
    return widget;
  },
  async 'waiting for the phone'() {
    const { widget, order, number } = await openOrder();
    await widget.pay(number);
    await order.expectState('A aguardar confirmação');
    return widget;
  },
  async 'a refusal'() {
    const { widget, order, number } = await openOrder();
    await widget.pay(number);
    await answerPush(stage.app, number, 'decline');
    await order.expectState('Pagamento recusado no telemóvel');
    return widget;
  },
  async paid() {
    const { widget, order, number } = await openOrder();
    await widget.pay(number);
    await answerPush(stage.app, number, 'approve');
    await order.expectState('Pago');
    return widget;
  },
  async 'a paid order opened again'() {
    const { widget, order, number } = await openOrder();
    await widget.pay(number);
    await answerPush(stage.app, number, 'approve');
    await order.expectState('Pago');
    await widget.page.reload();
    await widget.page.getByText('O que o servidor da loja lê').click();
    return order;
  },
};

const SANDBOX: Screens = {
  'its entry': () => openAt('/sandbox'),
  'the choice of a phone': () => openAt('/sandbox/phone'),
  'the choice of a phone with a wrong number': () => openAt('/sandbox/phone?number=12'),
  'a phone nobody asked': () => openAt(`/sandbox/phone/${ownNumber()}`),
  'a phone that answers by itself': () => openAt('/sandbox/phone/900000003'),
  'no phone': () => openAt('/sandbox/phone/12', { expected: /404/ }),
  async 'a phone with a request, one approved and one refused'() {
    const number = ownNumber();
    for (const verdict of ['approve', 'decline', null] as const) {
      const payment = await create(stage.app, purchase(number, { description: DESCRIPTION, amount: 9_999_999.99 }));
      if (verdict) await answerPush(stage.app, number, verdict);
      if (verdict) await travelToStatus(stage.app, payment.id, verdict === 'approve' ? 'Paid' : 'Failed');
      else await until(async () => (await readBooks(stage.app, payment.reference)).length === 1, 'the push');
    }
    const phone = await openAt(`/sandbox/phone/${number}`);
    await expect(phone.page.getByRole('article')).toHaveCount(1);
    await expect(phone.page.getByText('Aprovado')).toHaveCount(1);
    return phone;
  },
  'the shop': () => openAt('/demo'),
  'no order': () => openAt('/demo/orders/LI-0000000000', { expected: /404/ }),
  'a problem': () => openAt('/problems/reference_in_flight'),
};

describe.each([
  ['the checkout', CHECKOUT],
  ['the widget', WIDGET],
  ['the sandbox', SANDBOX],
])('%s', (part, screens) => {
  test.each(Object.entries(screens))('%s', async (_screen, open) => {
    const screen = await open();
    await screen.expectAccessible();
    if (part === 'the checkout') await screen.expectReadableEnlarged();
  });
});
