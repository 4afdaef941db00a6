// The articles of the till: with a script they add up in the amount field, without it they have quantities.
import type { Page } from 'playwright';
import { expect as expectValue, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { BasePage } from '../pages/base.ts';
import { visitConsole } from '../pages/console.ts';

const fixture = openBrowserFixture();

async function openTill(options: VisitOptions = {}): Promise<Page> {
  for (const [name, price] of [
    ['Café', 350],
    ['Pão', 150.5],
  ])
    await fixture.app.call('/api/articles', { body: { name, price, currency: 'AOA' } });
  const page = await visitConsole(fixture, options);
  await page.goto(`${fixture.app.node.core.publicUrl}/console/charge`);
  return page;
}

const amount = (page: Page) => page.getByLabel('Montante em kwanzas');
const add = (page: Page, name: string) => page.getByRole('button', { name: `Juntar ${name}` }).click();
const press = (page: Page, key: string) =>
  page.getByRole('group', { name: 'Teclas' }).getByRole('button', { name: key, exact: true }).click();

/** Charges by reference and returns the amount and the description of the payment. */
async function charge(page: Page): Promise<string> {
  await page.getByLabel('Referência').check();
  await page.locator('form').getByRole('button', { name: 'Cobrar' }).click();
  await page.waitForURL(/\/console\/charge\/[\w-]{36}/);
  const id = /charge\/([\w-]{36})/.exec(page.url())![1];
  const [row] = await fixture.app.sql(
    `select concat_ws(' ', amount_minor, description) as said from payments where id = $1`,
    [id],
  );
  return row!.said as string;
}

test('the till with a script adds articles and typed digits, and charges what its field shows', async () => {
  const page = await openTill();
  await add(page, 'Café');
  await add(page, 'Café');
  await add(page, 'Pão');
  await press(page, '9');
  await press(page, ',');
  await press(page, '5');
  await expect(amount(page)).toHaveValue('860');
  for (let nth = 0; nth < 3; nth++) await page.getByRole('button', { name: 'Apagar' }).click();
  await expect(amount(page)).toHaveValue('850,50');
  await page.getByRole('button', { name: 'Tirar um: Pão' }).click();
  await expect(amount(page)).toHaveValue('700');
  await expect(page.getByRole('button', { name: 'Tirar um: Pão' })).toHaveCount(0);
  await press(page, '5');
  await press(page, '0');
  await expect(amount(page)).toHaveValue('750');
  await add(page, 'Café');
  await expect(amount(page)).toHaveValue(/^1.100$/);
  await page.getByRole('button', { name: 'Apagar' }).click();
  await expect(amount(page)).toHaveValue(/^1.055$/);
  expectValue(await charge(page)).toBe('105500 3 × Café');
});

test('another typed amount replaces the articles', async () => {
  const page = await openTill();
  await add(page, 'Café');
  await amount(page).fill('900');
  await expect(page.getByRole('button', { name: 'Tirar um: Café' })).toHaveCount(0);
  await expect(amount(page)).toHaveValue('900');
  expectValue(await charge(page)).toBe('90000');
});

test('the till without a script adds the quantities to the typed amount', async () => {
  const page = await openTill({ javaScriptEnabled: false });
  await page.getByLabel(/^Café/).fill('2');
  await page.getByLabel(/^Pão/).fill('1');
  await amount(page).fill('49,50');
  expectValue(await charge(page)).toBe('90000 2 × Café, 1 × Pão');
});

test('a refused charge keeps its articles with and without a script', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await openTill({ javaScriptEnabled, expected: /\b400\b/ });
    if (javaScriptEnabled) await add(page, 'Café');
    else await page.getByLabel(/^Café/).fill('1');
    await page.getByLabel('Multicaixa Express').check();
    await page.getByLabel('Telemóvel do cliente').fill('12');
    await page.locator('form').getByRole('button', { name: 'Cobrar' }).click();
    await expect(page.getByRole('alert')).toBeVisible();
    if (javaScriptEnabled) await expect(amount(page)).toHaveValue('350');
    expectValue(await charge(page)).toBe('35000 1 × Café');
  }
});

test('the till with articles and the list of articles are accessible at 320 pixels', async () => {
  const page = await openTill({ viewport: { width: 320, height: 640 } });
  await add(page, 'Café');
  for (const path of ['', '/console/articles']) {
    if (path) await page.goto(fixture.app.node.core.publicUrl + path);
    await new BasePage(page).expectAccessible();
    expectValue(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  }
});
