// <balcao-checkout> on a page whose origin is none of the merchant's: said at once to its shopper, its page and whoever looks into the console.
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, expect as expectValue, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { allowOrigin, DialogPage } from '../pages/dialog.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
let stranger: Merchant;
beforeAll(async () => {
  stranger = await startMerchant(fixture.app.node.core.publicUrl);
});
afterAll(() => stranger.close());

const DESKTOP: VisitOptions = { viewport: { width: 1280, height: 900 } };
const PHONE: VisitOptions = { viewport: { width: 320, height: 568 } };
/** The gateway's own refusal, and the element's words about it. */
const SAID = /status of 403|allowedOrigins/;

async function visitStranger(more: string, options: VisitOptions, scripts = ['/widget.js']) {
  const payment = await create(fixture.app, webframe());
  const shop = new DialogPage(await fixture.visit({ origins: [stranger.url], expected: SAID, ...options }));
  const errors: string[] = [];
  shop.page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await shop.rememberEvents();
  // It stands still: nothing of this is found out by waiting.
  await shop.page.clock.install();
  const body = `<balcao-checkout token="${payment.clientToken}" ${more}></balcao-checkout>`;
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
  ['pt', 'a desk', DESKTOP, '/widget.js'],
  ['pt', 'a phone', PHONE, '/widget/loader.js'],
  ['en', 'a phone', PHONE, '/widget.js'],
  ['fr', 'a desk', DESKTOP, '/widget.js'],
] as const)('says so in %s on %s, and leads to the payment', async (lang, _on, options, script) => {
  const { shop, payment, readWords } = await visitStranger(`lang="${lang}" open`, options, [script]);
  const [title, open] = TITLES[lang];
  await shop.expectInside(title);
  await expect.poll(() => shop.readEvents()).toEqual(['balcao:blocked undefined']);
  await expect(shop.dialog.getByRole('status')).toHaveCount(0);
  expectValue(readWords()).toEqual([
    `Balcão: the merchant's allowedOrigins do not name ${stranger.url}, so <balcao-checkout> cannot show this payment here.`,
  ]);
  // One look for all, on a desk and on a phone: in other words only the words are others.
  if (lang === 'pt') await shop.expectAccessible();
  else {
    await shop.expectNoViolations();
    await shop.expectFitsNarrow();
  }
  await shop.followInside(open);
  await expect(shop.page).toHaveURL(`${payment.checkoutUrl}?lang=${lang}`);
  await expect(shop.page.getByRole('textbox')).toBeVisible();
});

test('says it once, in whichever language, and Esc inside of it closes the dialog', async () => {
  const { shop, readWords } = await visitStranger('open', DESKTOP);
  await shop.expectInside(TITLES.pt[0]);
  await shop.followInside('Français');
  await shop.expectInside(TITLES.fr[0]);
  await shop.inside.getByRole('link', { name: TITLES.fr[1] }).focus();
  shop.pressEscape();
  await expect(shop.dialog).toHaveCount(0);
  expectValue(await shop.readEvents()).toEqual(['balcao:blocked undefined', 'balcao:close undefined']);
  expectValue(readWords()).toHaveLength(1);
});

test('is over as soon as the merchant names the origin', async () => {
  const { shop } = await visitStranger('open', DESKTOP);
  await shop.expectInside(TITLES.pt[0]);
  await allowOrigin(fixture.app, stranger.url);
  await shop.closeButton.click();
  await shop.open();
  await shop.expectInside('Pague com Multicaixa Express');
});
