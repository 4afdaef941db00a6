// Pages that the payer's browser translates: every state shows the same words as on an untranslated page.
import type { Locator, Page, Route } from 'playwright';
import { afterAll, beforeAll, describe, expect as expectValue, test } from 'vitest';
import { everyState, sessionWith, withTexts } from '../../support/checkout.ts';
import { expect } from '../../support/expect.ts';
import { create, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { countTranslated, translatePages } from '../pages/translator.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
});
afterAll(() => merchant.close());

type Payment = { clientToken: string; checkoutUrl: string };
const PLACES = {
  'the checkout page': {
    open: (page: Page, { checkoutUrl }: Payment) => page.goto(`${checkoutUrl}?lang=pt`),
    card: (page: Page) => page.locator('main'),
    selector: 'main',
  },
  'the widget': {
    open: (page: Page, { clientToken }: Payment) =>
      page.goto(merchant.show({ body: `<balcao-payment token="${clientToken}"></balcao-payment>` })),
    card: (page: Page) => page.locator('balcao-payment .card'),
    selector: 'balcao-payment',
  },
};

/** Without the countdown, which two pages need not show in the same second. */
const readWords = async (card: Locator) => (await card.innerText()).replace(/\d:\d\d/g, '');

describe.each(Object.entries(PLACES))('%s', (_name, { open, card, selector }) => {
  test('shows the same words as an untranslated page in every state', async () => {
    const payment = await create(fixture.app, webframe());
    const options = { expected: /events\?|qrcode|logo/, origins: [merchant.url] };
    const [plain, translated] = [await fixture.visit(options), await fixture.visit(options)];
    await translatePages(translated);
    let session = sessionWith();
    let revision = 100;
    const answer = (route: Route) => route.fulfill({ json: withTexts({ ...session, revision }), headers: CORS });
    for (const page of [plain, translated]) {
      await page.route('**/events?*', (route) => route.abort());
      await page.route('**/session?*', answer);
    }
    await Promise.all([open(plain, payment), open(translated, payment)]);
    await expect(card(plain)).toContainText('Pague com');
    await expect(card(translated)).toContainText('Pague com');
    const differing: string[] = [];
    for (const [name, next] of everyState('pt')) {
      // A page stops after a final session, so this test marks no session as final.
      [session, revision] = [{ ...next, isFinal: false }, revision + 1];
      await Promise.all([wake(plain), wake(translated)]);
      const words = await readWords(card(plain));
      if ((await readWords(card(translated))) !== words)
        differing.push(`${name}: ${await readWords(card(translated))}, not ${words}`);
    }
    expectValue(differing).toEqual([]);
    expectValue(await countTranslated(translated, selector)).toBeGreaterThan(3);
  });
});

const CORS = { 'Access-Control-Allow-Origin': '*' };

/** Has the page read its session, and waits until that is drawn. */
async function wake(page: Page) {
  const read = page.waitForResponse('**/session?*');
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await (await read).finished();
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve();
        port2.postMessage(null);
      }),
  );
}

test('a translated page keeps the typed number, counts down, and shows a refusal and the final status', async () => {
  const page = await fixture.visit();
  await translatePages(page);
  const payment = await create(fixture.app, webframe());
  const checkout = new CheckoutPage(page);
  await checkout.open(payment, 'pt');
  await checkout.pay('12');
  await expect(checkout.main).toContainText('Escreva os 9 algarismos');
  await expect(checkout.phone).toHaveValue('12');
  await expect(checkout.phone).toBeFocused();
  const number = ownNumber();
  await checkout.pay(number);
  await checkout.expectWaiting();
  const ring = page.getByRole('timer');
  const first = await ring.textContent();
  await expect(ring).not.toHaveText(first!);
  await answerPush(fixture.app, number, 'decline');
  await checkout.expectTitle('Pagamento recusado no telemóvel');
  await expect(checkout.payButton).toHaveText('Tentar novamente');
  await checkout.payButton.click();
  await checkout.expectWaiting();
  await answerPush(fixture.app, number, 'approve');
  await checkout.expectTitle('Pago');
  await expect(checkout.main).not.toContainText('Confirme o pagamento');
});

test('a translated widget says that there is no such payment in the place of opening it', async () => {
  const page = await fixture.visit({ origins: [merchant.url], expected: /404/ });
  await translatePages(page);
  await page.goto(merchant.show({ body: '<balcao-payment token="nothing"></balcao-payment>' }));
  const widget = new WidgetPage(page);
  await expect(widget.element.getByRole('status')).toHaveText('Este pagamento já não está disponível.');
});
