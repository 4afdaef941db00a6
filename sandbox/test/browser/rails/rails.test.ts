// The demo shop switches to a provider's fake and back, with the buttons of the page only.
import { test } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import { expect } from '../../../../test/support/expect.ts';
import { BasePage } from '../../../../test/browser/pages/base.ts';
import { CheckoutPage } from '../../../../test/browser/pages/checkout.ts';
import { ShopPage } from '../../../../test/browser/pages/shop.ts';
import { openBrowserFixture } from '../../../../test/support/browser-fixture.ts';

const fixture = openBrowserFixture({ clock: systemClock });

test('the demo shop charges a purchase through the fake of AppyPay, and then through the simulator again', async () => {
  const page = await fixture.visit({ javaScriptEnabled: false });
  const openEntry = () => page.goto(`${fixture.app.node.core.publicUrl}/sandbox`);
  await openEntry();
  await page.getByRole('button', { name: 'Experimentar AppyPay' }).click();
  const accounts = page.getByRole('list', { name: 'Contas da loja' }).getByRole('listitem');
  await expect(accounts).toHaveCount(2);
  await expect(page).toHaveURL(/\/sandbox#rails$/);

  const shop = new ShopPage(page);
  await shop.open(fixture.app);
  await shop.buy('Café de Amboim', 'Pagar na página');
  await new CheckoutPage(page).pay('923 456 789');
  const desk = await page.context().newPage();
  await desk.goto(`${fixture.app.node.core.publicUrl}/sandbox`);
  await desk.getByRole('link', { name: 'Abrir AppyPay' }).click();
  await expect(desk.getByRole('heading', { level: 1 })).toHaveText('AppyPay (fake)');
  await expect(desk.getByRole('link', { name: 'Reload' })).toBeVisible();
  const approve = desk.getByRole('button', { name: 'Approve' });
  await expect(async () => {
    await desk.reload();
    expect(await approve.count()).toBe(1);
  }).toPass();
  await approve.click();
  await expect(desk.getByText('100', { exact: true })).toBeVisible();
  await new BasePage(desk).expectFitsNarrow();
  await shop.open(fixture.app);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Pago');

  await openEntry();
  for (const left of [1, 0]) {
    await accounts.first().getByRole('button', { name: 'Retirar' }).click();
    await expect(accounts).toHaveCount(left);
  }
  await expect(page.getByRole('button', { name: 'Experimentar AppyPay' })).toBeVisible();
});

test('the provider section of the sandbox page with accounts, and the fake’s page, are accessible', async () => {
  const page = await fixture.visit();
  await page.goto(`${fixture.app.node.core.publicUrl}/sandbox`);
  await page.getByRole('button', { name: 'Experimentar Ombala' }).click();
  const entry = new BasePage(page);
  await expect(page.getByRole('link', { name: 'Abrir Ombala' })).toBeVisible();
  await entry.expectAccessible();
  await page.getByRole('link', { name: 'Abrir Ombala' }).click();
  await entry.expectAccessible();
});
