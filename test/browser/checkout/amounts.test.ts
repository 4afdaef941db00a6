// Amounts stay on one line, however large a browser shows text and however little room a shop leaves.
import { afterAll, beforeAll, describe, expect as expectValue, test } from 'vitest';
import type { Page } from 'playwright';
import { everyState, withTexts } from '../../support/checkout.ts';
import { expect } from '../../support/expect.ts';
import { create, webframe } from '../../support/payments.ts';
import { enlargeText, restoreText } from '../pages/base.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
});
afterAll(() => merchant.close());

const NARROW = { viewport: { width: 360, height: 740 }, expected: /events\?|qrcode|logo/ };
const LARGE = '12\u00a0500\u00a0000,00\u00a0Kz';

describe('every state shows its amounts on one line', () => {
  async function listBrokenOf(page: Page, open: () => Promise<unknown>, isEnlarged: boolean) {
    let session = withTexts(everyState('pt')[0]![1]);
    let revision = 100;
    await page.route('**/events?*', (route) => route.abort());
    await page.route('**/session?*', (route) =>
      route.fulfill({ json: { ...session, revision }, headers: { 'Access-Control-Allow-Origin': '*' } }),
    );
    await open();
    await expect(page.getByText('Pague com').first()).toBeVisible();
    const broken: string[] = [];
    for (const [name, next] of everyState('pt')) {
      session = { ...withTexts(next), isFinal: false, amountText: LARGE };
      revision++;
      const read = page.waitForResponse('**/session?*');
      await page.evaluate(() => dispatchEvent(new Event('online')));
      await (await read).finished();
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      if (isEnlarged) await page.evaluate(enlargeText);
      const found = await page.evaluate(listBroken);
      await page.evaluate(restoreText);
      broken.push(...found.map((text) => `${name}: ${text}`));
    }
    return broken;
  }

  test('of the checkout page with text at 200 %', async () => {
    const page = await fixture.visit(NARROW);
    const { checkoutUrl } = await create(fixture.app, webframe());
    expectValue(await listBrokenOf(page, () => page.goto(`${checkoutUrl}?lang=pt`), true)).toEqual([]);
  });

  test.each([
    ['that is 240 px wide', '240px', false],
    ['with text at 200 %', 'auto', true],
  ])('of a widget %s', async (_name, width, isEnlarged) => {
    const page = await fixture.visit({ ...NARROW, origins: [merchant.url] });
    const { clientToken } = await create(fixture.app, webframe());
    const css = `body { margin: 0 } balcao-payment { width: ${width} }`;
    const body = `<balcao-payment token="${clientToken}"></balcao-payment>`;
    expectValue(await listBrokenOf(page, () => page.goto(merchant.show({ body, css })), isEnlarged)).toEqual([]);
  });
});

/** In the page: the amounts that stand on more than one line, shadow roots included. */
function listBroken(): string[] {
  const broken: string[] = [];
  const look = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node instanceof Element && node.shadowRoot) look(node.shadowRoot);
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
  look(document.body);
  return broken;
}
