// The widget's and the sandbox's screens, held to WCAG 2.2 AA in light and dark and at 320 px (states.test.ts: the checkout's).
import { expect } from 'playwright/test';
import { describe, test } from 'vitest';
import { until } from '../support/app.ts';
import { create, purchase, readBooks, travelToStatus } from '../support/payments.ts';
import { BasePage } from './pages/base.ts';
import { answerPush, ownNumber } from './pages/phone.ts';
import { OrderPage, ShopPage } from './pages/shop.ts';
import { setStage, type VisitOptions } from './pages/stage.ts';
import { WidgetPage } from './pages/widget.ts';

const stage = setStage();
const DESCRIPTION = 'Pano samakaka, algodão estampado, um metro e oitenta';

/** Screens by name, each brought about as people bring it about. */
type Screens = Record<string, () => Promise<BasePage>>;

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
  ['the widget', WIDGET],
  ['the sandbox', SANDBOX],
])('%s', (_part, screens) => {
  test.each(Object.entries(screens))('%s', async (_screen, open) => {
    const screen = await open();
    await screen.expectAccessible();
  });
});
