// Gives the demo shop a brand colour and a logo during one test.
import type { BrowserFixture } from '../support/browser-fixture.ts';

/** A node caches the settings of a merchant for less than this time. */
const REREAD_MS = 6_000;

/** Sets the brand of the shop while `act` runs. Payments opened in that time show it. */
export async function withBrand<T>(
  fixture: BrowserFixture,
  color: string,
  act: () => Promise<T>,
  hasLogo = true,
): Promise<T> {
  await setBrand(fixture, color, hasLogo ? await drawLogo(fixture, color) : null);
  try {
    return await act();
  } finally {
    await setBrand(fixture, null, null);
  }
}

async function setBrand({ app }: BrowserFixture, color: string | null, logo: string | null) {
  await app.sql(`update merchants set brand_color = $1, brand_logo = $2 where name = 'Loja da Ilha'`, [color, logo]);
  await app.clock.pass(REREAD_MS);
}

async function drawLogo(fixture: BrowserFixture, color: string): Promise<string> {
  const page = await fixture.visit();
  await page.setContent(
    `<b style="display:inline-block;font:italic 44px/1.6 serif;color:${color};padding:0 12px;background:#fff">Ilha</b>`,
  );
  const png = await page.locator('b').screenshot();
  await page.close();
  return `data:image/png;base64,${png.toString('base64')}`;
}
