// The payer chooses, as people see it: a code beside the number, the app on the phone itself, a reference; with and without scripts.
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { create, travelToStatus, webframe } from '../../support/payments.ts';
import { scanCode } from '../../support/qrcodes.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
});
afterAll(() => merchant?.close());

const PHONE: VisitOptions = { hasTouch: true };
const DESK: VisitOptions = { viewport: { width: 1280, height: 900 } };
const TITLE = 'Pague com Multicaixa Express';
const make = (methods = ['push', 'qrcode', 'reference']) => create(fixture.app, webframe({ metadata: { methods } }));

async function pay({ id }: { id: string }) {
  const [row] = await fixture.app.sql('select qr_content from payments where id = $1', [id]);
  await scanCode(fixture.app, row.qr_content);
  await travelToStatus(fixture.app, id, 'Paid');
}

describe('the page', () => {
  test('on a phone opens the app first; the code is paid, and the page goes on by itself', async () => {
    const payment = await make();
    const checkout = new CheckoutPage(await fixture.visit(PHONE));
    await checkout.open(payment);
    await checkout.expectTitle(TITLE);
    await expect(checkout.main.getByRole('link', { name: 'Abrir no Multicaixa Express' })).toBeVisible();
    await expect(checkout.main.getByRole('textbox')).toBeVisible();
    await expect(checkout.main.getByRole('button', { name: 'Pagar por referência' })).toBeVisible();
    await pay(payment);
    await checkout.expectTitle('Pago');
  });

  test('on a desk the code stands beside the number', async () => {
    const checkout = new CheckoutPage(await fixture.visit(DESK));
    await checkout.open(await make());
    const [code, number] = [checkout.main.getByRole('img', { name: /^Código QR/ }), checkout.main.getByRole('textbox')];
    await expect(code).toBeVisible();
    await expect(checkout.main).toContainText('leia este código');
    const [left, right] = [(await number.boundingBox())!, (await code.boundingBox())!];
    expect(right.x).toBeGreaterThanOrEqual(left.x + left.width);
    expect(right.y).toBeLessThan(left.y + left.height);
  });

  test.each([
    ['a phone', PHONE],
    ['a desk', DESK],
  ])('on %s nothing moves when the code comes', async (_where, options) => {
    const page = await fixture.visit(options);
    const isWanted = Promise.withResolvers<void>();
    await page.route('**/qrcode?*', async (route) => {
      await isWanted.promise;
      await route.continue();
    });
    const checkout = new CheckoutPage(page);
    await checkout.open(await make());
    const measure = () =>
      Promise.all(
        ['Pagar por referência', /^Pagar 1 500/].map((name) =>
          checkout.main.getByRole('button', { name }).boundingBox(),
        ),
      );
    const before = await measure();
    isWanted.resolve();
    await expect(checkout.main.getByRole('img', { name: /^Código QR/ })).toBeVisible();
    expect(await measure()).toEqual(before);
  });

  test('works without a script', async () => {
    const payment = await make();
    const checkout = new CheckoutPage(await fixture.visit({ ...DESK, javaScriptEnabled: false }));
    await checkout.open(payment);
    await checkout.main.getByRole('button', { name: 'Pagar com código QR ou na aplicação' }).click();
    await expect(checkout.main.getByRole('img', { name: /^Código QR/ })).toBeVisible();
    await pay(payment);
    await checkout.open(payment);
    await checkout.expectTitle('Pago');
  });

  test('offers the code alone where nothing else is wished', async () => {
    const checkout = new CheckoutPage(await fixture.visit(DESK));
    await checkout.open(await make(['qrcode']));
    await expect(checkout.main.getByRole('img', { name: /^Código QR/ })).toBeVisible();
    await expect(checkout.main.getByRole('textbox')).toHaveCount(0);
    await expect(checkout.main.getByRole('button', { name: 'Pagar por referência' })).toHaveCount(0);
  });
});

test('the widget offers the same', async () => {
  const payment = await make();
  const widget = new WidgetPage(await fixture.visit({ origins: [merchant.url] }));
  const body = `<balcao-payment token="${payment.clientToken}"></balcao-payment>`;
  await widget.page.goto(merchant.show({ body }));
  await expect(widget.element.getByRole('img', { name: /^Código QR/ })).toBeVisible();
  await expect(widget.element.getByRole('button', { name: 'Pagar por referência' })).toBeVisible();
  await pay(payment);
  await widget.expectTitle('Pago');
});
