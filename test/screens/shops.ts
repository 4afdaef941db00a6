// The widget in an order of the demo shop: in its place in the page, and as a window over it.
import { expect } from '../support/expect.ts';
import type { BasePage } from '../browser/pages/base.ts';
import { DialogPage } from '../browser/pages/dialog.ts';
import { answerPush, ownNumber } from '../browser/pages/phone.ts';
import { OrderPage, ShopPage } from '../browser/pages/shop.ts';
import type { Stage } from '../browser/pages/stage.ts';
import { WidgetPage } from '../browser/pages/widget.ts';
import type { States } from './scene.ts';

const FORM = 'Pague com Multicaixa Express';
const WAITING = 'Confirme o pagamento no seu telemóvel';

export const placed: States<BasePage> = {
  form: async (stage) => (await openPlaced(stage)).widget,
  async 'wrong number'(stage) {
    const { widget } = await openPlaced(stage);
    await widget.pay('12');
    await expect(widget.phone).toHaveAttribute('aria-invalid', 'true');
    return widget;
  },
  async waiting(stage) {
    const { widget, order, number } = await openPlaced(stage);
    await widget.pay(number);
    await order.expectState('A aguardar confirmação');
    return widget;
  },
  async refused(stage) {
    const { widget, order, number } = await openPlaced(stage);
    await widget.pay(number);
    await answerPush(stage.app, number, 'decline');
    await order.expectState('Pagamento recusado no telemóvel');
    await widget.expectTitle('Pagamento recusado no telemóvel');
    return widget;
  },
  async paid(stage) {
    const { widget, order, number } = await openPlaced(stage);
    await widget.pay(number);
    await answerPush(stage.app, number, 'approve');
    await order.expectState('Pago');
    await widget.expectTitle('Pago');
    return widget;
  },
};

export const dialogs: States<BasePage> = {
  async form(stage) {
    const { dialog } = await openDialog(stage);
    await dialog.expectInside(FORM);
    return dialog;
  },
  async 'not heard of'(stage) {
    const { dialog } = await openDialog(stage, async ({ page }) => {
      await page.clock.install();
      await page.route(/embed=1/, () => {});
    });
    await dialog.dialog.waitFor();
    await dialog.page.clock.runFor(6_000);
    await expect(dialog.elsewhere).toBeVisible();
    return dialog;
  },
  async waiting(stage) {
    const { dialog, order } = await openWaiting(stage);
    await order.expectState('A aguardar confirmação');
    return dialog;
  },
  async refused(stage) {
    const { dialog, number } = await openWaiting(stage);
    await answerPush(stage.app, number, 'decline');
    await dialog.expectInside('Pagamento recusado no telemóvel');
    return dialog;
  },
  async paid(stage) {
    const { dialog, order, number } = await openWaiting(stage);
    await answerPush(stage.app, number, 'approve');
    await dialog.expectInside('Pago');
    await order.expectState('Pago');
    return dialog;
  },
};

async function openShop(stage: Stage): Promise<ShopPage> {
  const shop = new ShopPage(await stage.visit());
  await shop.open(stage.app);
  return shop;
}

async function openPlaced(stage: Stage) {
  const shop = await openShop(stage);
  await shop.buy('Cesto de mateba', 'Pagar aqui');
  const widget = new WidgetPage(shop.page);
  await widget.expectTitle(FORM);
  return { widget, order: new OrderPage(shop.page), number: ownNumber() };
}

async function openDialog(stage: Stage, prepare: (shop: ShopPage) => Promise<unknown> = async () => {}) {
  const shop = await openShop(stage);
  await prepare(shop);
  await shop.buy('Cesto de mateba', 'Numa janela');
  return { dialog: new DialogPage(shop.page), order: new OrderPage(shop.page) };
}

async function openWaiting(stage: Stage) {
  const { dialog, order } = await openDialog(stage);
  const number = ownNumber();
  await dialog.payInside(number);
  await dialog.expectInside(WAITING);
  return { dialog, order, number };
}
