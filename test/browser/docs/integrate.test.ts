// The guide's own commands set up its sample shop. A buyer orders and pays, and the shop ships once.
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { until } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { DEMO_ENTITY, pay, untilRegistered } from '../../support/ppr.ts';
import { scanCode } from '../../support/qrcodes.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';
import { GUIDE_BLOCKS } from '../../support/project.ts';
import { makeShop, OLDEST_NODE, startShop, type Shop } from '../../support/shop.ts';
import { BasePage } from '../pages/base.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

// The shop compares a webhook's time with its own clock.
const fixture = openBrowserFixture({ env: RECEIVER_ENV, clock: testClock(new Date().toISOString()) });
let shop: Shop;

beforeAll(async () => {
  const project = await makeShop();
  const commands = GUIDE_BLOCKS.sh.find((text) => text.includes('shop/server.mjs')) ?? '';
  const here = (url: string) =>
    commands
      .replace('http://localhost:8080', fixture.app.node.core.publicUrl)
      .replace('http://localhost:3000', url)
      // `exec` replaces the shell process, so that the test stops the sample shop and not only the shell.
      .replace('&& node ', `&& exec '${OLDEST_NODE.file}' `);
  shop = await startShop(project, { FEED_EVERY_MS: '50' }, (url) => ['bash', '-euc', here(url)]);
});
afterAll(() => shop?.stop());

type Way = 'Multicaixa Express' | 'Código QR' | 'Por referência';

/** A visitor with an order. @returns the page and the order's number */
async function buy(way: Way, options: VisitOptions = {}) {
  const page = await fixture.visit({ origins: [shop.url], ...options });
  await page.goto(shop.url);
  await page.getByRole('button', { name: way }).click();
  await page.waitForURL(/\/orders\/\w+$/);
  return { page, id: new URL(page.url()).pathname.slice('/orders/'.length) };
}

const THANKS = 'Obrigado! O seu café vai a caminho.';

/** Expects that the shop changed one order once, for any number of webhooks and callbacks. */
async function expectShipped(id: string, before: { gone: number }) {
  await until(() => shop.readGoods().shipped.includes(id), 'the order being shipped');
  const { next } = (await fixture.app.call('/api/events?after=now')).json;
  await until(() => Number(shop.readCursor()) >= Number(next), 'the feed being read');
  expect(shop.readGoods().gone).toBe(before.gone + 1);
}

test('the page of the sample shop takes a payment and shows the status that its server read', async () => {
  const before = shop.readGoods();
  const { page, id } = await buy('Multicaixa Express');
  const message = page.locator('#message');
  await expect(message).toHaveText('À espera do pagamento.');
  const widget = new WidgetPage(page);
  await new BasePage(page).expectAccessible();
  await widget.pay('900000000');
  await widget.travelToTitle(fixture.app, 'Pago');
  await expect(message).toHaveText(THANKS);
  await expectShipped(id, before);
  await page.reload();
  await expect(message).toHaveText(THANKS);
  await expectShipped(id, before);
});

test.each<[string, VisitOptions]>([
  ['with JavaScript', {}],
  ['without', { javaScriptEnabled: false }],
])('the gateway’s hosted page takes a payment and leads back to the sample shop, %s', async (_, options) => {
  const before = shop.readGoods();
  const { page, id } = await buy('Multicaixa Express', options);
  await page.getByRole('link', { name: 'Pagar na página do Balcão' }).click();
  const checkout = new CheckoutPage(page);
  await checkout.pay('900000000');
  await checkout.expectWaiting();
  if (options.javaScriptEnabled === false) {
    await expect(async () => {
      // The page waits before the rail has the push, so that one step could pass before the rail counts its time.
      await fixture.app.clock.advance(2_000);
      await page.reload();
      await checkout.expectTitle('Pago', 500);
    }).toPass();
  } else await checkout.travelToTitle(fixture.app, 'Pago');
  await page.getByRole('link', { name: 'Voltar à loja' }).click();
  await expect(page).toHaveURL(`${shop.url}/orders/${id}`);
  await expect(page.locator('#message')).toHaveText(THANKS);
  await expectShipped(id, before);
});

test('the sample shop records payments by reference and by QR code after the buyer has left', async () => {
  const before = shop.readGoods();
  const byReference = await buy('Por referência');
  await byReference.page.close();
  const { reference } = shop.order(byReference.id);
  await untilRegistered(fixture.app, reference);
  await pay(fixture.app, { entity: DEMO_ENTITY, reference });
  await expectShipped(byReference.id, before);
  const byCode = await buy('Código QR');
  await byCode.page.close();
  const [row] = await fixture.app.sql('select qr_content from payments where id = $1', [
    shop.order(byCode.id).paymentId,
  ]);
  await scanCode(fixture.app, row.qr_content);
  await expectShipped(byCode.id, { gone: before.gone + 1 });
});

test('the gateway’s own demo shop still works', async () => {
  const { page } = await buy('Multicaixa Express');
  await page.goto(`${fixture.app.node.core.publicUrl}/demo`);
  await page.getByRole('button', { name: 'Pagar na página Jindungo' }).click();
  await expect(page).toHaveURL(/\/checkout\//);
});

test('the sample shop ships nothing for a payment that was refused and abandoned', async () => {
  const before = shop.readGoods();
  const { page, id } = await buy('Multicaixa Express');
  const widget = new WidgetPage(page);
  await widget.pay('900000001');
  await widget.travelToTitle(fixture.app, 'Pagamento recusado no telemóvel');
  await page.reload();
  await expect(page.locator('#message')).toHaveText('À espera do pagamento.');
  expect(shop.readGoods()).toEqual(before);
  expect(shop.readGoods().shipped).not.toContain(id);
});
