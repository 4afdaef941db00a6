// The import of a bank statement, with and without a script, on a phone and on a desk.
import type { Page } from 'playwright';
import { describe, expect as expectValue, test } from 'vitest';
import { addMoney, inOneTransaction } from '../../support/books.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { writeWorkbook } from '../../support/bank-statements.ts';
import { expect } from '../../support/expect.ts';
import { creepUntil } from '../../support/payments.ts';
import { BasePage } from '../pages/base.ts';
import { findDemoShop, PHONE, visitConsole } from '../pages/console.ts';

const fixture = openBrowserFixture();
const DESK = { width: 1280, height: 800 };
const SERIAL = 46_054;

let nth = 0;

/** Creates a closed day with money of its own, and a second day with the same money as a third. */
async function openBooks() {
  const minor = 1_000_000 + ++nth * 1_000;
  const merchantId = await findDemoShop(fixture);
  const days = ['2026-02-02', '2026-02-03', '2026-02-04'];
  await inOneTransaction(fixture.app, async (books) => {
    for (const [at, day] of days.entries()) {
      const period = `${900 + nth}${at}`;
      const amount = at === 0 ? minor : minor + 500;
      await addMoney(books, { merchantId }, { at: `${day}T10:00:00.000Z`, minor: amount, period });
    }
  });
  const isClosed = async () =>
    (await fixture.app.sql('select from settlements where merchant_id = $1 and closed_at is null', [merchantId]))
      .length === 0 || null;
  await creepUntil(fixture.app, isClosed, 'all being closed');
  const statement = writeWorkbook([
    ['Banco da Ilha', null, null, null],
    ['Data', 'Descrição', 'Débito', 'Crédito'],
    [{ serial: SERIAL + 5 }, 'CRÉDITO TPA', null, minor / 100],
    [{ serial: SERIAL + 7 }, 'COMISSÃO', 150, null],
    [{ serial: SERIAL + 7 }, 'CRÉDITO TPA', null, minor / 100 + 5],
    ['Total', null, 150, minor / 50],
  ]);
  return { merchantId, statement };
}

const credits = (merchantId: string) =>
  fixture.app.sql('select from settlement_credits where merchant_id = $1', [merchantId]);

async function upload(page: Page, statement: Buffer) {
  await page.goto(`${fixture.app.node.core.publicUrl}/console/books`);
  await page.getByRole('link', { name: 'Importar extracto' }).click();
  await page.getByLabel('Ficheiro do banco').setInputFiles({
    name: 'extracto.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer: statement,
  });
  await page.getByRole('button', { name: 'Ver o extracto' }).click();
}

describe('the import of a statement', () => {
  test.each([
    ['on a phone with a script', { viewport: PHONE }],
    ['on a desk without a script', { viewport: DESK, javaScriptEnabled: false }],
  ])('shows every line, and enters the clear ones and the chosen one %s', async (_name, options) => {
    const { merchantId, statement } = await openBooks();
    const before = (await credits(merchantId)).length;
    const page = await visitConsole(fixture, options);
    await upload(page, statement);
    await expect(page.getByRole('status')).toContainText('Ainda nada foi registado');
    await expect(page.getByRole('heading', { name: 'Vão ser registados' })).toBeVisible();
    await page.getByText('Postos de lado: 4').click();
    await expect(page.getByText('COMISSÃO')).toBeVisible();
    expectValue((await credits(merchantId)).length).toBe(before);
    await page.getByLabel(/CRÉDITO TPA/).selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Registar 1 crédito' }).click();
    await expect(page.getByRole('heading', { name: 'Registados' })).toBeVisible();
    expectValue((await credits(merchantId)).length).toBe(before + 2);
  });

  test('is accessible before and after the preview', async () => {
    const { statement } = await openBooks();
    const page = new BasePage(await visitConsole(fixture));
    await page.page.goto(`${fixture.app.node.core.publicUrl}/console/books/import`);
    await page.expectAccessible();
    await upload(page.page, statement);
    await expect(page.page.getByRole('heading', { name: 'Vão ser registados' })).toBeVisible();
    await page.expectAccessible();
    await page.expectReadableEnlarged();
  });
});
