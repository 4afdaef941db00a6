// Draws each session state on one open checkout page, and on a second page that a browser translates.
import type { Locator, Page, Route } from 'playwright';
import { describe, test } from 'vitest';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { everyState, sessionWith, withTexts } from '../../support/checkout.ts';
import { expect } from '../../support/expect.ts';
import { create, webframe } from '../../support/payments.ts';
import { BasePage, enlargeText, restoreText } from '../pages/base.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { openMerchant, paymentElement } from '../pages/merchant.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { countTranslated, translatePages } from '../pages/translator.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

type Payment = { clientToken: string; checkoutUrl: string };

/** One state for each screen: states that differ only in their failure code have unit tests. */
const STATES = everyState('pt').filter(([name]) => !/^(refused|failed): (?!timed_out)/.test(name));
const LARGE = '12\u00a0500\u00a0000,00\u00a0Kz';
const CORS = { 'Access-Control-Allow-Origin': '*' };
const CSS = 'body { margin: 0 } .narrow { width: 240px }';

/** Opens the payment on a plain and a translated page. The returned function shows another session on both. */
async function openPages(open: (page: Page, payment: Payment) => Promise<unknown>) {
  const payment = await create(fixture.app, webframe());
  const options = {
    viewport: { width: 360, height: 740 },
    expected: /events\?|qrcode|logo/,
    origins: [merchant.url],
  };
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
  for (const page of [plain, translated]) await expect(page.getByText('Pague com').first()).toBeVisible();
  const show = async (next: typeof session) => {
    // A page stops after a final session, so this test marks no session as final.
    [session, revision] = [{ ...next, isFinal: false, amountText: LARGE }, revision + 1];
    await Promise.all([wake(plain), wake(translated)]);
  };
  return { plain, translated, show };
}

/** Makes the page read its session, and waits until the page has drawn it. */
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

/** Returns the texts without the countdown, because two pages may show different seconds. */
const readWords = async (card: Locator) => (await card.innerText()).replace(/\d+(:\d\d)+/g, '');

/** Two pages draw a state at different moments. */
const expectSameWords = (state: string, one: Locator, other: Locator) =>
  expect(async () => expect(await readWords(one), state).toBe(await readWords(other))).toPass();

async function listBrokenEnlarged(page: Page): Promise<string[]> {
  await page.evaluate(enlargeText);
  const broken = await page.evaluate(listBroken);
  await page.evaluate(restoreText);
  return broken;
}

describe('the checkout page in every state', () => {
  test('has no axe violations, fits 320 px, keeps amounts on one line at 200 %, and can be translated', async () => {
    const { plain, translated, show } = await openPages((page, { checkoutUrl }) => page.goto(`${checkoutUrl}?lang=pt`));
    const page = new BasePage(plain);
    for (const [name, state] of STATES) {
      await show(state);
      await expectSameWords(name, translated.locator('main'), plain.locator('main'));
      expect(await listBrokenEnlarged(plain), name).toEqual([]);
      expect(await page.listViolations(), name).toEqual([]);
      expect(await page.listOverflowingNarrow(), name).toEqual([]);
    }
    expect(await countTranslated(translated, 'main')).toBeGreaterThan(3);
  });

  test('keeps the typed number, the countdown and each status when a browser translates it', async () => {
    const page = await fixture.visit();
    await translatePages(page);
    const checkout = new CheckoutPage(page);
    await checkout.open(await create(fixture.app, webframe()), 'pt');
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
});

describe('the widget in every state', () => {
  test('keeps amounts on one line at 240 px and at 200 %, also when a browser translates the page', async () => {
    const { plain, translated, show } = await openPages((page, payment) =>
      page.goto(merchant.show({ body: paymentElement(payment), css: CSS })),
    );
    const element = plain.locator('balcao-payment');
    const card = (page: Page) => page.locator('balcao-payment .card');
    for (const [name, state] of STATES) {
      await show(state);
      await expectSameWords(name, card(translated), card(plain));
      expect(await listBrokenEnlarged(plain), name).toEqual([]);
      await element.evaluate((each) => each.classList.add('narrow'));
      expect(await plain.evaluate(listBroken), name).toEqual([]);
      await element.evaluate((each) => each.classList.remove('narrow'));
    }
    expect(await countTranslated(translated, 'balcao-payment')).toBeGreaterThan(3);
  });

  test('replaces its loading text by the error for an unknown token, also on a translated page', async () => {
    const body = paymentElement({ clientToken: 'nothing' });
    const page = await merchant.open({ body }, { expected: /404/, prepare: translatePages });
    const { element } = new WidgetPage(page);
    await expect(element.getByRole('status')).toHaveText('Este pagamento já não está disponível.');
  });
});

/** Runs in the page. Returns the amounts that span more than one line, including those in shadow roots. */
function listBroken(): string[] {
  const broken: string[] = [];
  const search = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node instanceof Element && node.shadowRoot) search(node.shadowRoot);
      if (!(node instanceof Text) || node.parentElement?.closest('script, style, .unseen')) continue;
      for (const { index, 0: text } of node.data.matchAll(/\d[\d\u00a0]*,\d\d\u00a0Kz/g)) {
        const range = new Range();
        range.setStart(node, index);
        range.setEnd(node, index + text.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) broken.push(`${node.parentElement?.outerHTML}`.slice(0, 160));
      }
    }
  };
  search(document.body);
  return broken;
}
