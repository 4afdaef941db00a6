// Paying without a mouse: the way through the form, where the focus goes, and that it can always be seen.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { BasePage } from '../pages/base.ts';
import { CheckoutPage } from '../pages/checkout.ts';
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

async function openCheckout() {
  const payment = await create(fixture.app, webframe());
  const checkout = new CheckoutPage(await fixture.visit());
  await checkout.open(payment);
  const tabToPhone = () => tabTo(checkout.page, () => checkout.phone.evaluate((e) => e === document.activeElement));
  return { checkout, keyboard: checkout.page.keyboard, tabToPhone };
}

test('on the hosted page, from load to paid: the focus follows to each new screen’s heading', async () => {
  const number = ownNumber();
  const { checkout, keyboard, tabToPhone } = await openCheckout();
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

test('after a refusal the form is one Tab away, the number still in it, and Enter tries again', async () => {
  const number = ownNumber();
  const { checkout, keyboard, tabToPhone } = await openCheckout();
  await tabToPhone();
  await keyboard.type(number);
  await keyboard.press('Enter');
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

test('a wrong number keeps the focus in its field, with the reason tied to it', async () => {
  const { checkout, keyboard, tabToPhone } = await openCheckout();
  await tabToPhone();
  await expect(checkout.phone).toHaveAccessibleDescription('O número que usa no Multicaixa Express.');
  await keyboard.type('812345678');
  await keyboard.press('Enter');
  await expect(checkout.phone).toHaveAttribute('aria-invalid', 'true');
  await expect(checkout.phone).toHaveAccessibleDescription(/^Escreva os 9 algarismos/);
  await expect(checkout.phone).toBeFocused();
});

test('a payer who is reading elsewhere is not moved: the change is told in the status line', async () => {
  const number = ownNumber();
  const { checkout } = await openCheckout();
  await checkout.pay(number);
  await checkout.expectWaiting();
  const french = checkout.page.getByRole('link', { name: 'Français' });
  await french.focus();
  await answerPush(fixture.app, number, 'approve');
  await checkout.expectTitle('Pago');
  await expect(french).toBeFocused();
  await expect(checkout.page.getByRole('status').filter({ hasText: 'Pago' })).toHaveCount(1);
});

test('in the shop, from the shelf to paid by the widget', async () => {
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

describe('every stop of the Tab key shows the focus', () => {
  test.each(['/sandbox', '/sandbox/phone', '/demo', '/problems/not_found'])('on %s', async (path) => {
    const page = await fixture.visit();
    await page.goto(fixture.app.node.core.publicUrl + path);
    await new BasePage(page).expectFocusVisible();
  });

  test('on the checkout, the widget and a ringing phone', async () => {
    const number = ownNumber();
    const { checkout } = await openCheckout();
    const { page } = checkout;
    await checkout.expectFocusVisible();
    await checkout.pay(number);
    await checkout.expectWaiting();
    const phone = new PhonePage(page);
    await phone.open(fixture.app, number);
    await phone.expectFocusVisible();
    const shop = new ShopPage(page);
    await shop.open(fixture.app);
    await shop.buy('Jindungo', 'Pagar aqui');
    await new WidgetPage(page).expectTitle('Pague com Multicaixa Express');
    await shop.expectFocusVisible();
  });
});
