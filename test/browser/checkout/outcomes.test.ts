// A payment by push from the form to the receipt: with a test number, with the sandbox phone, in another language.
import { describe, test } from 'vitest';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { readBooks } from '../../support/payments.ts';
import { openCheckout } from '../pages/checkout.ts';
import { PhonePage } from '../pages/phone.ts';

const fixture = openBrowserFixture();

describe('the checkout', () => {
  test('shows the receipt after the test number 900000000 approves', async () => {
    const { payment, checkout, main } = await openCheckout(fixture);
    await checkout.pay('900000000');
    await checkout.expectWaiting();
    await checkout.travelToTitle(fixture.app, 'Pago');
    for (const text of ['1 500,00 Kz', `Referência${payment.reference}`, '900 ••• 000'])
      await expect(main).toContainText(text);
    const { json } = await fixture.app.call(`/api/payments/${payment.id}`);
    expect(json).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [] });
    expect(json.transactions).toHaveLength(1);
  });

  test('keeps the chosen language to the receipt, and can switch language while the payer waits', async () => {
    const { checkout, page, main } = await openCheckout(fixture, { lang: 'en' });
    await expect(page.locator('html')).toHaveAttribute('lang', 'en');
    await checkout.expectTitle('Pay with Multicaixa Express');
    await expect(checkout.payButton).toHaveText('Pay 1 500,00 Kz');
    await checkout.pay('12');
    await expect(main).toContainText('Enter the 9 digits');
    await checkout.pay('900000002');
    await checkout.expectTitle('Approve the payment on your phone');
    await checkout.travelToTitle(fixture.app, 'Not enough money in the account');
    await expect(checkout.payButton).toHaveText('Try again');
    await checkout.pay('900000000');
    await checkout.expectTitle('Approve the payment on your phone');
    await page.getByRole('link', { name: 'Français' }).click();
    await checkout.expectTitle('Confirmez le paiement sur votre téléphone');
    await checkout.travelToTitle(fixture.app, 'Payé');
    await expect(main).toContainText(/2 mars 2026/);
    await expect(page).toHaveTitle('Payé');
  });
});

describe('the sandbox phone', () => {
  test('is listed with its waiting push, declines that push, and approves the second', async () => {
    const { payment, checkout, page, main, number } = await openCheckout(fixture);
    const phone = new PhonePage(await page.context().newPage());
    await phone.open(fixture.app, number);
    await expect(phone.page.getByText('Nenhum pedido à espera')).toBeVisible();
    await checkout.pay(number);
    await checkout.expectWaiting();
    // The page shows the waiting screen before the provider has received the push.
    await expect.poll(() => readBooks(fixture.app, payment.reference)).toHaveLength(1);
    await phone.page.goto(`${fixture.app.node.core.publicUrl}/sandbox/phone`);
    await phone.page.getByRole('link', { name: number.replace(/(\d{3})(?=\d)/g, '$1 ') }).click();
    await phone.decline('1 500,00 Kz');
    await expect(phone.page.getByText('Pagamento recusado no telemóvel')).toBeVisible();
    await checkout.expectTitle('Pagamento recusado no telemóvel');
    await checkout.again.click();
    await checkout.expectWaiting();
    await phone.approve('1 500,00 Kz');
    await expect(phone.page.getByText('Aprovado')).toBeVisible();
    await checkout.expectTitle('Pago');
    await expect(main).not.toContainText('recusado');
    const books = await readBooks(fixture.app, payment.reference);
    expect(books.map(({ status }) => status)).toEqual(['DECLINED', 'APPROVED']);
  });
});
