// The demo shop in a browser: the hosted page, the widget and the dialog.
import { expect } from '../../../../test/support/expect.ts';
import { describe, test } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import { readBooks } from '../../../../test/support/payments.ts';
import { CheckoutPage } from '../../../../test/browser/pages/checkout.ts';
import { answerPush, ownNumber, PhonePage } from '../../../../test/browser/pages/phone.ts';
import { DialogPage } from '../../../../test/browser/pages/dialog.ts';
import { OrderPage, ShopPage } from '../../../../test/browser/pages/shop.ts';
import { openBrowserFixture } from '../../../../test/support/browser-fixture.ts';
import { WidgetPage } from '../../../../test/browser/pages/widget.ts';

const fixture = openBrowserFixture({ clock: systemClock });

async function openShop() {
  const page = await fixture.visit();
  const shop = new ShopPage(page);
  await shop.open(fixture.app);
  return { page, shop, checkout: new CheckoutPage(page), order: new OrderPage(page), widget: new WidgetPage(page) };
}

/** Pays with a test number whose push the simulator approves immediately. */
async function payAtOnce(place: { pay(number: string): Promise<void> }) {
  const number = ownNumber();
  await place.pay(number);
  await answerPush(fixture.app, number, 'approve');
}

describe('the hosted page of an order', () => {
  test('shows “Pago” without a reload, and the shop shows the same status', async () => {
    const { page, shop, checkout, order } = await openShop();
    await shop.buy('Café de Amboim', 'Pagar na página');
    await checkout.expectTitle('Pague com Multicaixa Express');
    await expect(checkout.main).toContainText('Loja da Ilha');
    await expect(checkout.main).toContainText('4 500,00 Kz');
    await expect(checkout.main).toContainText('Café de Amboim');
    await page.waitForLoadState('load');
    let loads = 0;
    page.on('load', () => loads++);
    const number = ownNumber();
    await checkout.pay(number);
    await checkout.expectWaiting();
    await answerPush(fixture.app, number, 'approve');
    await checkout.expectTitle('Pago');
    expect(loads).toBe(0);
    await page.getByRole('link', { name: 'Voltar à loja' }).click();
    await order.expectState('Pago');
    await expect(page).toHaveURL(/\/demo\/orders\/LI-[0-9A-F]{10}$/);
    await expect(page.getByRole('region', { name: 'Pagamento' })).toHaveCount(0);
  });

  test('leads back without a payment, and the order can still be paid', async () => {
    const { page, shop, order, widget } = await openShop();
    await shop.buy('Jindungo', 'Pagar na página');
    await page.getByRole('link', { name: 'Voltar à loja sem pagar' }).click();
    await order.expectState('À espera de pagamento');
    await payAtOnce(widget);
    await order.expectState('Pago');
  });

  test('shows the receipt after the Back button', async () => {
    const { page, shop, checkout, order } = await openShop();
    await shop.buy('Mel do Moxico', 'Pagar na página');
    await payAtOnce(checkout);
    await checkout.expectTitle('Pago');
    await page.getByRole('link', { name: 'Voltar à loja' }).click();
    await order.expectState('Pago');
    await page.goBack();
    await checkout.expectTitle('Pago');
    await expect(checkout.phone).toHaveCount(0);
  });
});

describe('the widget of an order', () => {
  test('takes a payment inside the shop, and the order is paid as soon as the shop’s server reads it', async () => {
    const { page, shop, order, widget } = await openShop();
    await shop.buy('Cesto de mateba', 'Pagar aqui');
    await order.expectState('À espera de pagamento');
    const address = page.url();
    const number = ownNumber();
    await widget.pay(number);
    await widget.expectTitle('Confirme o pagamento no seu telemóvel');
    await order.expectState('A aguardar confirmação');
    const read = page.waitForResponse(async (answer) => {
      return answer.url() === `${address}/status` && ((await answer.json()) as { status: string }).status === 'Paid';
    });
    await answerPush(fixture.app, number, 'approve');
    await widget.expectTitle('Pago');
    await read;
    await order.expectState('Pago');
    expect(page.url()).toBe(address);
  });

  test('shows a refusal and takes a second push to another number', async () => {
    const { shop, order, widget } = await openShop();
    await shop.buy('Pano samakaka', 'Pagar aqui');
    await widget.pay('900000002');
    await widget.expectTitle('Saldo insuficiente');
    await order.expectState('Saldo insuficiente');
    await payAtOnce(widget);
    await widget.expectTitle('Pago');
    await order.expectState('Pago');
  });
});

describe('the dialog of an order', () => {
  test('takes a payment, and the order is paid when it closes', async () => {
    const { page, shop, order } = await openShop();
    const dialog = new DialogPage(page);
    await shop.buy('Jindungo', 'Numa janela');
    await dialog.expectInside('Pague com Multicaixa Express');
    await payAtOnce({ pay: (number) => dialog.payInside(number) });
    await order.expectState('Pago');
    await dialog.expectInside('Pago');
    await dialog.closeButton.click();
    await expect(page.getByRole('region', { name: 'Pagamento' })).toHaveCount(0);
    await order.expectState('Pago');
  });

  test('stays closed after a reload, and the button opens it in the current state of the payment', async () => {
    const { page, shop, order } = await openShop();
    const dialog = new DialogPage(page);
    await shop.buy('Mel do Moxico', 'Numa janela');
    await dialog.expectInside('Pague com Multicaixa Express');
    await dialog.payInside(ownNumber());
    await dialog.expectInside('Confirme o pagamento no seu telemóvel');
    await dialog.closeButton.click();
    await order.expectState('A aguardar confirmação');
    await page.reload();
    const button = page.getByRole('link', { name: /^Pagar / });
    await expect(button).toBeVisible();
    await expect(dialog.dialog).toHaveCount(0);
    await button.click();
    await dialog.expectInside('Confirme o pagamento no seu telemóvel');
    dialog.pressEscape();
    await expect(dialog.dialog).toHaveCount(0);
    await expect(button).toBeFocused();
  });

  test('is replaced by the hosted page if the widget does not load', async () => {
    const page = await fixture.visit({ expected: /ERR_FAILED/ });
    await page.route('**/widget.js', (route) => route.abort());
    const shop = new ShopPage(page);
    await shop.open(fixture.app);
    await shop.buy('Café de Amboim', 'Numa janela');
    await page.getByRole('link', { name: /^Pagar / }).click();
    await new CheckoutPage(page).expectTitle('Pague com Multicaixa Express');
  });
});

test('an order in two tabs is one payment, and both tabs show it paid', async () => {
  const { page, shop, checkout } = await openShop();
  const number = await page.locator('form', { hasText: 'Contos da ilha' }).locator('[name=order]').inputValue();
  await shop.buy('Contos da ilha', 'Pagar na página');
  await checkout.expectTitle('Pague com Multicaixa Express');
  const second = await page.context().newPage();
  await second.goto(`${fixture.app.node.core.publicUrl}/demo/orders/${number}`);
  const widget = new WidgetPage(second);
  const phone = ownNumber();
  await widget.pay(phone);
  await checkout.expectWaiting();
  const person = new PhonePage(await page.context().newPage());
  await person.open(fixture.app, phone);
  await person.approve('6 900,00 Kz');
  await checkout.expectTitle('Pago');
  await widget.expectTitle('Pago');
  await expect.poll(() => readBooks(fixture.app, number)).toHaveLength(1);
});
