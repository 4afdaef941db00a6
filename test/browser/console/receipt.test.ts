// The receipt of a payment: its paper, its print, and its sending, with and without a script.
import { expect as expectValue, test } from 'vitest';
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { byHand, createPaid, createRefund } from '../../support/refunds.ts';
import { BasePage } from '../pages/base.ts';
import { visitConsole } from '../pages/console.ts';

const fixture = openBrowserFixture();
const POINTS_PER_MM = 72 / 25.4;
const PIXELS_PER_MM = 96 / 25.4;

/** Opens the receipt of a payment with a long description and a refund. */
async function openReceipt(options: VisitOptions = {}): Promise<Page> {
  const description = 'Café com leite, pão com chouriço e uma palavra comprida: ' + 'Aguardente'.repeat(6);
  const { id } = await createPaid(fixture.app, { description, amount: 1234567.5 });
  await createRefund(fixture.app, id, byHand({ amount: 500 }));
  const page = await visitConsole(fixture, options);
  await page.goto(`${fixture.app.node.core.publicUrl}/console/payments/${id}`);
  await page.getByRole('link', { name: 'Imprimir ou enviar o comprovativo' }).click();
  await expect(page.getByRole('heading', { name: 'Comprovativo', exact: true })).toBeVisible();
  return page;
}

/** Returns the widths of the PDF's pages in millimetres. */
async function printedWidths(page: Page): Promise<number[]> {
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  const boxes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) [\d.]+\]/g)];
  return boxes.map(([, width]) => Math.round(Number(width) / POINTS_PER_MM));
}

test.each([
  ['58 mm', 58, 5],
  ['80 mm', 80, 4],
  ['A4', 210, 15],
])('the receipt without a script prints one sheet of %s with nothing cut off', async (paper, width, side) => {
  const page = await openReceipt({ javaScriptEnabled: false, colorScheme: 'dark' });
  await page.getByLabel(paper).check();
  expectValue(await printedWidths(page)).toEqual([width]);
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: Math.round((width - 2 * side) * PIXELS_PER_MM), height: 800 });
  await expect(page.locator('.slip')).toContainText('Devolvido em parte');
  for (const hidden of ['.thumb', '.side', '.printing', '.ribbon', 'h1'])
    await expect(page.locator(hidden)).toBeHidden();
  const sheet = page.locator('.slip');
  expectValue(await sheet.evaluate((slip) => slip.scrollWidth - slip.clientWidth)).toBe(0);
  await expect(sheet).toHaveCSS('color', 'rgb(0, 0, 0)');
  await expect(sheet).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
});

test('the receipt without a script is sent by mail, and a wrong address is kept in its field', async () => {
  const page = await openReceipt({ javaScriptEnabled: false, expected: /\b400\b/ });
  await page.getByText('Enviar por e-mail').first().click();
  const field = page.getByLabel('E-mail do cliente');
  await field.fill('cliente@correio');
  await page.getByRole('button', { name: 'Enviar por e-mail' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(field).toHaveValue('cliente@correio');
  await field.fill('cliente@correio.example');
  await page.getByRole('button', { name: 'Enviar por e-mail' }).click();
  await expect(page.getByRole('status')).toHaveText('O comprovativo segue por e-mail.');
});

test('the receipt with a script remembers the paper, and its sheet is as long as its text', async () => {
  const page = await openReceipt();
  // The script that stores the choice arrives after the page.
  await expect(async () => {
    for (const paper of ['80 mm', '58 mm']) await page.getByLabel(paper).check();
    expectValue(await page.evaluate(() => localStorage.getItem('paper'))).toBe('58');
  }).toPass();
  await page.reload();
  await expect(page.getByLabel('58 mm')).toBeChecked();
  await page.evaluate(() => {
    window.print = () => void dispatchEvent(new Event('beforeprint'));
  });
  await page.getByRole('button', { name: 'Imprimir' }).click();
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  const [, height] = /\/MediaBox \[0 0 [\d.]+ ([\d.]+)\]/.exec(pdf) ?? [];
  expectValue(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1);
  expectValue(Number(height) / POINTS_PER_MM).toBeLessThan(160);
});

test('the receipt fits a phone of 320 pixels and is accessible', async () => {
  const page = await openReceipt();
  await page.setViewportSize({ width: 320, height: 640 });
  for (const paper of ['58 mm', '80 mm', 'A4']) {
    await page.getByLabel(paper).check();
    expectValue(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  }
  // The number of the push.
  const whatsApp = page.getByRole('link', { name: 'WhatsApp para 900 000 000' });
  await expect(whatsApp).toHaveAttribute('href', /^https:\/\/wa\.me\/244900000000\?text=.*Pago%3A/);
  await page.getByText('Enviar por SMS').first().click();
  await expect(page.getByLabel('Telemóvel do cliente')).toHaveValue('900 000 000');
  await new BasePage(page).expectAccessible();
});
