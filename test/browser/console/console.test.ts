import type { Page } from 'playwright';
import { expect as expectValue, test } from 'vitest';
import { DEMO_PEOPLE } from '../../../shared/sandbox.ts';
import { expect } from '../../support/expect.ts';
import { create, purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { addRail, idleBody } from '../../support/rail-accounts.ts';
import { BasePage } from '../pages/base.ts';
import { findDemoShop, PHONE, visitConsole } from '../pages/console.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const APPROVER = '900000000';

const findDemo = () => findDemoShop(fixture);

async function enter(options: VisitOptions = {}) {
  const page = await visitConsole(fixture, options);
  await page.goto(`${fixture.app.node.core.publicUrl}/console/payments`);
  await expect(page.getByRole('heading', { level: 1, name: 'Pagamentos' })).toBeVisible();
  return page;
}

test('a cashier finds a payment and refunds a part of it without JavaScript', async () => {
  const { internalId, reference } = await create(fixture.app, purchase(APPROVER, { reference: 'PANO77' }));
  await travelToStatus(fixture.app, internalId, 'Paid');
  const page = await enter({ javaScriptEnabled: false, expected: /\b4\d\d\b/ });
  await page.getByRole('searchbox').fill(reference);
  await page.getByRole('button', { name: 'Procurar' }).click();
  await page.getByRole('link', { name: /PANO77/ }).click();
  await expect(page.locator('.amount')).toHaveText('1 500,00 Kz');
  await page.locator('summary', { hasText: 'Devolver' }).click();
  await page.locator('#refund-amount').fill('1500,500');
  await page.getByRole('button', { name: 'Devolver' }).click();
  await expect(page.locator('#refund-amount-error')).toHaveText(/^Pode ser 1.500,50.Kz ou 1.500.500,00.Kz/);
  await expect(page.locator('#refund-amount')).toHaveValue('1500,500');
  await page.locator('#refund-amount').fill('500');
  await page.getByRole('button', { name: 'Devolver' }).click();
  await expect(page.getByRole('status')).toHaveText('A devolução foi pedida.');
  const refunds = await fixture.app.sql('select amount_minor from refunds where payment_id = $1', [internalId]);
  expectValue(refunds.map(({ amount_minor }) => Number(amount_minor))).toEqual([50_000]);
});

test('the refund button shows and sends the amount that was typed before or after the script arrived', async () => {
  const { internalId } = await create(fixture.app, purchase(APPROVER, { reference: 'SOMA' }));
  await travelToStatus(fixture.app, internalId, 'Paid');
  const page = await enter();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/assets/mount-*.js', (route) => released.then(() => route.continue()));
  await page.goto(`${fixture.app.node.core.publicUrl}/console/payments/${internalId}`, { waitUntil: 'commit' });
  await page.locator('summary', { hasText: 'Devolver' }).click();
  const button = page.getByRole('button', { name: /^Devolver/ });
  await expect(button).toHaveText(/^Devolver 1.500,00.Kz$/);
  await page.locator('#refund-amount').fill('250,5');
  release();
  await expect(button).toHaveText(/^Devolver 250,50.Kz$/);
  await page.locator('#refund-amount').fill('mil');
  await expect(button).toHaveText(/^Devolver\s*$/);
  await page.locator('#refund-amount').fill('300');
  await button.click();
  await expect(page.getByRole('status')).toHaveText('A devolução foi pedida.');
  const refunds = await fixture.app.sql('select amount_minor from refunds where payment_id = $1', [internalId]);
  expectValue(refunds.map(({ amount_minor }) => Number(amount_minor))).toEqual([30_000]);
});

test('the payment list and a payment’s page update live', async () => {
  const page = await enter();
  const { internalId } = await create(fixture.app, webframe({ reference: 'NOVO1' }));
  const line = page.getByRole('link', { name: /NOVO1/ });
  await expect(line).toContainText('A aguardar');
  await fixture.app.call(`/api/payments/${internalId}/cancel`, { method: 'POST', body: {} });
  await expect(line).toContainText('Cancelado');

  const other = await create(fixture.app, webframe({ reference: 'NOVO2' }));
  await page.goto(`${fixture.app.node.core.publicUrl}/console/payments/${other.internalId}`);
  await expect(page.locator('.timeline')).toContainText('pedido criado');
  await page.locator('summary', { hasText: 'Cancelar' }).click();
  await fixture.app.call(`/api/payments/${other.internalId}/cancel`, { method: 'POST', body: {} });
  await expect(page.locator('.timeline')).toContainText('cancelado');
  // The update leaves the open form in place.
  await expect(page.getByRole('button', { name: 'Cancelar o pagamento' })).toBeVisible();
});

test('a long list loads more rows automatically, and by a link without JavaScript', async () => {
  const few = Array.from({ length: 30 }, () => create(fixture.app, webframe()));
  await Promise.all(few);
  const without = await enter({ javaScriptEnabled: false });
  await without.getByRole('link', { name: 'Mostrar mais' }).click();
  await expect(without).toHaveURL(/after=/);
  const page = await enter();
  await expect(page.locator('[data-list] > li')).toHaveCount(25);
  await page.locator('[data-more]').scrollIntoViewIfNeeded();
  const total = Number((await fixture.app.sql('select count(*) as n from payments'))[0]!.n);
  await expect(page.locator('[data-list] > li')).toHaveCount(total);
});

test.each([true, false])(
  'the menu opens from its top and leads to a screen (script: %s)',
  async (javaScriptEnabled) => {
    const page = await enter({ javaScriptEnabled });
    const shortcuts = page.getByRole('navigation', { name: 'Atalhos' });
    await shortcuts.getByRole('link', { name: /^Menu/ }).click();
    const menu = page.locator('#menu');
    await expect(menu.getByText('Menu', { exact: true })).toBeInViewport();
    await expect(menu.getByRole('link', { name: 'Cobrar' })).toBeInViewport();
    await expect(menu.getByRole('link', { name: 'Pagamentos' })).toHaveAttribute('aria-current', 'page');
    await expect(shortcuts).toBeHidden();
    if (javaScriptEnabled) {
      await page.keyboard.press('Escape');
      await expect(menu).toBeHidden();
      await expect(shortcuts.getByRole('link', { name: /^Menu/ })).toBeFocused();
      await shortcuts.getByRole('link', { name: /^Menu/ }).click();
    }
    await menu.getByRole('link', { name: 'Fechar' }).click();
    await expect(menu).toBeHidden();
    await shortcuts.getByRole('link', { name: /^Menu/ }).click();
    await menu.getByRole('link', { name: 'Conta', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Conta' })).toBeVisible();
    await expect(shortcuts.getByRole('link', { name: /^Menu/ })).toHaveAttribute('aria-current', 'true');
  },
);

test.each([true, false])(
  'a refused form names each wrong field with a link (script: %s)',
  async (javaScriptEnabled) => {
    const page = await enter({ javaScriptEnabled, expected: /\b400\b/ });
    await page.goto(`${fixture.app.node.core.publicUrl}/console/references?new=one`);
    const [amount, phone] = [
      page.locator('#referenceCreate-amount'),
      page.locator('#referenceCreate-customerTelephone'),
    ];
    await amount.fill('1500,500');
    await phone.fill('12345');
    await page.locator('main form button').last().click();
    await expect(page).toHaveTitle(/^Não foi possível: /);
    const summary = page.getByRole('alert');
    await expect(summary.getByRole('link')).toHaveText([/^Montante: Pode ser/, /: Escreva os 9 algarismos/]);
    if (javaScriptEnabled) await expect(summary).toBeFocused();
    await summary.getByRole('link').last().click();
    await expect(phone).toBeFocused();
  },
);

test('a refused clipboard selects the text for the person', async () => {
  const page = await enter();
  await page.goto(`${fixture.app.node.core.publicUrl}/console/payments`);
  const { checkoutUrl } = await create(fixture.app, webframe({ reference: 'COPIAR' }));
  await page.getByRole('link', { name: /COPIAR/ }).click();
  // The script of the new page shows the button, but not in a browser without a clipboard.
  await expect(page.getByRole('button', { name: 'Copiar' })).toBeVisible();
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.getByRole('button', { name: 'Copiar' }).click();
  await expect(page.getByRole('button', { name: 'Seleccionado: copie-o' })).toBeVisible();
  expectValue(await page.evaluate(() => String(getSelection()))).toBe(checkoutUrl);
});

test('a printed screen has the name of the shop and its title, and no menu', async () => {
  const page = await enter();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('heading', { level: 1, name: 'Pagamentos' })).toBeVisible();
  await expect(page.getByText('Loja da Ilha', { exact: true })).toBeVisible();
  await expect(page.locator('#menu')).toBeHidden();
  await expect(page.locator('.thumb')).toBeHidden();
});

test('the owner of the demo shop signs in with one button', async () => {
  const page = await fixture.visit({ cookies: ['balcao'] });
  await page.goto(`${fixture.app.node.core.publicUrl}/sandbox`);
  await page.getByRole('button', { name: 'Entrar como proprietária' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^(Hoje|Comece aqui)$/ })).toBeVisible();
  await expect(page.getByText(`${DEMO_PEOPLE.owner.firstName} da Ilha · Proprietário`)).toBeVisible();
});

test('a contact file becomes a contact list, and an SMS to the list is counted, previewed and sent', async () => {
  const page = await enter({ expected: /\b400\b/ });
  const sms = `${fixture.app.node.core.publicUrl}/console/sms`;
  await page.goto(`${sms}/contacts`);
  await page.getByText('Colar ou importar uma folha').click();
  const buffer = Buffer.from('\ufeffAna Paulo;923456789\r\nRui;12\r\n');
  await page.getByLabel('Ou abrir um ficheiro CSV').setInputFiles({ name: 'f.csv', mimeType: 'text/csv', buffer });
  await expect(page.getByLabel('Nomes e números')).toHaveValue('Ana Paulo;923456789\nRui;12\n');
  await page.getByLabel('Ou a uma lista nova').fill('Bairro');
  await page.getByRole('button', { name: 'Guardar todos' }).click();
  await expect(page.getByText('Linha 2')).toBeVisible();
  await page.getByLabel('Nomes e números').fill('Ana Paulo;923456789');
  await page.getByRole('button', { name: 'Guardar todos' }).click();
  await page.getByRole('link', { name: 'Enviar a todos' }).click();
  const text = page.getByLabel('Texto');
  await text.fill('x'.repeat(161));
  await expect(page.getByText('161 caracteres · 2 SMS por pessoa')).toBeVisible();
  await text.fill('Olá, já abrimos.');
  await expect(page.getByText('16 caracteres · 1 SMS por pessoa · Com á cabem 70')).toBeVisible();
  await page.getByRole('button', { name: 'Ver antes de enviar' }).click();
  await expect(page.locator('.amount')).toHaveText('1 pessoa');
  await page.getByRole('button', { name: 'Enviar agora' }).click();
  await expect(page.getByRole('status')).toHaveText('As mensagens vão a caminho.');
  await expect(page.locator('[data-list] > li')).toHaveCount(1);
});

test('files can be uploaded with and without JavaScript, and a photograph is not sent as a logo', async () => {
  const logo = { name: 'l.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') };
  const plain = await enter({ javaScriptEnabled: false });
  const home = `${fixture.app.node.core.publicUrl}/console`;
  await plain.goto(`${home}/references?new=many`);
  const list = { name: 'f.csv', mimeType: 'text/csv', buffer: Buffer.from('15000;Matrícula\r\n7500;Propina') };
  await plain.getByLabel('Ou abrir um ficheiro CSV').setInputFiles(list);
  await plain.getByRole('button', { name: 'Ver o que será criado' }).click();
  await expect(plain.locator('.amount')).toHaveText('22 500,00 Kz');
  await plain.goto(`${home}/settings`);
  await plain.getByLabel('Logótipo').setInputFiles(logo);
  await brandForm(plain).getByRole('button', { name: 'Guardar' }).click();
  await expect(plain.getByLabel('Outro logótipo')).toBeVisible();

  const page = await enter();
  await page.goto(`${home}/settings`);
  const field = page.getByLabel('Outro logótipo');
  await field.setInputFiles({ ...logo, buffer: Buffer.alloc(40_000) });
  expectValue(await field.evaluate((input: HTMLInputElement) => input.validationMessage)).toContain('32 KB');
  await field.setInputFiles(logo);
  await expect(page.locator('.chosen')).toHaveAttribute('src', `data:image/png;base64,${PIXEL}`);
  await brandForm(page).getByRole('button', { name: 'Guardar' }).click();
  await expect(page.getByRole('status')).toHaveText('Guardado.');
  // A second press sends nothing.
  const held = await brandForm(page)
    .getByRole('button', { name: 'Guardar' })
    .evaluate((button: HTMLElement) => {
      const found: boolean[] = [];
      addEventListener('submit', (event) => {
        found.push(event.defaultPrevented);
        event.preventDefault();
      });
      button.click();
      button.click();
      return found;
    });
  expectValue(held).toEqual([false, true]);
});

const brandForm = (page: Page) => page.locator('form', { has: page.getByLabel(/logótipo/i) });

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('every kind of console screen with its forms is accessible on a phone', async () => {
  const { internalId } = await create(fixture.app, webframe());
  const demo = { merchantId: await findDemo(), token: await fixture.app.token() };
  const { id: railId } = await addRail(fixture.app, demo, idleBody({ status: 'disabled' }));
  const door = new BasePage(await fixture.visit({ viewport: PHONE }));
  await door.page.goto(`${fixture.app.node.core.publicUrl}/console/sign-in`);
  await door.expectAccessible();
  await door.page.goto(`${fixture.app.node.core.publicUrl}/account/register`);
  await door.expectAccessible();
  const page = new BasePage(await enter({ expected: /\b404\b/ }));
  const home = `${fixture.app.node.core.publicUrl}/console`;
  for (const path of [
    '/today',
    '/charge',
    '/payments',
    `/payments/${internalId}`,
    '/books',
    '/references',
    '/account',
    '/rails?new',
    '/rails?new=appypay.gpo',
    `/rails/${railId}`,
    '/notices',
    '/plan',
    '/audit',
    '/sms',
    '/sms/send',
    '/sms/history',
    `/payments/${crypto.randomUUID()}`,
  ]) {
    await page.page.goto(home + path);
    await page.expectAccessible();
    await page.expectReadableEnlarged();
  }
  await page.page.goto(`${home}/account`);
  await page.expectFocusVisible();
});
