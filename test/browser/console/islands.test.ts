import type { Page } from 'playwright';
import { expect as expectValue, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { travelToStatus } from '../../support/payments.ts';
import { visitConsole } from '../pages/console.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const counter = () => `${fixture.app.node.core.publicUrl}/console/charge`;
const APPROVER = '900000000';

const shown = (page: Page) => page.locator('output');
const press = async (page: Page, keys: string) => {
  for (const key of keys) await page.getByRole('button', { name: key, exact: true }).click();
};

test('the counter formats the amount while the cashier taps keys or types', async () => {
  const page = await visitConsole(fixture);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/assets/mount-*.js', (route) => released.then(() => route.continue()));
  await page.goto(counter(), { waitUntil: 'commit' });
  const field = page.getByLabel('Montante em kwanzas');
  await field.fill('12');
  await expect(shown(page)).toBeHidden();
  release();
  await expect(shown(page)).toHaveText('12,00 Kz');
  await press(page, '500');
  await expect(shown(page)).toHaveText('12 500,00 Kz');
  // Amounts have two decimals and one comma. Other keys are ignored.
  await press(page, ',,507');
  await expect(shown(page)).toHaveText('12 500,50 Kz');
  await expect(field).toHaveValue('12500,50');
  await page.getByRole('button', { name: 'Apagar' }).click();
  await expect(field).toHaveValue('12500,5');
  await field.fill('1.500');
  await expect(shown(page)).toHaveText('1 500,00 Kz');
  await field.fill('mil');
  await expect(shown(page)).toHaveText('Escreva um montante, como 1500, 1.500 ou 1500,50.');
  await field.fill('1500,500');
  await expect(shown(page)).toHaveText(/^Pode ser 1.500,50.Kz ou 1.500.500,00.Kz/);
  await field.fill('10000001');
  await expect(shown(page)).toHaveText('Tem de ficar entre 0,01 e 10 000 000.');
  await field.fill('');
  await expect(shown(page)).toHaveText('0,00 Kz');
  await press(page, ',5');
  await expect(field).toHaveValue('0,5');
  await page.getByLabel('Referência').check();
  await page.getByRole('button', { name: 'Cobrar' }).click();
  await expect(page.locator('.amount')).toHaveText('0,50 Kz');
});

test('a waiting charge shows if its connection is lost, and reads missed events afterwards', async () => {
  const page = await visitConsole(fixture, { expected: /ERR_INTERNET_DISCONNECTED/ });
  await page.goto(counter());
  await page.getByLabel('Montante em kwanzas').fill('300');
  await page.getByLabel(/Telemóvel do cliente/).fill(APPROVER);
  await page.getByRole('button', { name: 'Cobrar' }).click();
  const heard = page.locator('.heard');
  await expect(heard).toHaveClass(/live/);
  await expect(heard).toHaveText('Esta página actualiza-se sozinha.');
  await page.context().setOffline(true);
  await expect(heard).toHaveText('Sem rede: o que vê pode já ter mudado.');
  const id = new URL(page.url()).pathname.split('/').at(-1) as string;
  await travelToStatus(fixture.app, id, 'Paid');
  await page.context().setOffline(false);
  await expect(page.getByRole('heading', { name: 'Comprovativo' })).toBeVisible();
  await expect(heard).toHaveCount(0);
});

test('a charge paid before the stream opens is shown as paid', async () => {
  const page = await visitConsole(fixture);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/console/stream*', (route) => released.then(() => route.continue()));
  await page.goto(counter());
  await page.getByLabel('Montante em kwanzas').fill('300');
  await page.getByLabel(/Telemóvel do cliente/).fill(APPROVER);
  await page.getByRole('button', { name: 'Cobrar' }).click();
  await expect(page.locator('.huge')).toHaveText('300,00 Kz');
  const id = new URL(page.url()).pathname.split('/').at(-1) as string;
  await travelToStatus(fixture.app, id, 'Paid');
  await expect(page.locator('.heard')).toBeVisible();
  release();
  await expect(page.getByRole('heading', { name: 'Comprovativo' })).toBeVisible();
});

test('the counter without JavaScript is a form without an on-screen keypad', async () => {
  const page = await visitConsole(fixture, { javaScriptEnabled: false, expected: /\b400\b/ });
  await page.goto(counter());
  await expect(page.getByRole('group', { name: 'Teclas' })).toBeHidden();
  await page.getByLabel('Montante em kwanzas').fill('1500,500');
  await page.getByLabel('Referência').check();
  await page.getByRole('button', { name: 'Cobrar' }).click();
  await expect(page.getByLabel('Montante em kwanzas')).toHaveValue('1500,500');
  await expect(shown(page)).toBeHidden();
  await page.getByLabel('Montante em kwanzas').fill('1.500');
  await page.getByRole('button', { name: 'Cobrar' }).click();
  await expect(page.locator('.amount')).toHaveText('1 500,00 Kz');
  await expect(page.locator('.heard')).toHaveText('Esta página actualiza-se sozinha.');
});

test('a list screen of the console loads only its own script', async () => {
  const page = await visitConsole(fixture);
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname.replace(/-[\w-]+\.js/, ''));
  });
  await page.goto(`${fixture.app.node.core.publicUrl}/console/payments`);
  await page.goto(counter());
  await expect(shown(page)).toBeVisible();
  expectValue(new Set(scripts)).toEqual(new Set(['/assets/console', '/assets/mount']));
  expectValue(scripts.indexOf('/assets/mount')).toBe(scripts.length - 1);
});
