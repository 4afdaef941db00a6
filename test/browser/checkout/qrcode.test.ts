// Paying by QR code as people see it: the code on the page and in the widget, the app that reads it, live to the end.
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { creepUntil, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { startMerchant, type Merchant } from '../pages/merchant.ts';
import { ScanPage } from '../pages/scan.ts';
import { ShopPage } from '../pages/shop.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const PLAIN: VisitOptions = { javaScriptEnabled: false };
const CODE_NAME = 'Código QR para pagar 1 500,00 Kz a Loja da Ilha';

let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
});
afterAll(() => merchant?.close());

async function createCode(metadata: Record<string, unknown> = {}): Promise<any> {
  const body = webframe({ metadata: { paymentMethod: 'qrcode', ...metadata } });
  const reply = await fixture.app.call('/api/payments', { body, headers: { prefer: 'return=representation' } });
  if (reply.status !== 201) throw new Error(`not created: ${reply.status} ${reply.text}`);
  return reply.json;
}

/** Pays a code as an app would, away from any page; the rail may have to say it twice before we have heard it. */
async function payCode(payment: { internalId: string; qrCode: { content: string } }) {
  const countPaid = async () =>
    (await fixture.app.call(`/api/payments/${payment.internalId}`)).json.acceptedTransactions;
  const paid = await countPaid();
  const body = { content: payment.qrCode.content, phone: '923456789' };
  const reply = await fixture.app.call('/sandbox/scan', { body, token: null });
  if (reply.status !== 201) throw new Error(`not paid: ${reply.status} ${reply.text}`);
  await creepUntil(fixture.app, async () => (await countPaid()) > paid, 'the scan being known');
}

describe('the page', () => {
  test('shows the code and counts its payments without being touched, to the end', async () => {
    const payment = await createCode({ maxTransactions: 2 });
    const checkout = new CheckoutPage(await fixture.visit());
    await checkout.open(payment);
    await checkout.expectTitle('Leia o código para pagar');
    const image = checkout.page.getByRole('img', { name: CODE_NAME });
    expect(await image.evaluate((each: HTMLImageElement) => each.complete && each.naturalWidth > 0)).toBe(true);
    await expect(checkout.page.getByText('0 de 2 pagos')).toBeVisible();
    await expect(checkout.page.getByRole('timer')).toHaveText(/^Pode pagar durante mais 2[34]:\d\d:\d\d\.$/);
    await checkout.page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await payCode(payment);
    await expect(checkout.page.getByText('1 de 2 pagos')).toBeVisible();
    await payCode(payment);
    await checkout.expectTitle('Pago');
    await expect(checkout.page.getByText('Pagamentos recebidos: 2 de 2.')).toBeVisible();
    expect(await checkout.page.evaluate(() => 'isSamePage' in window)).toBe(true);
  });

  test('offers the app on a phone only, and leads there', async () => {
    const payment = await createCode();
    const onDesk = new CheckoutPage(await fixture.visit());
    await onDesk.open(payment);
    await expect(onDesk.page.getByRole('img', { name: CODE_NAME })).toBeVisible();
    await expect(onDesk.page.getByRole('link', { name: 'Abrir no Multicaixa Express' })).toBeHidden();
    const onPhone = new CheckoutPage(await fixture.visit({ hasTouch: true, ...PLAIN }));
    await onPhone.open(payment);
    await onPhone.page.getByRole('link', { name: 'Abrir no Multicaixa Express' }).click();
    const scan = new ScanPage(onPhone.page);
    await scan.pay('923456789', '1 500,00 Kz');
    await scan.expectOutcome('Pagamento feito');
    await onDesk.expectTitle('Pago');
  });

  test('without JavaScript asks again now and then, and by a link leads to the receipt', async () => {
    const payment = await createCode();
    const checkout = new CheckoutPage(await fixture.visit(PLAIN));
    await checkout.open(payment);
    await expect(checkout.page.getByRole('img', { name: CODE_NAME })).toBeVisible();
    await expect(checkout.page.locator('meta[http-equiv=refresh]')).toHaveAttribute('content', /^30;url=/);
    await payCode(payment);
    await checkout.page.getByRole('link', { name: 'Atualizar' }).click();
    await checkout.expectTitle('Pago');
    await expect(checkout.page.locator('meta[http-equiv=refresh]')).toHaveCount(0);
  });
});

test('where its script does not come, the page leads to another look by a link, and with it has none', async () => {
  const payment = await createCode();
  const checkout = new CheckoutPage(await fixture.visit({ expected: /ERR_FAILED/ }));
  const again = checkout.page.getByRole('link', { name: 'Atualizar' });
  await checkout.page.route('**/assets/*.js', (route) => route.abort());
  await checkout.open(payment);
  await again.click();
  await checkout.expectTitle('Leia o código para pagar');
  await checkout.page.unroute('**/assets/*.js');
  await again.click();
  await expect(again).toHaveCount(0);
  await payCode(payment);
  await checkout.expectTitle('Pago');
});

test('the widget shows the code on a merchant’s page, counts, and tells the page that it is paid', async () => {
  const payment = await createCode({ maxTransactions: 2 });
  const widget = new WidgetPage(await fixture.visit({ origins: [merchant.url] }));
  await widget.rememberEvents();
  const body = `<balcao-payment token="${payment.clientToken}" lang="pt"></balcao-payment>`;
  await widget.page.goto(merchant.show({ body }));
  await widget.expectTitle('Leia o código para pagar');
  const image = widget.element.getByRole('img', { name: CODE_NAME });
  await expect.poll(() => image.evaluate((each: HTMLImageElement) => each.complete && each.naturalWidth)).toBeTruthy();
  await expect(widget.element.getByRole('timer')).toHaveText(/^Pode pagar durante mais \d\d:\d\d:\d\d\.$/);
  await payCode(payment);
  await expect(widget.element.getByText('1 de 2 pagos')).toBeVisible();
  await payCode(payment);
  await widget.expectTitle('Pago');
  expect(await widget.readEvents()).toContain('balcao:paid Paid');
});

describe('the app', () => {
  test.each([
    ['with JavaScript', {}, true],
    ['without', PLAIN, false],
  ])('pays a pasted code, %s', async (_, options, isLive) => {
    const payment = await createCode({ description: 'Café de Amboim' });
    const scan = new ScanPage(await fixture.visit({ ...options, expected: /404/ }));
    await scan.open(fixture.app);
    await expect(scan.page.getByText('Escolher a imagem do código')).toBeVisible({ visible: isLive });
    await scan.paste('nada disto');
    await expect(scan.content).toHaveAccessibleDescription(/^Não conhecemos este código/);
    await scan.paste(`  ${payment.qrCode.content}\n`);
    for (const text of ['Loja da Ilha', 'Café de Amboim']) await expect(scan.page.getByText(text)).toBeVisible();
    await scan.pay('900000002', '1 500,00 Kz');
    await scan.expectOutcome('A confirmar o pagamento');
    await fixture.app.clock.advance(1_500);
    await scan.expectOutcome('Pagamento recusado');
    await expect(scan.page.getByText('Saldo insuficiente')).toBeVisible();
    await scan.page.getByRole('link', { name: 'Ler outro código' }).click();
    await scan.paste(payment.qrCode.content);
    await scan.pay('923456789', '1 500,00 Kz');
    await scan.expectOutcome('Pagamento feito');
    await expect(scan.page.getByText('N.º da transação')).toBeVisible();
  });

  test.each([
    ['image/png', 'code.png'],
    ['image/svg+xml', 'code.svg'],
  ])('reads the %s that the API gives', async (type, name) => {
    const payment = await createCode();
    const answer = await fetch(`${fixture.app.url}/api/payments/${payment.internalId}/qrcode`, {
      headers: { accept: type, authorization: `Bearer ${await fixture.app.token()}` },
    });
    const buffer = Buffer.from(await answer.arrayBuffer());
    const scan = new ScanPage(await fixture.visit());
    await scan.open(fixture.app);
    await scan.image.setInputFiles({ name, mimeType: type, buffer });
    await scan.pay('923456789', '1 500,00 Kz');
    await scan.expectOutcome('Pagamento feito');
  });

  test('says so when an image holds no code, and goes on', async () => {
    const scan = new ScanPage(await fixture.visit());
    await scan.open(fixture.app);
    const buffer = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"/>');
    await scan.image.setInputFiles({ name: 'white.svg', mimeType: 'image/svg+xml', buffer });
    await expect(scan.page.getByText(/Não encontrámos um código QR nesta imagem/)).toBeVisible();
    await scan.image.setInputFiles({ name: 'no.png', mimeType: 'image/png', buffer: Buffer.from('no image') });
    await expect(scan.page.getByText(/Não encontrámos um código QR nesta imagem/)).toBeVisible();
  });

  test('is accessible before and after a code is read', async () => {
    const { qrCode } = await createCode();
    const scan = new ScanPage(await fixture.visit());
    await scan.open(fixture.app);
    await scan.expectAccessible();
    await scan.expectFocusVisible();
    await scan.open(fixture.app, qrCode.content);
    await scan.expectAccessible();
  });
});

test('the demo shop sells by code', async () => {
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
