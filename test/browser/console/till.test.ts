// The till's form: one screen of a phone, a keyboard on a desk, and a form without a script.
import type { Page } from 'playwright';
import { describe, expect as expectValue, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { visitConsole } from '../pages/console.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const DESK = { width: 1280, height: 800 };

async function openTill(options: Parameters<typeof visitConsole>[1] = {}) {
  const page = await visitConsole(fixture, options);
  await page.goto(`${fixture.app.node.core.publicUrl}/console/charge`);
  return { page, field: page.getByLabel('Montante em kwanzas') };
}

const keys = (page: Page) => page.getByRole('group', { name: 'Teclas' });
const reading = (page: Page) => page.locator('output');
const chargeButton = (page: Page) => page.locator('form').getByRole('button', { name: 'Cobrar' });
const press = async (page: Page, typed: string) => {
  for (const key of typed) await keys(page).getByRole('button', { name: key, exact: true }).click();
};

describe('the till on a phone', () => {
  test.each([
    ['push', 740],
    ['qrcode', 740],
    ['reference', 700],
  ])('has amount, keys, ways and its button above the bottom bar for %s at 360 × %i', async (way, height) => {
    const { page, field } = await openTill({ viewport: { width: 360, height } });
    await expect(keys(page)).toBeVisible();
    await page.locator(`input[value="${way}"]`).check();
    const bar = await page.locator('.thumb').boundingBox();
    for (const part of [field, keys(page), page.locator('.ways'), chargeButton(page)]) {
      const box = (await part.boundingBox())!;
      expectValue(box.y).toBeGreaterThan(0);
      expectValue(box.y + box.height).toBeLessThanOrEqual(bar!.y);
    }
    expectValue(await page.evaluate(() => scrollY)).toBe(0);
  });

  test('asks for a mobile number only for Multicaixa Express', async () => {
    const { page } = await openTill();
    const phone = page.getByLabel('Telemóvel do cliente');
    await expect(phone).toBeVisible();
    await page.getByLabel('Código QR').check();
    await expect(phone).toBeHidden();
    await page.getByLabel('Multicaixa Express').check();
    await expect(phone).toBeVisible();
  });

  test('is usable at 320 × 568 by scrolling down', async () => {
    const { page, field } = await openTill({ viewport: { width: 320, height: 568 } });
    await press(page, '75');
    await page.getByLabel('Referência').check();
    await chargeButton(page).click();
    await expect(page.locator('.amount')).toHaveText('75,00 Kz');
    await expect(field).toHaveCount(0);
  });

  test('groups the digits of the amount while keys are pressed, and ignores keys that make no amount', async () => {
    const { page, field } = await openTill();
    await press(page, '12500');
    await expect(field).toHaveValue(/^12.500$/);
    await press(page, ',,507');
    await expect(field).toHaveValue(/^12.500,50$/);
    await page.getByRole('button', { name: 'Apagar' }).click();
    await expect(field).toHaveValue(/^12.500,5$/);
    await expect(reading(page)).toHaveText('12 500,50 Kz');
    await field.fill('');
    await press(page, ',5');
    await expect(field).toHaveValue('0,5');
  });

  test('says below the amount what a typed text reads as', async () => {
    const { page, field } = await openTill();
    await expect(keys(page)).toBeVisible();
    await field.fill('1.500');
    await expect(reading(page)).toHaveText('1 500,00 Kz');
    await field.fill('mil');
    await expect(reading(page)).toHaveText('Escreva um montante, como 1500, 1.500 ou 1500,50.');
    await field.fill('1500,500');
    await expect(reading(page)).toHaveText(/^Pode ser 1.500,50.Kz ou 1.500.500,00.Kz/);
    await field.fill('10000001');
    await expect(reading(page)).toHaveText('Tem de ficar entre 0,01 e 10 000 000.');
  });

  test('keeps an amount that was typed before its script has loaded', async () => {
    const page = await visitConsole(fixture);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/assets/mount-*.js', (route) => released.then(() => route.continue()));
    await page.goto(`${fixture.app.node.core.publicUrl}/console/charge`, { waitUntil: 'commit' });
    const field = page.getByLabel('Montante em kwanzas');
    await field.fill('12');
    await expect(keys(page)).toBeHidden();
    release();
    await press(page, '5');
    await expect(field).toHaveValue('125');
  });
});

describe('the keyboard of a desk', () => {
  test('types the amount without a focused field, and Enter charges', async () => {
    const { page, field } = await openTill({ viewport: DESK });
    await expect(keys(page)).toBeVisible();
    await page.keyboard.type('1500,57');
    await page.keyboard.press('Backspace');
    await expect(field).toHaveValue(/^1.500,5$/);
    await press(page, '0');
    await page.locator('input[value="reference"]').check();
    await page.keyboard.press('Enter');
    await expect(page.locator('.amount')).toHaveText('1 500,50 Kz');
  });

  test('clears the amount by Escape', async () => {
    const { page, field } = await openTill({ viewport: DESK });
    await expect(keys(page)).toBeVisible();
    await page.keyboard.type('15');
    await page.keyboard.press('Escape');
    await expect(field).toHaveValue('');
  });

  test('leaves the amount alone in another field and with a modifier key', async () => {
    const { page, field } = await openTill({ viewport: DESK });
    await expect(keys(page)).toBeVisible();
    await page.getByLabel('Telemóvel do cliente').pressSequentially('923');
    await page.keyboard.press('Escape');
    await expect(page.getByLabel('Telemóvel do cliente')).toHaveValue('923');
    await page.locator('h1').click();
    await page.keyboard.press('Alt+5');
    await page.keyboard.press('7');
    await expect(field).toHaveValue('7');
  });
});

describe('the till without JavaScript', () => {
  test('charges the typed amount, and keeps a refused one', async () => {
    const { page, field } = await openTill({ javaScriptEnabled: false, expected: /\b400\b/ });
    await expect(keys(page)).toBeHidden();
    await expect(field).toHaveAttribute('inputmode', 'decimal');
    await field.fill('1500,500');
    await page.getByLabel('Referência').check();
    await expect(page.getByLabel('Telemóvel do cliente')).toBeHidden();
    await chargeButton(page).click();
    await expect(field).toHaveValue('1500,500');
    await field.fill('1.500');
    await chargeButton(page).click();
    await expect(page.locator('.amount')).toHaveText('1 500,00 Kz');
    await expect(page.locator('.heard')).toHaveText('Esta página actualiza-se sozinha.');
  });
});
