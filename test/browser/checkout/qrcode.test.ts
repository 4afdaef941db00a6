// Payment by QR code on the page and in the widget, and the sandbox app that scans and pays the code.
import type { Page } from 'playwright';
import { describe, test } from 'vitest';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { creepUntil } from '../../support/payments.ts';
import { callForImage, createCode, scanCode, type Code } from '../../support/qrcodes.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { openMerchant, paymentElement } from '../pages/merchant.ts';
import { ScanPage } from '../pages/scan.ts';
import { ShopPage } from '../pages/shop.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const PLAIN: VisitOptions = { javaScriptEnabled: false };
const CODE_NAME = 'Código QR para pagar 1 500,00 Kz a Loja da Ilha';

const merchant = openMerchant(fixture);

async function openCode(metadata = {}, options: VisitOptions = {}) {
  const code = await createCode(fixture.app, metadata);
  const checkout = new CheckoutPage(await fixture.visit(options));
  const address = { checkoutUrl: `${fixture.app.node.core.publicUrl}/checkout/${code.clientToken}` };
  return { code, checkout, open: (on = checkout) => on.open(address) };
}

/** Pays a QR code and waits until the node has recorded the payment. */
async function payCode(code: Code) {
  const countPaid = async () => (await fixture.app.call(`/api/payments/${code.id}`)).json.acceptedTransactions;
  const paid = await countPaid();
  await scanCode(fixture.app, code.content);
  await creepUntil(fixture.app, async () => (await countPaid()) > paid, 'the scan being known');
}

describe('the checkout page of a QR code', () => {
  test('shows the code, and updates the number of payments without a reload', async () => {
    const { code, checkout, open } = await openCode({ maxTransactions: 2 });
    await open();
    const { page } = checkout;
    await checkout.expectTitle('Leia o código para pagar');
    const image = page.getByRole('img', { name: CODE_NAME });
    expect(await image.evaluate((each: HTMLImageElement) => each.complete && each.naturalWidth > 0)).toBe(true);
    await expect(page.getByText('0 de 2 pagos')).toBeVisible();
    await expect(page.getByRole('timer')).toHaveText(/^Pode pagar durante mais 2[34]:\d\d:\d\d\.$/);
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await payCode(code);
    await expect(page.getByText('1 de 2 pagos')).toBeVisible();
    await payCode(code);
    await checkout.expectTitle('Pago');
    await expect(page.getByText('Pagamentos recebidos: 2 de 2.')).toBeVisible();
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
  });

  test('links to the banking app on a touch screen only', async () => {
    const { checkout, open } = await openCode();
    await open();
    await expect(checkout.page.getByRole('img', { name: CODE_NAME })).toBeVisible();
    await expect(checkout.page.getByRole('link', { name: 'Abrir no Multicaixa Express' })).toBeHidden();
    const phone = new CheckoutPage(await fixture.visit({ hasTouch: true, ...PLAIN }));
    await open(phone);
    await phone.page.getByRole('link', { name: 'Abrir no Multicaixa Express' }).click();
    const scan = new ScanPage(phone.page);
    await scan.pay('923456789', '1 500,00 Kz');
    await scan.expectOutcome('Pagamento feito');
    await checkout.expectTitle('Pago');
  });

  test('has a refresh link if its script does not load', async () => {
    const { code, checkout, open } = await openCode({}, { expected: /ERR_FAILED/ });
    const again = checkout.page.getByRole('link', { name: 'Actualizar' });
    await checkout.page.route('**/assets/*.js', (route) => route.abort());
    await open();
    // The next page has the same title, and its script must fail too.
    const isMissing = checkout.page.waitForEvent('requestfailed');
    await again.click();
    await isMissing;
    await checkout.expectTitle('Leia o código para pagar');
    await checkout.page.unroute('**/assets/*.js');
    await again.click();
    await expect(again).toHaveCount(0);
    await payCode(code);
    await checkout.expectTitle('Pago');
  });
});

describe('the widget of a QR code', () => {
  test('shows the code, counts its payments, and sends an event after the last payment', async () => {
    const { code } = await openCode({ maxTransactions: 2 });
    const prepare = (page: Page) => new WidgetPage(page).rememberEvents();
    const widget = new WidgetPage(await merchant.open({ body: paymentElement(code, 'lang="pt"') }, { prepare }));
    await widget.expectTitle('Leia o código para pagar');
    const image = widget.element.getByRole('img', { name: CODE_NAME });
    const isLoaded = () => image.evaluate((each: HTMLImageElement) => each.complete && each.naturalWidth);
    await expect.poll(isLoaded).toBeTruthy();
    await expect(widget.element.getByRole('timer')).toHaveText(/^Pode pagar durante mais \d\d:\d\d:\d\d\.$/);
    await payCode(code);
    await expect(widget.element.getByText('1 de 2 pagos')).toBeVisible();
    await payCode(code);
    await widget.expectTitle('Pago');
    expect(await widget.readEvents()).toContain('balcao:paid Paid');
  });
});

describe('the sandbox app that scans QR codes', () => {
  test.each([
    ['with JavaScript', {}, true],
    ['without JavaScript', PLAIN, false],
  ])('pays the code whose content was pasted, %s', async (_, options, hasScript) => {
    const { content } = await createCode(fixture.app, { description: 'Café de Amboim' });
    const scan = new ScanPage(await fixture.visit({ ...options, expected: /404/ }));
    await scan.open(fixture.app);
    await expect(scan.page.getByText('Escolher a imagem do código')).toBeVisible({ visible: hasScript });
    await scan.paste('nada disto');
    await expect(scan.content).toHaveAccessibleDescription(/^Não conhecemos este código/);
    await scan.paste(`  ${content}\n`);
    for (const text of ['Loja da Ilha', 'Café de Amboim']) await expect(scan.page.getByText(text)).toBeVisible();
    await scan.pay('900000002', '1 500,00 Kz');
    await scan.expectOutcome('A confirmar o pagamento');
    await fixture.app.clock.advance(1_500);
    await scan.expectOutcome('Pagamento recusado');
    await expect(scan.page.getByText('Saldo insuficiente')).toBeVisible();
    await scan.page.getByRole('link', { name: 'Ler outro código' }).click();
    await scan.paste(content);
    await scan.pay('923456789', '1 500,00 Kz');
    await scan.expectOutcome('Pagamento feito');
    await expect(scan.page.getByText('N.º da transacção')).toBeVisible();
  });

  test('meets WCAG 2.2 AA, and decodes PNG and SVG codes but no other image', async () => {
    const { id } = await createCode(fixture.app);
    const scan = new ScanPage(await fixture.visit());
    await scan.open(fixture.app);
    await scan.expectAccessible();
    await scan.expectFocusVisible();
    for (const [mimeType, text] of [
      ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"/>'],
      ['image/png', 'no image'],
    ] as const) {
      await scan.image.setInputFiles({ name: 'empty', mimeType, buffer: Buffer.from(text) });
      await expect(scan.page.getByText(/Não encontrámos um código QR nesta imagem/)).toBeVisible();
    }
    for (const mimeType of ['image/png', 'image/svg+xml']) {
      const { bytes } = await callForImage(fixture.app, `/api/payments/${id}/qrcode`, {
        headers: { accept: mimeType },
      });
      await scan.open(fixture.app);
      await scan.image.setInputFiles({ name: 'code', mimeType, buffer: bytes });
      await expect(scan.page.getByRole('button', { name: 'Pagar 1 500,00 Kz' })).toBeVisible();
    }
    await scan.expectAccessible();
    await scan.pay('923456789', '1 500,00 Kz');
    await scan.expectOutcome('Pagamento feito');
  });
});

describe('the demo shop', () => {
  test('sells by QR code', async () => {
    const page = await fixture.visit();
    const shop = new ShopPage(page);
    await shop.open(fixture.app);
    await shop.buy('Café de Amboim', 'Código QR');
    const checkout = new CheckoutPage(page);
    await checkout.expectTitle('Leia o código para pagar');
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Pagar este código com o telemóvel de teste' }).click(),
    ]);
    const scan = new ScanPage(popup);
    await scan.pay('923456789', '4 500,00 Kz');
    await scan.expectOutcome('Pagamento feito');
    await checkout.expectTitle('Pago');
  });
});
