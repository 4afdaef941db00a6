import { expect as expectValue, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { travelToStatus } from '../../support/payments.ts';
import { visitConsole } from '../pages/console.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const counter = () => `${fixture.app.node.core.publicUrl}/console/charge`;
const APPROVER = '900000000';

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

test('a list screen of the console loads only its own script', async () => {
  const page = await visitConsole(fixture);
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname.replace(/-[\w-]+\.js/, ''));
  });
  await page.goto(`${fixture.app.node.core.publicUrl}/console/payments`);
  await page.goto(counter());
  await expect(page.getByRole('group', { name: 'Teclas' })).toBeVisible();
  expectValue(new Set(scripts)).toEqual(new Set(['/assets/console', '/assets/mount']));
  expectValue(scripts.indexOf('/assets/mount')).toBe(scripts.length - 1);
});
