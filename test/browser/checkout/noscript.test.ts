// The checkout, the phone and the shop in a browser without JavaScript: forms, redirects and pages that refresh themselves.
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, readBooks, travelToStatus, untilStatus, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { answerPush, ownNumber, PhonePage } from '../pages/phone.ts';
import { makeReference, payAtMachine } from '../pages/reference.ts';
import { OrderPage, ShopPage } from '../pages/shop.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const PLAIN: VisitOptions = { javaScriptEnabled: false };

/** The pages ask again each few seconds of real time. */
const REFRESH_MS = 12_000;

async function openPlain(options: VisitOptions = {}, lang?: string) {
  const payment = await create(fixture.app, webframe());
  const checkout = new CheckoutPage(await fixture.visit({ ...PLAIN, ...options }));
  await checkout.open(payment, lang);
  return { payment, checkout };
}

describe('the checkout', () => {
  test('is paid by a plain form, and refreshes itself to the receipt', async () => {
    const { payment, checkout } = await openPlain();
    await checkout.pay('900 000 000');
    await checkout.expectWaiting();
    await expect(checkout.page).toHaveURL(`${payment.checkoutUrl}?lang=pt`);
    await travelToStatus(fixture.app, payment.id, 'Paid');
    await checkout.expectTitle('Pago', REFRESH_MS);
    await expect(checkout.page.locator('meta[http-equiv=refresh]')).toHaveCount(0);
  });

  test('can be looked at again by hand while it waits', async () => {
    const { payment, checkout } = await openPlain({}, 'en');
    const number = ownNumber();
    await checkout.pay(number);
    await checkout.expectTitle('Approve the payment on your phone');
    await answerPush(fixture.app, number, 'decline');
    await untilStatus(fixture.app, payment.id, 'Pending');
    await checkout.page.getByRole('link', { name: 'Refresh' }).click();
    await checkout.expectTitle('Payment declined on the phone');
    await expect(checkout.payButton).toHaveText('Try again');
  });

  test('says a wrong number first of all, at its field, where the payer goes on', async () => {
    const { payment, checkout } = await openPlain();
    await checkout.pay('92 345');
    await expect(checkout.page).toHaveURL(`${payment.checkoutUrl}?lang=pt&error=phone_invalid`);
    await expect(checkout.page).toHaveTitle('Erro: Pague com Multicaixa Express');
    await expect(checkout.phone).toBeFocused();
    await expect(checkout.phone).toHaveAttribute('aria-invalid', 'true');
    await expect(checkout.phone).toHaveAccessibleDescription(/^Escreva os 9 algarismos/);
    await checkout.expectReadableEnlarged();
    await checkout.pay('900000000');
    await checkout.expectWaiting();
    await expect.poll(() => readBooks(fixture.app, payment.reference)).toHaveLength(1);
  });

  test('after a wrong number reloading and going back show the page, never the browser’s own question', async () => {
    const { payment, checkout } = await openPlain();
    const { page, phone } = checkout;
    await checkout.pay('92 345');
    // A page on its way cannot be reloaded.
    await expect(phone).toHaveAttribute('aria-invalid', 'true');
    await page.reload();
    await expect(phone).toHaveAttribute('aria-invalid', 'true');
    await checkout.pay(ownNumber());
    await checkout.expectWaiting();
    for (const address of ['?lang=pt&error=phone_invalid', '']) {
      await page.goBack();
      await expect(page).toHaveURL(payment.checkoutUrl + address);
      await checkout.expectWaiting();
    }
    await page.goForward();
    await checkout.expectWaiting();
    await expect(page).toHaveTitle('Confirme o pagamento no seu telemóvel');
    await expect.poll(() => readBooks(fixture.app, payment.reference)).toHaveLength(1);
  });

  test('reloading or going back after the form is no second push', async () => {
    const { payment, checkout } = await openPlain();
    const number = ownNumber();
    await checkout.pay(number);
    await checkout.expectWaiting();
    await checkout.page.reload();
    await checkout.page.goBack();
    await checkout.page.goForward();
    await checkout.expectWaiting();
    await answerPush(fixture.app, number, 'decline');
    await expect.poll(() => readBooks(fixture.app, payment.reference)).toHaveLength(1);
  });
});

test('where scripts run, but ours does not come, a reference can be looked at again by hand', async () => {
  const made = await makeReference(fixture.app);
  const checkout = new CheckoutPage(await fixture.visit({ expected: /ERR_FAILED/ }));
  const again = checkout.page.getByRole('link', { name: 'Atualizar' });
  await checkout.page.route('**/assets/*.js', (route) => route.abort());
  await checkout.open(made);
  await payAtMachine(fixture.app, made);
  await again.click();
  await checkout.expectTitle('Pago');
  await expect(again).toHaveCount(0);
});

test('the phone approves by a plain form', async () => {
  const number = ownNumber();
  const { payment, checkout } = await openPlain();
  await checkout.pay(number);
  await checkout.expectWaiting();
  const phone = new PhonePage(await checkout.page.context().newPage());
  await phone.open(fixture.app, number);
  await phone.approve('1 500,00 Kz');
  await expect(phone.page.getByText('Aprovado')).toBeVisible();
  await checkout.open(payment);
  await checkout.expectTitle('Pago');
});

test.each([
  ['Pagar aqui', 'Pagar na página segura'],
  ['Numa janela', /^Pagar /],
] as const)('the shop leads from "%s" to the hosted page, and back to the paid order', async (way, link) => {
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
  await answerPush(fixture.app, number, 'approve');
  await page.getByRole('link', { name: 'Atualizar' }).click();
  await checkout.expectTitle('Pago');
  await page.getByRole('link', { name: 'Voltar à loja' }).click();
  await order.expectState('Pago');
});
