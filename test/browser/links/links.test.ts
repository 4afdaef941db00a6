// The page of a payment link without JavaScript: its form, its errors, the payment, and its accessibility.
import { test } from 'vitest';
import { createLink, readLink, useLink } from '../../support/links.ts';
import { expect } from '../../support/expect.ts';
import { travelToStatus } from '../../support/payments.ts';
import { BasePage } from '../pages/base.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

/** The simulated payer with this phone number approves after a second. */
const APPROVER = '900 000 000';

test("the page of a payment link accepts an amount and the payer's data, and shows errors and the result", async () => {
  const asks = ['name', 'email', 'phone', 'nif'];
  const open = { title: 'Ajuda à escola', amount: null, minAmount: 500, thanks: 'A escola agradece!', asks };
  const link = await createLink(fixture.app, open);
  const page = await fixture.visit({ javaScriptEnabled: false, expected: /400/ });
  await page.goto(link.url);
  const { heading } = new BasePage(page);
  await expect(heading).toHaveText('Ajuda à escola');
  await page.getByLabel('Quanto quer pagar?').fill('50');
  await page.getByLabel('Nome').fill('Ana Domingos');
  await page.getByLabel('E-mail').fill('ana');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await expect(page).toHaveTitle(/^Erro: /);
  await expect(page.getByText('O mínimo é 500,00 Kz.')).toBeVisible();
  await expect(page.getByLabel('Nome')).toHaveValue('Ana Domingos');
  await page.getByLabel('Quanto quer pagar?').fill('2.500');
  await page.getByLabel('E-mail').fill('ana@exemplo.ao');
  await page.getByLabel('Telemóvel').fill('923 456 789');
  await page.getByLabel('NIF').fill('006151112LA041');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await expect(page.locator('.amount')).toHaveText('2 500,00 Kz');
  await page.getByRole('textbox').fill(APPROVER);
  await page.getByRole('button', { name: 'Pagar' }).click();
  const [row] = await fixture.app.sql('select payment_id from link_payments where link_id = $1', [link.id]);
  await travelToStatus(fixture.app, row.payment_id, 'Paid');
  await page.reload();
  await expect(page.getByText('A escola agradece!')).toBeVisible();
  await page.goto(`${link.url}?lang=en`);
  await expect(heading).toHaveText('Ajuda à escola');
});

test('the Back button of a browser without JavaScript keeps the amount of a link and its open payment', async () => {
  const link = await createLink(fixture.app, { amount: null, minAmount: 500 });
  const page = await fixture.visit({ javaScriptEnabled: false });
  await page.goto(link.url);
  await page.getByLabel('Quanto quer pagar?').fill('2.500');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await expect(page.locator('.amount')).toHaveText('2 500,00 Kz');
  const checkout = page.url();
  await page.goBack();
  await expect(page.getByLabel('Quanto quer pagar?')).toHaveValue('2.500');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await expect(page).toHaveURL(checkout);
  expect(await readLink(fixture.app, link)).toMatchObject({ openPayments: 1 });
});

test('the page of a single-use payment link continues the open payment', async () => {
  const link = await createLink(fixture.app, { stock: 1 });
  await useLink(fixture.app, link);
  const page = await fixture.visit();
  await page.goto(link.url);
  await page.getByRole('link', { name: 'Continuar o pagamento' }).click();
  await expect(page.locator('.amount')).toHaveText('1 500,00 Kz');
});

test('the page of a payment link meets WCAG 2.2 AA with its form, with errors, and after its withdrawal', async () => {
  const asks = ['name', 'email', 'phone', 'nif'];
  const link = await createLink(fixture.app, { amount: null, minAmount: 500, maxAmount: 1_000_000, asks, stock: 5 });
  const page = new BasePage(await fixture.visit({ expected: /400|404/ }));
  await page.page.goto(link.url);
  await page.expectAccessible();
  await page.expectReadableEnlarged();
  await page.expectFocusVisible();
  await page.page.getByRole('button', { name: 'Continuar' }).click();
  await expect(page.page).toHaveTitle(/^Erro: /);
  await page.expectAccessible();
  await fixture.app.call(`/api/links/${link.id}`, { method: 'DELETE' });
  await page.page.goto(link.url);
  await expect(page.heading).toHaveText('Este link foi retirado');
  await page.expectAccessible();
});
