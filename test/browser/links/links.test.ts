// The page of a payment link, without JavaScript: filled in, led on, paid and thanked; accessible however it is looked at.
import { expect as expectValue, test } from 'vitest';
import { createLink, useLink } from '../../support/links.ts';
import { expect } from '../../support/expect.ts';
import { travelToStatus } from '../../support/payments.ts';
import { BasePage } from '../pages/base.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

/** Approves by itself after a second. */
const APPROVER = '900 000 000';

test('a payer chooses an amount, says who they are, mistypes, goes on, pays, and is thanked', async () => {
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

test('a link of one use goes on where it was left', async () => {
  const link = await createLink(fixture.app, { stock: 1 });
  await useLink(fixture.app, link);
  const page = await fixture.visit();
  await page.goto(link.url);
  await page.getByRole('link', { name: 'Continuar o pagamento' }).click();
  await expect(page.locator('.amount')).toHaveText('1 500,00 Kz');
});

test('is accessible: the form, what is wrong in it, and a link that is over', async () => {
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
  await page.page.goto(`${link.url.slice(0, -10)}2222222222`);
  await expect(page.heading).toHaveText('Este link não existe');
  await page.expectAccessible();
});

test('a slow line waits for little: the page in one answer, as small as the checkout’s', async () => {
  const asks = ['name', 'email', 'phone', 'nif'];
  const link = await createLink(fixture.app, { amount: null, minAmount: 500, maxAmount: 1_000_000, asks });
  const { headers } = await fixture.app.call(`/l/${link.slug}`, {
    token: null,
    headers: { 'accept-encoding': 'br', accept: 'text/html' },
  });
  expectValue(Number(headers.get('content-length'))).toBeLessThan(5_000);
  expectValue(headers.get('set-cookie')).toBeNull();
});
