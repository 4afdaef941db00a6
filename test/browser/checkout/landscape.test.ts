// A phone lying down: the bill beside what is to be done, which can be done without scrolling.
import { expect } from '../../support/expect.ts';
import { describe, expect as expectValue, test } from 'vitest';
import { openForm, openWaiting } from '../../screens/checkout-fixture.ts';
import { references } from '../../screens/references.ts';
import { strays } from '../../screens/strays.ts';
import type { CheckoutPage } from '../pages/checkout.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const LYING = { width: 740, height: 360 };

/** Turns the phone; nothing scrolls sideways. */
async function lay(checkout: CheckoutPage) {
  await checkout.page.setViewportSize(LYING);
  expectValue(await checkout.page.evaluate(() => document.documentElement.scrollWidth)).toBe(LYING.width);
  return checkout;
}

async function boxesOf({ page }: CheckoutPage) {
  const [bill, act] = await Promise.all(['.bill', '.act'].map((part) => page.locator(part).boundingBox()));
  return { bill: bill!, act: act! };
}

describe('lying down', () => {
  test('the form can be filled in and sent without scrolling', async () => {
    const checkout = await lay((await openForm(fixture)).checkout);
    const { bill, act } = await boxesOf(checkout);
    expectValue(act.x).toBeGreaterThanOrEqual(bill.x + bill.width - 1);
    const button = (await checkout.payButton.boundingBox())!;
    expectValue(button.y + button.height).toBeLessThanOrEqual(LYING.height);
    await checkout.expectAccessible();
  });

  test('while the phone is asked, the countdown and what to do stand beside the amount', async () => {
    const checkout = await lay((await openWaiting(fixture)).checkout);
    const timer = (await checkout.page.getByRole('timer').boundingBox())!;
    const title = (await checkout.heading.boundingBox())!;
    expectValue(title.y + title.height).toBeLessThanOrEqual(LYING.height);
    expectValue(timer.y).toBeGreaterThan(0);
  });

  test('the amount stays in sight while the payer reads on', async () => {
    const checkout = await lay(await references['reference']!(fixture));
    await checkout.page.mouse.wheel(0, 400);
    await expect.poll(() => checkout.page.evaluate(() => scrollY)).toBeGreaterThan(100);
    await expect(checkout.main.locator('.amount')).toBeInViewport({ ratio: 1 });
  });

  test('a page without a payment is one column', async () => {
    const checkout = await lay(await strays['wrong link']!(fixture));
    const title = (await checkout.heading.boundingBox())!;
    const line = (await checkout.main.locator('p').first().boundingBox())!;
    expectValue(line.y).toBeGreaterThanOrEqual(title.y + title.height);
  });
});
