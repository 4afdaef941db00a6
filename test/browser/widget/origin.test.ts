// <balcao-checkout> on an origin that the merchant does not allow.
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { DialogPage } from '../pages/dialog.ts';
import { allowOrigin, checkoutElement, openMerchant } from '../pages/merchant.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const stranger = openMerchant(fixture, { isForeign: true });

const DESKTOP: VisitOptions = { viewport: { width: 1280, height: 900 } };
const PHONE: VisitOptions = { viewport: { width: 320, height: 568 } };
/** Expected console errors: the gateway refuses the frame with 403, and the element explains the reason. */
const SAID = /status of 403|allowedOrigins/;

async function visitStranger(more: string, options: VisitOptions, scripts = ['/widget.js']) {
  const payment = await create(fixture.app, webframe());
  const shop = new DialogPage(await fixture.visit({ origins: [stranger.url], expected: SAID, ...options }));
  const errors: string[] = [];
  shop.page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await shop.rememberEvents();
  // The test clock does not advance, because the dialog needs no timeout here.
  await shop.page.clock.install();
  const body = checkoutElement(payment, more);
  await shop.page.goto(stranger.show({ body, scripts }));
  const readWords = () => errors.filter((text) => text.includes('allowedOrigins'));
  return { shop, payment, readWords };
}

const TITLES = {
  pt: ['Este site não está autorizado a mostrar este pagamento', 'Abrir o pagamento'],
  en: ['This site is not allowed to show this payment', 'Open the payment'],
  fr: ['Ce site n’est pas autorisé à afficher ce paiement', 'Ouvrir le paiement'],
} as const;

test.each([
  ['pt', 'a desktop', DESKTOP, '/widget.js'],
  ['fr', 'a phone', PHONE, '/widget/loader.js'],
] as const)(
  'a dialog on a foreign origin explains itself in %s on %s, and links to the payment',
  async (lang, _on, options, script) => {
    const { shop, payment, readWords } = await visitStranger(`lang="${lang}" open`, options, [script]);
    const [title, open] = TITLES[lang];
    await shop.expectInside(title);
    await expect.poll(() => shop.readEvents()).toEqual(['balcao:blocked undefined']);
    await expect(shop.dialog.getByRole('status')).toHaveCount(0);
    expect(readWords()).toEqual([
      `Balcão: the allowedOrigins lack ${stranger.url}: ` +
        `PUT ${fixture.app.node.core.publicUrl}/api/merchants/{merchantId} sets them`,
    ]);
    if (lang === 'pt') await shop.expectAccessible();
    else await shop.expectFitsNarrow();
    await shop.followInside(open);
    await expect(shop.page).toHaveURL(`${payment.checkoutUrl}?lang=${lang}`);
    await expect(shop.page.getByRole('textbox')).toBeVisible();
  },
);

test('a dialog on a foreign origin logs its explanation once for all languages, and closes on Esc', async () => {
  const { shop, readWords } = await visitStranger('open', DESKTOP);
  await shop.expectInside(TITLES.pt[0]);
  await shop.followInside('Français');
  await shop.expectInside(TITLES.fr[0]);
  await shop.inside.getByRole('link', { name: TITLES.fr[1] }).focus();
  shop.pressEscape();
  await expect(shop.dialog).toHaveCount(0);
  expect(await shop.readEvents()).toEqual(['balcao:blocked undefined', 'balcao:close undefined']);
  expect(readWords()).toHaveLength(1);
});

test('a dialog on a foreign origin opens as soon as the merchant allows that origin', async () => {
  const { shop } = await visitStranger('open', DESKTOP);
  await shop.expectInside(TITLES.pt[0]);
  await allowOrigin(fixture.app, stranger.url);
  await shop.closeButton.click();
  await shop.open();
  await shop.expectInside('Pague com Multicaixa Express');
});
