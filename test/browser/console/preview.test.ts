// The preview of a typed brand on the settings page, with and without JavaScript.
import type { Page } from 'playwright';
import { expect as expectValue, test } from 'vitest';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { visitConsole } from '../pages/console.ts';

const fixture = openBrowserFixture();

async function openSettings(options: VisitOptions = {}): Promise<Page> {
  const page = await visitConsole(fixture, options);
  await page.goto(`${fixture.app.node.core.publicUrl}/console/settings`);
  return page;
}

const payButton = (page: Page) => page.frameLocator('iframe[name="preview"]').locator('form button').first();

test('a colour is previewed while a person types or picks it, and is not saved', async () => {
  const page = await openSettings();
  await page.getByLabel('Cor', { exact: true }).fill('#ffcc00');
  await expect(payButton(page)).toHaveCSS('background-color', 'rgb(255, 204, 0)');
  await expect(payButton(page)).toHaveCSS('color', 'rgb(27, 26, 23)');
  await expect(page.locator('iframe')).toHaveCount(1);
  await page.getByLabel('Escolher a cor').fill('#0b5d5b');
  await expect(page.getByLabel('Cor', { exact: true })).toHaveValue('#0b5d5b');
  await expect(payButton(page)).toHaveCSS('background-color', 'rgb(11, 93, 91)');
  const colors = await fixture.app.sql(`select brand_color from merchants where name = 'Loja da Ilha'`);
  expectValue(colors).toEqual([{ brand_color: null }]);
});

test('without JavaScript the button “Ver” shows the typed colour', async () => {
  const page = await openSettings({ javaScriptEnabled: false });
  await page.getByLabel('Cor', { exact: true }).fill('#000000');
  await page.getByRole('button', { name: 'Ver' }).click();
  await expect(payButton(page)).toHaveCSS('background-color', 'rgb(0, 0, 0)');
  await expect(page.getByLabel('Escolher a cor')).toBeHidden();
});
