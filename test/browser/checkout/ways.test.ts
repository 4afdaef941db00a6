// A page offers several payment methods: a push, a QR code, the banking app on the phone, and a reference.
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, travelToStatus, webframe } from '../../support/payments.ts';
import { scanCode } from '../../support/qrcodes.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { paymentElement, openMerchant } from '../pages/merchant.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

const PHONE: VisitOptions = { hasTouch: true };
const DESK: VisitOptions = { viewport: { width: 1280, height: 900 } };
const TITLE = 'Pague com Multicaixa Express';
const make = (methods = ['push', 'qrcode', 'reference']) => create(fixture.app, webframe({ metadata: { methods } }));

async function pay({ id }: { id: string }) {
  const [row] = await fixture.app.sql('select qr_content from payments where id = $1', [id]);
  await scanCode(fixture.app, row.qr_content);
  await travelToStatus(fixture.app, id, 'Paid');
}

describe('the page with three methods', () => {
  test('offers the banking app on a phone, and shows the receipt after the QR code is paid', async () => {
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

  test('shows the QR code to the right of the phone number on a desktop', async () => {
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
    ['a desktop', DESK],
  ])('moves no element on %s when the QR code arrives', async (_where, options) => {
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
    const image = checkout.main.getByRole('img', { name: /^Código QR/ });
    await expect(options === PHONE ? checkout.main.getByText('Mostrar o código QR') : image).toBeVisible();
    expect(await measure()).toEqual(before);
  });

  test.each([true, false])('shows the QR code on a phone after a press (JavaScript: %s)', async (javaScriptEnabled) => {
    const page = await fixture.visit({ ...PHONE, javaScriptEnabled });
    const checkout = new CheckoutPage(page);
    await checkout.open(await make());
    if (!javaScriptEnabled) await checkout.main.getByRole('button', { name: /código QR/ }).click();
    const image = checkout.main.locator('img.qr');
    await expect(image).toBeHidden();
    await checkout.main.getByText('Mostrar o código QR').click();
    await expect(image).toBeVisible();
    // The link into the app is the only filled button.
    const filled = checkout.main.locator('button, .button').filter({ visible: true });
    const colors = await filled.evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor));
    expect(colors.filter((color) => color !== 'rgba(0, 0, 0, 0)')).toHaveLength(1);
  });
});

test('the widget offers a QR code and a reference, and shows the receipt after the code is paid', async () => {
  const payment = await make();
  const widget = new WidgetPage(await merchant.open({ body: paymentElement(payment) }));
  await expect(widget.element.getByRole('img', { name: /^Código QR/ })).toBeVisible();
  await expect(widget.element.getByRole('button', { name: 'Pagar por referência' })).toBeVisible();
  await pay(payment);
  await widget.expectTitle('Pago');
});
