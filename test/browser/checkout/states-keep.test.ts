// Keeping a receipt: printed on A4 or on an 80 mm roll, or saved as a file that needs neither us nor a network, ever.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { afterAll, describe, expect as expectValue, test } from 'vitest';
import { pushes } from '../../screens/pushes.ts';
import { references } from '../../screens/references.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const folder = mkdtempSync(join(tmpdir(), 'balcao-receipt-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is left of the paper between its margins, in CSS pixels: 210 and 80 mm less 5 mm on each side. */
const PAPERS = [
  ['A4', 756],
  ['an 80 mm roll', 265],
] as const;

const KEPT = [
  ['a receipt', pushes['paid']!, ['Pago', '12 500,00 Kz', 'Loja da Ilha', 'N.º da transação']],
  ['a reference', references['reference']!, ['Pague por referência', '12 500,00 Kz', 'Entidade', 'Onde pagar']],
] as const;

async function saveFile(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Descarregar esta página' }).click(),
  ]);
  expectValue(download.suggestedFilename()).toMatch(/^[R\d ]+\.html$/);
  const file = join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return file;
}

describe.each(KEPT)('%s', (_what, open, words) => {
  test.each(PAPERS)('on %s: everything that matters, within the paper, in the middle of it', async (_paper, width) => {
    const checkout = await open(fixture);
    await checkout.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await checkout.page.setViewportSize({ width, height: 600 });
    for (const word of words) await expect(checkout.main.getByText(word).first()).toBeVisible();
    await expect(checkout.page.locator('button:visible, a:visible')).toHaveCount(0);
    // In the sandbox it must not pass for money on paper either.
    await expect(checkout.page.getByText('Sandbox · sem dinheiro real')).toBeVisible();
    const { x, right, wide, ink } = await checkout.main.evaluate((main) => {
      const box = main.getBoundingClientRect();
      const { color } = getComputedStyle(main);
      return { x: box.x, right: innerWidth - box.right, wide: document.documentElement.scrollWidth, ink: color };
    });
    expectValue(wide).toBe(width);
    expectValue(Math.abs(x - right)).toBeLessThanOrEqual(1);
    // Paper is white, whatever the screen was.
    expectValue(ink).toBe('rgb(27, 26, 23)');
  });

  test.each([true, false])('saved as a file is whole without a network (scripts: %s)', async (javaScriptEnabled) => {
    const opened = await open(fixture);
    const page = await fixture.visit({ javaScriptEnabled, origins: ['null'], expected: /ERR_INTERNET_DISCONNECTED/ });
    await page.goto(opened.page.url());
    const saved = await saveFile(page);
    await page.context().setOffline(true);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const address = pathToFileURL(saved).href;
    await page.goto(address);
    for (const word of words) await expect(page.getByText(word).first()).toBeVisible();
    await expect(page.getByText('Sandbox · sem dinheiro real')).toBeVisible();
    expectValue(await page.locator('.card').evaluate((card) => getComputedStyle(card).borderRadius)).toBe('12px');
    // Later nothing will be there: neither the gateway, nor the shop, nor whom it was meant for alone.
    await expect(page.locator('[href]:not(link), [src], script, noscript, [http-equiv], form')).toHaveCount(0);
    const [, token] = /\/checkout\/([\w.-]+)/.exec(opened.page.url())!;
    expectValue(readFileSync(saved, 'utf8')).not.toContain(token);
    if (javaScriptEnabled) await new CheckoutPage(page).expectAccessible();
    expectValue(asked.filter((each) => !each.startsWith('data:'))).toEqual([address]);
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: PAPERS[1][1], height: 600 });
    expectValue(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PAPERS[1][1]);
  });
});
