// The layout of the checkout page at a zoom of 200 and 400 %, and on a phone in landscape.
import { describe, test } from 'vitest';
import { openForm, openWaiting } from '../../screens/checkout-fixture.ts';
import { codes } from '../../screens/codes.ts';
import { pushes } from '../../screens/pushes.ts';
import { references } from '../../screens/references.ts';
import { strays } from '../../screens/strays.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import type { CheckoutPage } from '../pages/checkout.ts';

const fixture = openBrowserFixture();
const LANDSCAPE = { width: 740, height: 360 };

/** 1280 × 800 at each zoom (WCAG 1.4.4, 1.4.10). */
const ZOOMS = [
  ['200 %', { width: 640, height: 400 }],
  ['400 %', { width: 320, height: 200 }],
] as const;

describe('the checkout page at a zoom of 200 and 400 %', () => {
  test.each([
    ['form', pushes],
    ['wrong number', pushes],
    ['waiting', pushes],
    ['paid', pushes],
    ['code', codes],
    ['reference', references],
  ])('cuts off, covers and overflows nothing (%s)', async (name, states) => {
    const { page } = await states[name]!(fixture);
    for (const [zoom, size] of ZOOMS) {
      await page.setViewportSize(size);
      expect(await page.evaluate(listLost), `at ${zoom}`).toEqual([]);
    }
  });
});

/** Turns the phone to landscape, and expects no horizontal scrolling. */
async function turn(checkout: CheckoutPage) {
  await checkout.page.setViewportSize(LANDSCAPE);
  expect(await checkout.page.evaluate(() => document.documentElement.scrollWidth)).toBe(LANDSCAPE.width);
  return checkout;
}

const boxOf = async (checkout: CheckoutPage, part: string) => (await checkout.page.locator(part).boundingBox())!;

describe('the checkout page on a phone in landscape', () => {
  test('shows the form next to the amount due, with its button visible', async () => {
    const checkout = await turn((await openForm(fixture)).checkout);
    const [bill, act] = [await boxOf(checkout, '.bill'), await boxOf(checkout, '.act')];
    expect(act.x).toBeGreaterThanOrEqual(bill.x + bill.width - 1);
    const button = (await checkout.payButton.boundingBox())!;
    expect(button.y + button.height).toBeLessThanOrEqual(LANDSCAPE.height);
  });

  test('shows the countdown and the instructions of a push without scrolling', async () => {
    const checkout = await turn((await openWaiting(fixture)).checkout);
    const timer = (await checkout.page.getByRole('timer').boundingBox())!;
    const title = (await checkout.heading.boundingBox())!;
    expect(title.y + title.height).toBeLessThanOrEqual(LANDSCAPE.height);
    expect(timer.y).toBeGreaterThan(0);
  });

  test('keeps the amount visible while the payer scrolls', async () => {
    const checkout = await turn(await references['reference']!(fixture));
    await checkout.page.mouse.wheel(0, 400);
    await expect.poll(() => checkout.page.evaluate(() => scrollY)).toBeGreaterThan(100);
    await expect(checkout.main.locator('.amount')).toBeInViewport({ ratio: 1 });
  });

  test('has one column if there is no payment', async () => {
    const checkout = await turn(await strays['wrong link']!(fixture));
    const title = (await checkout.heading.boundingBox())!;
    const line = (await checkout.main.locator('p').first().boundingBox())!;
    expect(line.y).toBeGreaterThanOrEqual(title.y + title.height);
  });
});

/** Runs in the page. Finds elements beyond its edge, cut-off text, and controls that scrolling cannot reach. */
function listLost(): string[] {
  const lost: string[] = [];
  for (const each of document.querySelectorAll<HTMLElement>('body *')) {
    if (!each.checkVisibility() || each.closest('.unseen, svg')) continue;
    const { left, right } = each.getBoundingClientRect();
    if (left < 0 || right > innerWidth) lost.push(`beyond the edge: ${each.outerHTML.slice(0, 80)}`);
    const { overflow } = getComputedStyle(each);
    if (overflow !== 'visible' && each.scrollWidth > each.clientWidth + 1)
      lost.push(`cut off: ${each.outerHTML.slice(0, 80)}`);
    if (!each.matches('a, button, input')) continue;
    each.scrollIntoView({ block: 'center' });
    const box = each.getClientRects()[0]!;
    const there = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (!there || !(each.contains(there) || there.contains(each)))
      lost.push(`covered by ${there?.outerHTML.slice(0, 40)}: ${each.outerHTML.slice(0, 80)}`);
  }
  return lost;
}
