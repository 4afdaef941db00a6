// The close of a day: read it, explain a difference, enter a fee, print it, with and without a script.
import { beforeAll, expect as expectValue, test } from 'vitest';
import type { Page } from 'playwright';
import { addMoney, addRefund, inOneTransaction, SETTLEMENTS, untilClosed } from '../../support/books.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { expect } from '../../support/expect.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { addMember } from '../../support/members.ts';
import { BasePage } from '../pages/base.ts';
import { signInToConsole } from '../pages/console.ts';

const fixture = openBrowserFixture();
const DAY = '2026-02-10';
const PATH = `/console/books/days/${DAY}`;
let shop: CallbackFixture;
let email: string;

/** A day of two accounts: Multicaixa Express lacks 150,00 Kz, and references have no credit. */
beforeAll(async () => {
  const { app } = fixture;
  shop = await openCallbackFixture(app);
  await app.sql(`update merchants set name = 'Panos da Ilha', tax_id = '5417012345' where id = $1`, [shop.merchantId]);
  await inOneTransaction(app, async (books) => {
    const at = (hour: string) => `${DAY}T${hour}:00:00.000Z`;
    const money = await addMoney(books, shop, { at: at('09'), minor: 1_250_000, feeMinor: 12_500 });
    await addMoney(books, shop, { at: at('12'), minor: 780_000, method: 'qrcode' });
    await addMoney(books, shop, { at: at('13'), minor: 300_000, rail: 'ppr', period: '20784', method: 'reference' });
    await addRefund(books, shop, money, { at: at('15') });
  });
  const closed = await untilClosed(app, shop);
  const express = closed.find(({ account }) => account.id === 'gpo');
  const body = { amount: express.expectedCredit - 150, date: '2026-02-11', reference: 'TRF EMIS' };
  await shop.call(`${SETTLEMENTS}/${express.id}/credits`, { body });
  ({ email } = await addMember(app, { merchantId: shop.merchantId }));
});

const visit = async (options: VisitOptions = {}): Promise<Page> => {
  const page = await signInToConsole(fixture, email, options);
  await page.goto(`${fixture.app.node.core.publicUrl}${PATH}`);
  return page;
};

test('the close of a day adds up its accounts, and names each of them', async () => {
  const page = await visit({ viewport: { width: 320, height: 740 } });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Fecho do dia 10/02/2026');
  await expect(page.getByRole('link', { name: /^Multicaixa Express/ })).toContainText('faltam 150,00');
  await expect(page.getByRole('link', { name: /^Referências/ })).toContainText('período 20784 · 1 movimento');
  // On a phone a row is a card, which leaves out sums of zero.
  await expect(page.getByRole('cell', { name: '12 500,00 Kz' }).first()).toBeVisible();
  await expect(page.getByRole('cell', { name: '0,00 Kz', exact: true })).toHaveCount(0);
  await new BasePage(page).expectAccessible();
  expectValue(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});

test('the close of a day prints on A4 with title, shop and NIF, and without buttons', async () => {
  const page = await visit({ javaScriptEnabled: false });
  await page.setViewportSize({ width: 794, height: 1123 });
  await page.emulateMedia({ media: 'print' });
  for (const text of ['Fecho do dia 10/02/2026', 'Panos da Ilha', 'NIF 5417012345'])
    await expect(page.getByText(text, { exact: true }).first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Abrir em PDF' })).toBeHidden();
  await expect(page.locator('.menu')).toBeHidden();
});

test.each([[true], [false]])(
  'a difference is explained, and the explanation is taken back (script: %s)',
  async (javaScriptEnabled) => {
    const page = await visit({ javaScriptEnabled });
    await page.getByRole('link', { name: /^Multicaixa Express/ }).click();
    await page.getByLabel('Motivo').selectOption({ label: 'O banco corrige' });
    await page.getByLabel('Nota').fill('Falei com a agência');
    await page.getByRole('button', { name: 'Explicar e pôr de lado' }).click();
    await expect(page.getByText('O banco corrige: Falei com a agência')).toBeVisible();
    await expect(page.locator('.state').first()).toHaveText('Diferença explicada');
    // The accessibility checks need a script.
    if (javaScriptEnabled) await new BasePage(page).expectAccessible();
    await page.getByRole('link', { name: 'Fecho do dia 10/02/2026' }).click();
    await expect(page.getByRole('link', { name: /^Multicaixa Express/ })).toContainText('Falei com a agência');
    await page.getByRole('link', { name: /^Multicaixa Express/ }).click();
    await page.locator('summary', { hasText: 'Retirar a explicação' }).click();
    await page.getByRole('button', { name: 'Retirar a explicação' }).click();
    await expect(page.locator('.state').first()).toHaveText('Não confere');
  },
);

test('a fee of the bank is entered from its reason with the missing amount, and taken back', async () => {
  const page = await visit();
  await page.getByRole('link', { name: /^Multicaixa Express/ }).click();
  await page.getByRole('link', { name: /^Registar comissão de 150,00/ }).click();
  await expect(page.getByLabel('Montante da comissão')).toHaveValue('150');
  await page.getByRole('button', { name: 'Guardar comissão' }).click();
  await expect(page.locator('.state').first()).toHaveText('Confere');
  const fees = page.locator('section', { has: page.getByRole('heading', { name: 'Comissões do banco' }) });
  await fees.locator('summary', { hasText: 'Anular' }).click();
  await fees.getByRole('button', { name: /^Anular: 150,00/ }).click();
  await expect(page.locator('.state').first()).toHaveText('Não confere');
  await expect(fees.getByText('anulação', { exact: false })).toBeVisible();
});
