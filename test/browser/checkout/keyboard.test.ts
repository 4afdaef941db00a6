// A payer pays with the keyboard only. Tests the order of the Tab stops and the movement of the focus.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { openCheckout } from '../pages/checkout.ts';
import { answerPush, ownNumber, PhonePage } from '../pages/phone.ts';
import { OrderPage, ShopPage } from '../pages/shop.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();

/** Presses Tab until the wanted element has the focus. */
async function tabTo(page: Page, isThere: () => Promise<boolean>) {
  for (let n = 0; n < 40; n++) {
    await page.keyboard.press('Tab');
    if (await isThere()) return;
  }
  throw new Error('Tab does not lead there');
}

async function open() {
  const opened = await openCheckout(fixture);
  const { page, checkout } = opened;
  const tabToPhone = () => tabTo(page, () => checkout.phone.evaluate((e) => e === document.activeElement));
  return { ...opened, keyboard: page.keyboard, tabToPhone };
}

test('a payment by keyboard moves the focus to the heading of each new screen', async () => {
  const { checkout, number, keyboard, tabToPhone } = await open();
  await tabToPhone();
  await keyboard.type(number);
  await keyboard.press('Enter');
  await checkout.expectWaiting();
  await expect(checkout.heading).toBeFocused();
  await answerPush(fixture.app, number, 'approve');
  await checkout.expectTitle('Pago');
  await expect(checkout.heading).toBeFocused();
  await keyboard.press('Tab');
  await expect(checkout.main.getByRole('button', { name: 'Imprimir ou guardar' })).toBeFocused();
});

test('after a refused push one Tab leads to the phone number, and Enter sends another push', async () => {
  const { checkout, number, keyboard, tabToPhone } = await open();
  await tabToPhone();
  await keyboard.type(number);
  await keyboard.press('Enter');
  // Only the waiting screen takes the focus from the field.
  await checkout.expectWaiting();
  await answerPush(fixture.app, number, 'decline');
  await checkout.expectTitle('Pagamento recusado no telemóvel');
  await expect(checkout.heading).toBeFocused();
  await keyboard.press('Tab');
  await expect(checkout.phone).toBeFocused();
  await expect(checkout.phone).toHaveValue(number);
  await keyboard.press('Enter');
  await answerPush(fixture.app, number, 'approve');
  await checkout.expectTitle('Pago');
});

test('a wrong phone number keeps the focus in its field, and the error is the field’s description', async () => {
  const { checkout, keyboard, tabToPhone } = await open();
  await tabToPhone();
  await expect(checkout.phone).toHaveAccessibleDescription('O número que usa no Multicaixa Express.');
  await keyboard.type('812345678');
  await keyboard.press('Enter');
  await expect(checkout.phone).toHaveAttribute('aria-invalid', 'true');
  await expect(checkout.phone).toHaveAccessibleDescription(/^Escreva os 9 algarismos/);
  await expect(checkout.phone).toBeFocused();
});

test('a status change is announced in the status line, and does not move the focus from another element', async () => {
  const { checkout, number } = await open();
  await checkout.pay(number);
  await checkout.expectWaiting();
  const french = checkout.page.getByRole('link', { name: 'Français' });
  await french.focus();
  await answerPush(fixture.app, number, 'approve');
  await checkout.expectTitle('Pago');
  await expect(french).toBeFocused();
  await expect(checkout.page.getByRole('status').filter({ hasText: 'Pago' })).toHaveCount(1);
});

test('the widget in the demo shop can be paid by keyboard', async () => {
  const number = ownNumber();
  const page = await fixture.visit();
  await new ShopPage(page).open(fixture.app);
  const buy = page.getByRole('button', { name: 'Pagar aqui Jindungo' });
  await tabTo(page, () => buy.evaluate((e) => e === document.activeElement));
  await page.keyboard.press('Enter');
  const widget = new WidgetPage(page);
  await widget.expectTitle('Pague com Multicaixa Express');
  const hasFocus = (e: Element) => (e.getRootNode() as ShadowRoot).activeElement === e;
  await tabTo(page, () => widget.phone.evaluate(hasFocus));
  await page.keyboard.type(number);
  await page.keyboard.press('Enter');
  await widget.expectTitle('Confirme o pagamento no seu telemóvel');
  await expect.poll(() => widget.title.evaluate(hasFocus)).toBe(true);
  await answerPush(fixture.app, number, 'approve');
  await widget.expectTitle('Pago');
  await new OrderPage(page).expectState('Pago');
});

test('every Tab stop shows the focus on the checkout page, the sandbox phone and the widget', async () => {
  const { checkout, number } = await open();
  await checkout.expectFocusVisible();
  await checkout.pay(number);
  await checkout.expectWaiting();
  const phone = new PhonePage(checkout.page);
  await phone.open(fixture.app, number);
  await phone.expectFocusVisible();
  const shop = new ShopPage(checkout.page);
  await shop.open(fixture.app);
  await shop.buy('Jindungo', 'Pagar aqui');
  await new WidgetPage(checkout.page).expectTitle('Pague com Multicaixa Express');
  await shop.expectFocusVisible();
});
