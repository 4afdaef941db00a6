// The printed close of a shift, with and without a script.
import { expect as expectValue, test } from 'vitest';
import type { Page } from 'playwright';
import { DEMO } from '../../../sandbox/seed.ts';
import { expect } from '../../support/expect.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { setTakesCash } from '../../support/shifts.ts';
import { BasePage } from '../pages/base.ts';
import { visitConsole } from '../pages/console.ts';

const fixture = openBrowserFixture();
const POINTS_PER_MM = 72 / 25.4;
const PIXELS_PER_MM = 96 / 25.4;

/** Opens the visitor's shift with cash. */
async function openShift(options: VisitOptions = {}): Promise<Page> {
  await setTakesCash(fixture.app, DEMO.merchantId, true);
  const page = await visitConsole(fixture, options);
  await page.goto(`${fixture.app.node.core.publicUrl}/console/shifts`);
  const opening = page.getByLabel('Fundo de caixa');
  if (await opening.isVisible()) {
    await opening.fill('5.000');
    await page.getByRole('button', { name: 'Abrir turno' }).click();
  }
  await page.getByRole('link', { name: 'Ver e fechar' }).click();
  await expect(page.locator('summary', { hasText: 'Fechar turno' })).toBeVisible();
  return page;
}

async function closeShift(page: Page, counted: string): Promise<void> {
  await page.locator('summary', { hasText: 'Fechar turno' }).click();
  await page.getByLabel('Conte o dinheiro que está na caixa').fill(counted);
  await page.getByRole('button', { name: 'Fechar turno de vez' }).click();
  await expect(page.locator('.slip')).toContainText('Fecho do turno');
}

test('the close of a shift without a script prints on each paper with nothing cut off', async () => {
  const page = await openShift({ javaScriptEnabled: false, colorScheme: 'dark' });
  await page.locator('summary', { hasText: 'Registar dinheiro' }).click();
  await page.getByLabel('Montante em kwanzas').fill('9.999.999,99');
  await page.getByRole('button', { name: 'Registar dinheiro' }).click();
  await closeShift(page, '10.000.000');
  for (const [paper, width, side] of [
    ['58 mm', 58, 5],
    ['80 mm', 80, 4],
    ['A4', 210, 15],
  ] as const) {
    await page.getByLabel(paper).check();
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const boxes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) [\d.]+\]/g)];
    const widths = boxes.map(([, points]) => Math.round(Number(points) / POINTS_PER_MM));
    expectValue([...new Set(widths)]).toEqual([width]);
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: Math.round((width - 2 * side) * PIXELS_PER_MM), height: 800 });
    const sheet = page.locator('.slip');
    expectValue(await sheet.evaluate((slip) => slip.scrollWidth - slip.clientWidth)).toBe(0);
    await expect(sheet).toHaveCSS('color', 'rgb(0, 0, 0)');
    await expect(page.locator('.printing')).toBeHidden();
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 360, height: 740 });
  }
});

test('the list, an open shift and its close are accessible at 320 pixels', async () => {
  const page = await openShift({ viewport: { width: 320, height: 640 } });
  const check = async () => {
    await new BasePage(page).expectAccessible();
    expectValue(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  };
  await check();
  await closeShift(page, '0');
  await check();
  await page.getByRole('link', { name: 'Turnos' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Turnos' })).toBeVisible();
  await check();
});
