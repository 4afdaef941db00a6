// A moment when the gateway itself cannot answer: payers read words and a way on, scripts keep their problem.
import { expect } from '../../support/expect.ts';
import { afterEach, expect as expectValue, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const breakDatabase = () => fixture.app.sql('alter table payments rename to payments_away');
const mendDatabase = () => fixture.app.sql('alter table if exists payments_away rename to payments');
afterEach(mendDatabase);

test('the page says that it did not open, in the payer’s language, and opens again from there', async () => {
  const payment = await create(fixture.app, webframe());
  const checkout = new CheckoutPage(await fixture.visit({ expected: /500/ }));
  await breakDatabase();
  await checkout.open(payment, 'en');
  await checkout.expectTitle('This page did not open just now');
  await checkout.expectAccessible();
  await mendDatabase();
  await checkout.page.getByRole('link', { name: 'Open again' }).click();
  await checkout.expectTitle('Pay with Multicaixa Express');
});

test('a form sent in such a moment leads to the same page, and back to the unpaid payment', async () => {
  const payment = await create(fixture.app, webframe());
  const checkout = new CheckoutPage(await fixture.visit({ javaScriptEnabled: false, expected: /500/ }));
  await checkout.open(payment);
  await breakDatabase();
  await checkout.pay('900000000');
  await checkout.expectTitle('Esta página não abriu agora');
  await expect(checkout.main).toContainText('Se já confirmou no telemóvel, o pagamento continua: não o repita.');
  await mendDatabase();
  await checkout.page.getByRole('link', { name: 'Abrir de novo' }).click();
  await checkout.expectTitle('Pague com Multicaixa Express');
});

test('an address for forms that is opened says so, and leads back to the payment as it was shown', async () => {
  const payment = await create(fixture.app, webframe());
  const page = await fixture.visit({ expected: /405/ });
  const checkout = new CheckoutPage(page);
  await page.goto(`${payment.checkoutUrl}/pay?embed=1&theme=dark`);
  await checkout.expectTitle('Não conseguimos ler este pedido');
  await expect(checkout.main).toContainText('Por ele nada foi pago');
  await checkout.expectAccessible();
  await page.getByRole('link', { name: 'Abrir o pagamento' }).click();
  await expect(page).toHaveURL(/[?&]embed=/);
  await checkout.expectTitle('Pague com Multicaixa Express');
});

test('a script that pays or reads in such a moment gets the problem', async () => {
  const { clientToken } = await create(fixture.app, webframe());
  await breakDatabase();
  const read = await fixture.app.call(`/checkout/${clientToken}/session`, { token: null });
  const paid = await fixture.app.call(`/checkout/${clientToken}/pay`, {
    token: null,
    body: { phoneNumber: '900000000' },
  });
  expectValue([read.json.code, paid.json.code]).toEqual(['internal_error', 'internal_error']);
});
