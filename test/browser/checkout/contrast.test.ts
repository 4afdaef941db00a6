// Colours that merchants choose and colours that payers force: every word stays legible, on the page and in the widget.
import type { Locator, Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, describe, expect as expectValue, test } from 'vitest';
import { contrastOf } from '../../../shared/brand.ts';
import { create, webframe } from '../../support/payments.ts';
import { withBrand } from '../../screens/brand.ts';
import { openForm, openWaiting } from '../../screens/checkout-fixture.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();

let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
});
afterAll(() => merchant?.close());

/** What merchants have painted on their walls: too pale, too dark, glaring, and the house's own. */
const COLOURS = ['#f5b301', '#14213d', '#ff0000', '#00ff00', '#ffffff', '#000000', '#0b5d5b'];

const toHex = (rgb: string) =>
  `#${(rgb.match(/\d+/g) ?? [])
    .slice(0, 3)
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`;

/** What an element is written in, and on. */
async function readPaint(element: Locator): Promise<{ ink: string; ground: string }> {
  const paint = await element.evaluate((each) => {
    const { color, backgroundColor } = getComputedStyle(each);
    return { ink: color, ground: backgroundColor };
  });
  return { ink: toHex(paint.ink), ground: toHex(paint.ground) };
}

/** Button and title are legible in both schemes; answers the button's grounds. */
async function expectLegible(page: Page, button: Locator, title: Locator, card: Locator): Promise<string[]> {
  const grounds: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const painted = await readPaint(button);
    expectValue(contrastOf(painted.ink, painted.ground), `the button, ${colorScheme}`).toBeGreaterThanOrEqual(4.5);
    const [words, surface] = [await readPaint(title), await readPaint(card)];
    expectValue(contrastOf(words.ink, surface.ground), `the title, ${colorScheme}`).toBeGreaterThanOrEqual(4.5);
    expectValue(words.ink).toBe(painted.ground);
    grounds.push(painted.ground);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return grounds;
}

describe.each(COLOURS)('a shop in %s', (color) => {
  test('is legible on the page and in the widget, which are in the same shades', async () => {
    await withBrand(
      fixture,
      color,
      async () => {
        const { checkout } = await openForm(fixture);
        const onPage = await expectLegible(
          checkout.page,
          checkout.payButton,
          checkout.heading,
          checkout.page.locator('.card'),
        );
        const { clientToken } = await create(fixture.app, webframe());
        const body = `<balcao-payment token="${clientToken}"></balcao-payment>`;
        const page = await fixture.visit({ origins: [merchant.url] });
        await page.goto(merchant.show({ body, scripts: ['/widget.js'] }));
        const widget = new WidgetPage(page);
        await widget.expectTitle('Pague com Multicaixa Express');
        const inWidget = await expectLegible(page, widget.payButton, widget.title, widget.element.locator('.card'));
        expectValue(inWidget).toEqual(onPage);
      },
      false,
    );
  });
});

test('on paper a dark widget is in ink too', async () => {
  const { clientToken } = await create(fixture.app, webframe());
  const page = await fixture.visit({ origins: [merchant.url] });
  const body = `<balcao-payment token="${clientToken}" theme="dark"></balcao-payment>`;
  await page.goto(merchant.show({ body, scripts: ['/widget.js'] }));
  const { title } = new WidgetPage(page);
  await expect(title).toHaveCSS('color', 'rgb(95, 198, 192)');
  await page.emulateMedia({ media: 'print' });
  await expect(title).toHaveCSS('color', 'rgb(11, 93, 91)');
});

test('a shop without a colour is in the house’s', async () => {
  const { checkout } = await openForm(fixture);
  expectValue((await readPaint(checkout.payButton)).ground).toBe('#0b5d5b');
});

test('the logo is shown beside the name, and nothing jumps when it comes late or never', async () => {
  await withBrand(fixture, '#0a7d4b', async () => {
    const { checkout, payment } = await openForm(fixture);
    const logo = checkout.main.locator('img.logo');
    await expect.poll(() => logo.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBeGreaterThan(0);
    const top = (await checkout.heading.boundingBox())!.y;
    await checkout.page.route(/\/logo\?/, () => {});
    await checkout.page.goto(payment.checkoutUrl, { waitUntil: 'commit' });
    await checkout.expectTitle('Pague com Multicaixa Express');
    expectValue((await checkout.heading.boundingBox())!.y).toBe(top);
    await expect(checkout.payButton).toBeEnabled();
  });
});

test('a payer who wants more contrast gets ink for what is quiet, and edges that can be seen', async () => {
  const { checkout } = await openForm(fixture);
  const { page } = checkout;
  const hint = page.locator('#phone-note');
  const edgeOf = (part: string) => page.locator(part).evaluate((each) => getComputedStyle(each).borderTopColor);
  await page.emulateMedia({ contrast: 'more' });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const ink = await page.locator('body').evaluate((each) => getComputedStyle(each).color);
    expectValue(await hint.evaluate((each) => getComputedStyle(each).color)).toBe(ink);
    expectValue(await edgeOf('.input')).toBe(ink);
  }
});

test('the ring moves for whoever likes it, and jumps for whoever does not', async () => {
  const { checkout } = await openWaiting(fixture);
  const durationOf = () => checkout.page.locator('.left').evaluate((each) => getComputedStyle(each).transitionDuration);
  await checkout.page.emulateMedia({ reducedMotion: 'no-preference' });
  expectValue(await durationOf()).toBe('0.5s');
  await checkout.page.emulateMedia({ reducedMotion: 'reduce' });
  expectValue(await durationOf()).toBe('0s');
});
