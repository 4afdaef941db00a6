// The checkout, the sandbox phone and the demo shop without JavaScript: forms, redirects and automatic refresh.
import type { Page } from 'playwright';
import { describe, test } from 'vitest';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { readBooks, travelToStatus } from '../../support/payments.ts';
import { CheckoutPage, openCheckout } from '../pages/checkout.ts';
import { answerPush, ownNumber, PhonePage } from '../pages/phone.ts';
import { OrderPage, ShopPage } from '../pages/shop.ts';

const fixture = openBrowserFixture();
const PLAIN: VisitOptions = { javaScriptEnabled: false };

const openPlain = () => openCheckout(fixture, PLAIN);

/** Opens later pages without their refresh, which would leave a page of the history after four seconds. */
const stopRefresh = (page: Page) =>
  page.route('**/checkout/*', async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    const body = (await response.text()).replace(/<meta http-equiv="refresh"[^>]*>/, '');
    await route.fulfill({ response, body });
  });

describe('the checkout without JavaScript', () => {
  test('accepts the phone number by a form, and refreshes automatically until the receipt', async () => {
    const { payment, checkout, page } = await openPlain();
    await checkout.pay('900 000 000');
    await checkout.expectWaiting();
    await expect(page).toHaveURL(`${payment.checkoutUrl}?lang=pt`);
    await travelToStatus(fixture.app, payment.id, 'Paid');
    await checkout.expectTitle('Pago');
    await expect(page.locator('meta[http-equiv=refresh]')).toHaveCount(0);
  });

  test('focuses a wrong phone number, and sends no second push after a reload or the Back button', async () => {
    const { payment, checkout, page, number } = await openPlain();
    await checkout.pay('92 345');
    await expect(page).toHaveURL(`${payment.checkoutUrl}?lang=pt&error=phone_invalid`);
    await expect(page).toHaveTitle('Erro: Pague com Multicaixa Express');
    await expect(checkout.phone).toBeFocused();
    await expect(checkout.phone).toHaveAccessibleDescription(/^Escreva os 9 algarismos/);
    await checkout.expectReadableEnlarged();
    await page.reload();
    await expect(checkout.phone).toHaveAttribute('aria-invalid', 'true');
    await stopRefresh(page);
    await checkout.pay(number);
    await checkout.expectWaiting();
    await page.reload();
    for (const address of ['?lang=pt&error=phone_invalid', '']) {
      await page.goBack();
      await expect(page).toHaveURL(payment.checkoutUrl + address);
      await checkout.expectWaiting();
    }
    await page.goForward();
    await checkout.expectWaiting();
    await expect(page).toHaveTitle('Confirme o pagamento no seu telemóvel');
    await answerPush(fixture.app, number, 'decline');
    await expect.poll(() => readBooks(fixture.app, payment.reference)).toHaveLength(1);
  });
});

describe('the sandbox phone without JavaScript', () => {
  test('approves a push by a form', async () => {
    const { payment, checkout, page, number } = await openPlain();
    await checkout.pay(number);
    await checkout.expectWaiting();
    const phone = new PhonePage(await page.context().newPage());
    await phone.open(fixture.app, number);
    await phone.approve('1 500,00 Kz');
    await expect(phone.page.getByText('Aprovado')).toBeVisible();
    await checkout.open(payment);
    await checkout.expectTitle('Pago');
  });
});

describe('the demo shop without JavaScript', () => {
  test.each([
    ['Pagar aqui', 'Pagar na página segura'],
    ['Numa janela', /^Pagar /],
  ] as const)('links "%s" to the hosted page, which links back to the paid order', async (way, link) => {
    const page = await fixture.visit(PLAIN);
    const shop = new ShopPage(page);
    await shop.open(fixture.app);
    await shop.buy('Café de Amboim', way);
    const order = new OrderPage(page);
    await order.expectState('À espera de pagamento');
    await page.getByRole('link', { name: link }).click();
    const checkout = new CheckoutPage(page);
    const number = ownNumber();
    await checkout.pay(number);
    await checkout.expectWaiting();
    // The page also refreshes itself, and a paid page has no such link.
    await page.getByRole('link', { name: 'Actualizar' }).click();
    await checkout.expectWaiting();
    await answerPush(fixture.app, number, 'approve');
    await checkout.expectTitle('Pago');
    await page.getByRole('link', { name: 'Voltar à loja' }).click();
    await order.expectState('Pago');
  });
});
