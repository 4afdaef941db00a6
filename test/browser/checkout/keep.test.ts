// A payer prints a receipt or a reference (A4 or an 80 mm roll), or saves it as a file that needs no network.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, test } from 'vitest';
import { pushes } from '../../screens/pushes.ts';
import { references } from '../../screens/references.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { BasePage } from '../pages/base.ts';

const fixture = openBrowserFixture();
const folder = mkdtempSync(join(tmpdir(), 'balcao-receipt-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The printable width in CSS pixels: 210 and 80 mm less 5 mm on each side. */
const [A4, ROLL] = [756, 265];

const KEPT = [
  ['a receipt', pushes['paid']!, ['Pago', '12 500,00 Kz', 'Loja da Ilha', 'N.º da transacção']],
  [
    'a reference',
    references['reference']!,
    ['Pague por referência', '12 500,00 Kz', 'Loja da Ilha', 'Entidade', 'Onde pagar'],
  ],
] as const;

describe.each(KEPT)('%s', (_name, open, words) => {
  test('prints its text in black, centred, within A4 and an 80 mm roll, without links', async () => {
    const { page, main } = await open(fixture);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const width of [A4, ROLL]) {
      await page.setViewportSize({ width, height: 600 });
      for (const word of words) await expect(main.getByText(word).first()).toBeVisible();
      await expect(page.locator('button:visible, a:visible')).toHaveCount(0);
      // The print must show SANDBOX, so that it does not look like a real receipt.
      await expect(page.getByText('Ambiente de testes · sem dinheiro real')).toBeVisible();
      const { x, right, wide, ink } = await main.evaluate((each) => {
        const box = each.getBoundingClientRect();
        const { color } = getComputedStyle(each);
        return { x: box.x, right: innerWidth - box.right, wide: document.documentElement.scrollWidth, ink: color };
      });
      expect(wide).toBe(width);
      expect(Math.abs(x - right)).toBeLessThanOrEqual(1);
      expect(ink).toBe('rgb(27, 26, 23)');
    }
  });

  test('is complete as a saved file without a network, and contains no client token and no link', async () => {
    const opened = await open(fixture);
    const page = await fixture.visit({ origins: ['null'], expected: /ERR_INTERNET_DISCONNECTED/ });
    await page.goto(opened.page.url());
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Descarregar esta página' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^[R\d ]+\.html$/);
    const file = join(folder, download.suggestedFilename());
    await download.saveAs(file);
    // The page of a reference would open its stream again.
    await page.goto('about:blank');
    await page.context().setOffline(true);
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    const address = pathToFileURL(file).href;
    await page.goto(address);
    for (const word of words) await expect(page.getByText(word).first()).toBeVisible();
    await expect(page.getByText('Ambiente de testes · sem dinheiro real')).toBeVisible();
    expect(await page.locator('.card').evaluate((card) => getComputedStyle(card).borderRadius)).toBe('12px');
    await expect(page.locator('[href]:not(link), [src], script, noscript, [http-equiv], form')).toHaveCount(0);
    const [, token] = /\/checkout\/([\w.-]+)/.exec(opened.page.url())!;
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    await new BasePage(page).expectAccessible();
    expect(requested.filter((each) => !each.startsWith('data:'))).toEqual([address]);
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: ROLL, height: 600 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(ROLL);
  });
});
