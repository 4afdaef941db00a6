// Sharing of a payment link on a phone, and its printed poster.
import { expect as expectValue, onTestFinished, test } from 'vitest';
import { createLink } from '../../support/links.ts';
import { expect } from '../../support/expect.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { BasePage } from '../pages/base.ts';
import { findDemoShop, visitConsole } from '../pages/console.ts';

const fixture = openBrowserFixture();
const PIXELS_PER_CM = 96 / 2.54;
/** A PNG of one pixel. */
const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test.each([
  [
    'the longest texts, a logo and every method',
    'LOJA DA ILHA '.repeat(7) + 'DO CABO',
    'W'.repeat(50) + ' W'.repeat(25),
  ],
  ['a short title and no logo', 'Loja da Ilha', 'Pão'],
])('the poster of a payment link with %s is one A4 page with a code of 9 cm', async (_what, name, title) => {
  const isLong = title.length > 50;
  const page = await visitConsole(fixture, { javaScriptEnabled: false });
  const path = `/api/merchants/${await findDemoShop(fixture)}`;
  const shop = { name, brandLogo: isLong ? LOGO : null, brandColor: '#ffd200' };
  expectValue((await fixture.app.call(path, { method: 'PUT', body: shop })).status).toBe(200);
  // Other tests find the shop by its name.
  onTestFinished(async () => void (await fixture.app.call(path, { method: 'PUT', body: { name: 'Loja da Ilha' } })));
  const many = { amount: null, minAmount: 100, maxAmount: 9_999_999, expiresAt: '2026-12-24' };
  const link = await createLink(fixture.app, { title, ...(isLong && many), methods: ['push', 'qrcode', 'reference'] });
  await page.goto(`${fixture.app.node.core.publicUrl}/console/links/${link.id}/poster`);
  for (const options of [{ preferCSSPageSize: true }, { format: 'A4' }]) {
    const pdf = (await page.pdf(options)).toString('latin1');
    expectValue(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1);
  }
  await page.setViewportSize({ width: 794, height: 1123 });
  await page.emulateMedia({ media: 'print' });
  const sheet = (await page.locator('.poster').boundingBox())!;
  const last = (await page.locator('.poster > :last-child').boundingBox())!;
  expectValue(last.y + last.height).toBeLessThanOrEqual(sheet.y + sheet.height);
  const code = (await page.locator('.square').boundingBox())!;
  expectValue(Math.min(code.width, code.height)).toBeGreaterThanOrEqual(9 * PIXELS_PER_CM);
  await expect(page.locator('.unprinted')).toBeHidden();
});

test('the share button of a link appears only if the browser has a share sheet, and opens it with the text', async () => {
  const link = await createLink(fixture.app, { title: 'Bilhete' });
  const page = await visitConsole(fixture);
  const button = page.getByRole('button', { name: 'Partilhar…' });
  await page.goto(`${fixture.app.node.core.publicUrl}/console/links/${link.id}`);
  await expect(page.getByRole('button', { name: 'Copiar texto' })).toBeVisible();
  await expect(button).toBeHidden();
  // The script scrolls the row of chips, and not the page.
  expectValue(await page.evaluate(() => scrollY)).toBe(0);
  await page.addInitScript(() => {
    const share = async (data: unknown) => void document.body.setAttribute('data-shared', JSON.stringify(data));
    Object.defineProperty(Navigator.prototype, 'share', { value: share });
  });
  await page.reload();
  await button.click();
  await expect(page.locator('body')).toHaveAttribute('data-shared', new RegExp(`"title":"Bilhete".*${link.url}`));
  await new BasePage(page).expectAccessible();
  await page.setViewportSize({ width: 320, height: 640 });
  await page.getByRole('link', { name: 'Cartaz A4 para imprimir' }).click();
  await expect(page.getByRole('button', { name: 'Imprimir o cartaz' })).toBeVisible();
  await new BasePage(page).expectAccessible();
  expectValue(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});
