// The hosted page in its three languages: asked for, guessed from the browser, switched by the payer.
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

async function openCheckout(options: VisitOptions = {}, lang?: string) {
  const payment = await create(fixture.app, webframe());
  const checkout = new CheckoutPage(await fixture.visit(options));
  await checkout.open(payment, lang);
  return { payment, checkout };
}

const WORDS = {
  pt: {
    ask: 'Pague com Multicaixa Express',
    pay: 'Pagar 1 500,00 Kz',
    wrong: 'Escreva os 9 algarismos',
    wait: 'Confirme o pagamento no seu telemóvel',
    refused: 'Saldo insuficiente',
    again: 'Tentar novamente',
    paid: 'Pago',
    date: /2 de março de 2026/,
  },
  en: {
    ask: 'Pay with Multicaixa Express',
    pay: 'Pay 1 500,00 Kz',
    wrong: 'Enter the 9 digits',
    wait: 'Approve the payment on your phone',
    refused: 'Not enough money in the account',
    again: 'Try again',
    paid: 'Paid',
    date: /2 March 2026/,
  },
  fr: {
    ask: 'Payez avec Multicaixa Express',
    pay: 'Payer 1 500,00 Kz',
    wrong: 'Saisissez les 9 chiffres',
    wait: 'Confirmez le paiement sur votre téléphone',
    refused: 'Solde insuffisant',
    again: 'Réessayer',
    paid: 'Payé',
    date: /2 mars 2026/,
  },
} as const;

describe.each(Object.entries(WORDS))('in %s', (lang, words) => {
  test('the whole way is told, from the form over a refusal to the receipt', async () => {
    const { checkout } = await openCheckout({}, lang);
    const { page, main } = checkout;
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await checkout.expectTitle(words.ask);
    await expect(checkout.payButton).toHaveText(words.pay);
    await checkout.pay('12');
    await expect(main).toContainText(words.wrong);
    await checkout.pay('900000002');
    await checkout.expectTitle(words.wait);
    await checkout.travelToTitle(fixture.app, words.refused);
    await expect(page).toHaveTitle(words.refused);
    await expect(checkout.payButton).toHaveText(words.again);
    await checkout.pay('900000000');
    await checkout.travelToTitle(fixture.app, words.paid);
    await expect(main).toContainText(words.date);
    await expect(page).toHaveTitle(words.paid);
  });
});

test.each([
  ['pt-AO', WORDS.pt.ask],
  ['en-US', WORDS.en.ask],
  ['fr-CD', WORDS.fr.ask],
  ['umb', WORDS.pt.ask],
])('a browser that speaks %s is answered with "%s"', async (locale, title) => {
  const { checkout } = await openCheckout({ locale });
  await checkout.expectTitle(title);
});

test('a dead link is told in the browser’s language', async () => {
  const page = await fixture.visit({ locale: 'fr-CD', expected: /404/ });
  await page.goto(`${fixture.app.node.core.publicUrl}/checkout/${'x'.repeat(43)}`);
  await new CheckoutPage(page).expectTitle('Ce lien de paiement n’est pas valable');
});

test('the payer switches languages while waiting, and the payment goes on', async () => {
  const { checkout } = await openCheckout();
  await checkout.pay('900000000');
  await checkout.expectWaiting();
  await checkout.page.getByRole('link', { name: 'Français' }).click();
  await checkout.expectTitle(WORDS.fr.wait);
  await checkout.travelToTitle(fixture.app, WORDS.fr.paid);
});
