// Both checkouts of WooCommerce in a browser: the phone on the form, the payment page and the thank-you page.
// Orders are posts here. The tests of deliveries store them in tables of their own.
import { beforeAll, describe, test } from 'vitest';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { jumpClock } from '../../support/jump-clock.ts';
import { stopLater } from '../../support/stop-later.ts';
import { missingPrograms, startWordPress, type WordPress } from '../../woocommerce/wordpress.ts';

const missing = missingPrograms();
if (missing) console.log(`The tests of WooCommerce are skipped, because ${missing} is missing.`);
const DEMO_MERCHANT = '00000000-0000-7000-8000-00000000de30';

describe.skipIf(missing !== '')('the checkout of WooCommerce', () => {
  const fixture = openBrowserFixture({ clock: jumpClock(), env: { CALLBACK_ALLOW_LOOPBACK: 'true' } });
  let shop: WordPress;

  beforeAll(async () => {
    shop = stopLater(await startWordPress({ storage: 'posts' }));
    const url = `${shop.url}/wp-json/balcao/v1/webhook`;
    const { json } = await fixture.app.call('/api/webhooks', { body: { url } });
    const merchant = `/api/merchants/${DEMO_MERCHANT}`;
    await fixture.app.call(merchant, { method: 'PUT', body: { returnOrigins: [shop.url] } });
    const settings = { url: fixture.app.node.core.publicUrl, client_id: 'demo', client_secret: 'demo-secret' };
    await shop.control({
      do: 'options',
      options: { balcao_settings: { ...settings, test_mode: 'yes', webhook_secret: json.secret } },
    });
  });

  /** Opens a page of the shop with one piece in the cart. */
  async function shopAt(path: string) {
    const page = await fixture.visit({ origins: [shop.url], cookies: ['stand_in_cart'], expected: /JQMIGRATE|emoji/ });
    const product = await shop.control({ do: 'call', function: 'get_option', arguments: ['stand_in_product'] });
    await page.goto(`${shop.url}${path}?add-to-cart=${product}`);
    return page;
  }

  test('of blocks pays an order by a push to the number of its field', async () => {
    const page = await shopAt('/blocks/');
    await page.getByRole('radio', { name: 'Multicaixa Express' }).check();
    await page.locator('#balcao_phone').fill('12');
    await page.getByRole('button', { name: 'Place Order' }).click();
    await expect(page.getByRole('alert')).toContainText('nine digits');
    await page.locator('#balcao_phone').fill('900 000 000');
    await page.getByRole('button', { name: 'Place Order' }).click();
    await page.waitForURL(/order-received/);
    await expect(page.locator('#status')).toHaveText('processing');
  });

  test('of blocks shows a QR code on the payment page', async () => {
    const page = await shopAt('/blocks/');
    await page.getByRole('radio', { name: 'QR code' }).check();
    await page.getByRole('button', { name: 'Place Order' }).click();
    await page.waitForURL(/order-pay/);
    await expect(page.locator('balcao-payment')).toBeVisible();
  });

  test('with a form pays an order by a push to the number of its field', async () => {
    const page = await shopAt('/checkout/');
    await page.getByRole('radio', { name: 'Multicaixa Express' }).check();
    await page.locator('#balcao_phone').fill('900000000');
    await page.getByRole('button', { name: 'Place order' }).click();
    await page.waitForURL(/order-received/);
    await expect(page.locator('#status')).toHaveText('processing');
  });

  test('with a form shows entity and reference on the thank-you page', async () => {
    const page = await shopAt('/checkout/');
    await page.getByLabel('Payment by reference').check();
    await page.getByRole('button', { name: 'Place order' }).click();
    await page.waitForURL(/order-received/);
    await expect(page.getByText('00999')).toBeVisible();
    expect(shop.mails().at(-1)?.message).toContain('00999');
  });

  test('causes no notice, warning or error of PHP', () => {
    expect(shop.log().match(/^.*PHP (?:Notice|Warning|Deprecated|Fatal|Parse).*$/gm) ?? []).toEqual([]);
  });
});
