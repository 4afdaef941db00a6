import { test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { travelToStatus } from '../../support/payments.ts';
import { visitConsole } from '../pages/console.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { translatePages } from '../pages/translator.ts';

const fixture = openBrowserFixture();

async function charge() {
  const page = await visitConsole(fixture);
  const number = ownNumber();
  const start = async () => {
    await page.goto(`${fixture.app.node.core.publicUrl}/console/charge`);
    await page.getByLabel('Montante em kwanzas').fill('300');
    await page.getByLabel(/Telemóvel do cliente/).fill(number);
    await page.getByRole('button', { name: 'Cobrar' }).click();
    await expect(page.locator('.heard')).toHaveClass(/live/);
  };
  const approve = async () => {
    await answerPush(fixture.app, number, 'approve');
    await travelToStatus(fixture.app, page.url().split('/').at(-1)!.split('?')[0]!, 'Paid');
  };
  return { page, number, start, approve };
}

test('a paid charge is announced, and the title of the page shows it', async () => {
  const { page, start, approve } = await charge();
  await start();
  await expect(page).toHaveTitle(/^Em curso · 300,00.Kz/);
  await approve();
  await expect(page.locator('#said-result')).toHaveText(/^Pago · 300,00.Kz$/);
  await expect(page).toHaveTitle(/^Pago · 300,00.Kz/);
});

test('a refused charge is announced with its reason', async () => {
  const { page, number, start } = await charge();
  await start();
  await answerPush(fixture.app, number, 'decline');
  await expect(page.locator('#said-result')).toHaveText(/^(Recusado|Não pago) · .+ · 300,00.Kz$/);
});

test('the page of a charge becomes the receipt, although a browser translates it', async () => {
  const { page, start, approve } = await charge();
  await translatePages(page);
  await start();
  await expect(page.locator('main font')).not.toHaveCount(0);
  await approve();
  await expect(page.locator('main')).toContainText('Comprovativo');
  await expect(page.locator('main')).not.toContainText('Em curso');
});

test('a live part of a console page that has the focus is redrawn after the focus leaves', async () => {
  const { page, start, approve } = await charge();
  await start();
  const part = page.locator('[data-live-part="charging"]');
  await part.evaluate((each) => each.insertAdjacentHTML('beforeend', '<input aria-label="x">'));
  await page.getByLabel('x').fill('1');
  const read = page.waitForResponse((response) => response.request().headers()['x-balcao-live'] === '1');
  await approve();
  await (await read).finished();
  await page.locator('h1').click();
  await expect(part).toContainText('Em curso');
  await page.getByLabel('x').fill('');
  await page.getByLabel('x').blur();
  await expect(part).toContainText('Comprovativo');
});

test('a live part of a console page with open details is redrawn after they are closed', async () => {
  const { page, start, approve } = await charge();
  await start();
  const part = page.locator('[data-live-part="charging"]');
  await part.evaluate((each) =>
    each.insertAdjacentHTML('beforeend', '<details open><summary>Mais</summary></details>'),
  );
  const read = page.waitForResponse((response) => response.request().headers()['x-balcao-live'] === '1');
  await approve();
  await (await read).finished();
  await expect(part).toContainText('Em curso');
  await page.getByText('Mais').click();
  await expect(part).toContainText('Comprovativo');
});
