// The contrast of brand colours and of the payer's colour settings, on the checkout page and in the widget.
import type { Locator, Page } from 'playwright';
import { describe, test } from 'vitest';
import { contrastOf } from '../../../shared/brand.ts';
import { withBrand } from '../../screens/brand.ts';
import { openForm, openWaiting } from '../../screens/checkout-fixture.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { create, webframe } from '../../support/payments.ts';
import { openMerchant, paymentElement } from '../pages/merchant.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

/** This brand colour is too pale for text. Text gets a darker shade, and buttons keep it with dark letters. */
const YELLOW = '#f5b301';

const toHex = (rgb: string) =>
  `#${(rgb.match(/\d+/g) ?? [])
    .slice(0, 3)
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`;

const readStyle = (element: Locator, name: 'color' | 'backgroundColor' | 'borderTopColor' | 'transitionDuration') =>
  element.evaluate((each, property) => getComputedStyle(each)[property], name);

async function openWidget(attributes = '') {
  const body = paymentElement(await create(fixture.app, webframe()), attributes);
  const widget = new WidgetPage(await merchant.open({ body }));
  await widget.expectTitle('Pague com Multicaixa Express');
  return widget;
}

/** Expects a legible button and title in both schemes. Returns their colours. */
async function expectLegible(page: Page, button: Locator, title: Locator, card: Locator): Promise<string[]> {
  const colors: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const [ink, background] = [await readStyle(button, 'color'), await readStyle(button, 'backgroundColor')].map(toHex);
    expect(contrastOf(ink!, background!), `the button, ${colorScheme}`).toBeGreaterThanOrEqual(4.5);
    const [words, surface] = [await readStyle(title, 'color'), await readStyle(card, 'backgroundColor')].map(toHex);
    expect(contrastOf(words!, surface!), `the title, ${colorScheme}`).toBeGreaterThanOrEqual(4.5);
    colors.push(background!, ink!, words!);
  }
  return colors;
}

describe('the colour of a brand', () => {
  test('fills the button with dark letters on it, and is legible as text, on the page and in the widget', async () => {
    await withBrand(
      fixture,
      YELLOW,
      async () => {
        const { checkout } = await openForm(fixture);
        const { page, payButton, heading } = checkout;
        const onPage = await expectLegible(page, payButton, heading, page.locator('.card'));
        const letters = '#1b1a17';
        expect(onPage).toEqual([YELLOW, letters, expect.stringMatching(/^#/), YELLOW, letters, YELLOW]);
        const widget = await openWidget();
        const card = widget.element.locator('.card');
        const inWidget = await expectLegible(widget.page, widget.payButton, widget.title, card);
        // The merchant's page has no color-scheme, so the widget stays light on a dark device.
        expect(inWidget).toEqual([...onPage.slice(0, 3), ...onPage.slice(0, 3)]);
      },
      false,
    );
  });
});

describe('the logo of a brand', () => {
  test('is visible, and does not move the page when it loads late', async () => {
    await withBrand(fixture, '#0a7d4b', async () => {
      const { checkout, payment } = await openForm(fixture);
      const logo = checkout.main.locator('img.logo');
      await expect.poll(() => logo.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBeGreaterThan(0);
      const readTop = async () => (await checkout.heading.boundingBox())!.y;
      const top = await readTop();
      await checkout.page.route(/\/logo\?/, () => {});
      await checkout.page.goto(payment.checkoutUrl, { waitUntil: 'commit' });
      await checkout.expectTitle('Pague com Multicaixa Express');
      await expect(checkout.payButton).toBeEnabled();
      // The title may be visible before the page is parsed to its end.
      await expect.poll(readTop).toBe(top);
    });
  });
});

describe('a widget without a theme', () => {
  test.each(['light', 'dark'] as const)(
    'is %s in a page of this color-scheme on a device of the other',
    async (scheme) => {
      const payment = await create(fixture.app, webframe());
      const page = await merchant.open({ body: paymentElement(payment), css: `html { color-scheme: ${scheme} }` });
      await page.emulateMedia({ colorScheme: scheme === 'dark' ? 'light' : 'dark' });
      const { title } = new WidgetPage(page);
      await expect(title).toHaveCSS('color', scheme === 'dark' ? 'rgb(95, 198, 192)' : 'rgb(11, 93, 91)');
    },
  );
});

describe('a dark widget', () => {
  test('prints its text in a dark colour', async () => {
    const { title, page } = await openWidget('theme="dark"');
    await expect(title).toHaveCSS('color', 'rgb(95, 198, 192)');
    await page.emulateMedia({ media: 'print' });
    await expect(title).toHaveCSS('color', 'rgb(11, 93, 91)');
  });
});

describe('the checkout page', () => {
  test('draws help texts and borders in the text colour for a payer who prefers more contrast', async () => {
    const { page } = (await openForm(fixture)).checkout;
    await page.emulateMedia({ contrast: 'more' });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const ink = await readStyle(page.locator('body'), 'color');
      expect(await readStyle(page.locator('#phone-note'), 'color')).toBe(ink);
      expect(await readStyle(page.locator('.input'), 'borderTopColor')).toBe(ink);
    }
  });

  test('animates the ring of the countdown only if the payer accepts motion', async () => {
    const { page } = (await openWaiting(fixture)).checkout;
    for (const [reducedMotion, duration] of [['no-preference', '0.5s'] as const, ['reduce', '0s'] as const]) {
      await page.emulateMedia({ reducedMotion });
      expect(await readStyle(page.locator('.left'), 'transitionDuration')).toBe(duration);
    }
  });
});
