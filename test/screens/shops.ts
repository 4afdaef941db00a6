// Screenshots of the widget in an order of the demo shop: inside the page, and as a dialog.
import { expect } from '../support/expect.ts';
import type { BasePage } from '../browser/pages/base.ts';
import { DialogPage } from '../browser/pages/dialog.ts';
import { answerPush, ownNumber } from '../browser/pages/phone.ts';
import { OrderPage, ShopPage } from '../browser/pages/shop.ts';
import type { BrowserFixture } from '../support/browser-fixture.ts';
import { WidgetPage } from '../browser/pages/widget.ts';
import type { States } from './checkout-fixture.ts';

const FORM = 'Pague com Multicaixa Express';
const WAITING = 'Confirme o pagamento no seu telemóvel';

export const placed: States<BasePage> = {
  form: async (fixture) => (await openPlaced(fixture)).widget,
  async 'wrong number'(fixture) {
    const { widget } = await openPlaced(fixture);
    await widget.pay('12');
    await expect(widget.phone).toHaveAttribute('aria-invalid', 'true');
    return widget;
  },
  async waiting(fixture) {
    const { widget, order, number } = await openPlaced(fixture);
    await widget.pay(number);
    await order.expectState('A aguardar confirmação');
    return widget;
  },
  async refused(fixture) {
    const { widget, order, number } = await openPlaced(fixture);
    await widget.pay(number);
    await answerPush(fixture.app, number, 'decline');
    await order.expectState('Pagamento recusado no telemóvel');
    await widget.expectTitle('Pagamento recusado no telemóvel');
    return widget;
  },
  async paid(fixture) {
    const { widget, order, number } = await openPlaced(fixture);
    await widget.pay(number);
    await answerPush(fixture.app, number, 'approve');
    await order.expectState('Pago');
    await widget.expectTitle('Pago');
    return widget;
  },
};

export const dialogs: States<BasePage> = {
  async form(fixture) {
    const { dialog } = await openDialog(fixture);
    await dialog.expectInside(FORM);
    return dialog;
  },
  async 'not heard of'(fixture) {
    const { dialog } = await openDialog(fixture, async ({ page }) => {
      await page.clock.install();
      await page.route(/embed=1/, () => {});
    });
    await dialog.dialog.waitFor();
    await dialog.page.clock.runFor(6_000);
    await expect(dialog.elsewhere).toBeVisible();
    return dialog;
  },
  async waiting(fixture) {
    const { dialog, order } = await openWaiting(fixture);
    await order.expectState('A aguardar confirmação');
    return dialog;
  },
  async refused(fixture) {
    const { dialog, number } = await openWaiting(fixture);
    await answerPush(fixture.app, number, 'decline');
    await dialog.expectInside('Pagamento recusado no telemóvel');
    return dialog;
  },
  async paid(fixture) {
    const { dialog, order, number } = await openWaiting(fixture);
    await answerPush(fixture.app, number, 'approve');
    await dialog.expectInside('Pago');
    await order.expectState('Pago');
    return dialog;
  },
};

async function openShop(fixture: BrowserFixture): Promise<ShopPage> {
  const shop = new ShopPage(await fixture.visit());
  await shop.open(fixture.app);
  return shop;
}

async function openPlaced(fixture: BrowserFixture) {
  const shop = await openShop(fixture);
  await shop.buy('Cesto de mateba', 'Pagar aqui');
  const widget = new WidgetPage(shop.page);
  await widget.expectTitle(FORM);
  return { widget, order: new OrderPage(shop.page), number: ownNumber() };
}

async function openDialog(fixture: BrowserFixture, prepare: (shop: ShopPage) => Promise<unknown> = async () => {}) {
  const shop = await openShop(fixture);
  await prepare(shop);
  await shop.buy('Cesto de mateba', 'Numa janela');
  return { dialog: new DialogPage(shop.page), order: new OrderPage(shop.page) };
}

async function openWaiting(fixture: BrowserFixture) {
  const { dialog, order } = await openDialog(fixture);
  const number = ownNumber();
  await dialog.payInside(number);
  await dialog.expectInside(WAITING);
  return { dialog, order, number };
}
