// The widget on a merchant's page of another origin, whose policy allows the gateway only.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { openMerchant, paymentElement, type MerchantPage } from '../pages/merchant.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

async function openMerchantPage(page: MerchantPage, options: VisitOptions = {}) {
  const prepare = (each: Page) => new WidgetPage(each).rememberEvents();
  return new WidgetPage(await merchant.open(page, { prepare, ...options }));
}

describe('the widget as a module', () => {
  test('takes a payment, and sends an event for each status and for the end', async () => {
    const payment = await create(fixture.app, webframe());
    const widget = await openMerchantPage({ body: paymentElement(payment), scripts: ['/widget.mjs'] });
    await expect(widget.element).toContainText('1 500,00 Kz');
    await widget.expectReadableEnlarged();
    await widget.pay('900000000');
    await widget.expectTitle('Confirme o pagamento no seu telemóvel');
    await widget.travelToTitle(fixture.app, 'Pago');
    await widget.expectReadableEnlarged();
    expect(await widget.readEvents()).toEqual([
      'balcao:status Pending',
      'balcao:status Processing',
      'balcao:status Paid',
      'balcao:paid Paid',
    ]);
  });
});

test('the widget keeps the typed number, the focus and its status line while it redraws', async () => {
  const payment = await create(fixture.app, webframe());
  const body = paymentElement(payment, 'lang="pt"');
  const page = await merchant.open({ body }, { prepare: (each) => each.clock.install() });
  const widget = new WidgetPage(page);
  await widget.phone.pressSequentially('9000');
  const news = await widget.element.locator('#news').elementHandle();
  await page.clock.runFor(2_000);
  await expect(widget.phone).toBeFocused();
  await expect(widget.phone).toHaveValue('9000');
  await widget.phone.pressSequentially('00000');
  await widget.payButton.click();
  await widget.expectTitle('Confirme o pagamento no seu telemóvel');
  expect(await news!.evaluate((each) => each.isConnected)).toBe(true);
  await expect(widget.title).toBeFocused();
});

describe('the widget at the end of a payment', () => {
  test('sends "balcao:failed" for a failed payment', async () => {
    const payment = await create(fixture.app, purchase('900000001'));
    const widget = await openMerchantPage({ body: paymentElement(payment) });
    await widget.travelToTitle(fixture.app, 'Pagamento recusado no telemóvel');
    expect((await widget.readEvents()).slice(-2)).toEqual(['balcao:status Failed', 'balcao:failed Failed']);
  });

  test('sends "balcao:expired" for an expired payment', async () => {
    const payment = await create(fixture.app, webframe());
    const widget = await openMerchantPage({ body: paymentElement(payment) });
    await widget.expectTitle('Pague com Multicaixa Express');
    await fixture.app.clock.pass(30 * 60_000);
    await widget.travelToTitle(fixture.app, 'O prazo para pagar terminou');
    expect((await widget.readEvents()).slice(-2)).toEqual(['balcao:status Expired', 'balcao:expired Expired']);
  });

  test('sends only a status event for a refused push, and accepts another phone number', async () => {
    const number = ownNumber();
    const payment = await create(fixture.app, webframe());
    const widget = await openMerchantPage({ body: paymentElement(payment) });
    await widget.pay(number);
    await answerPush(fixture.app, number, 'decline');
    await widget.expectTitle('Pagamento recusado no telemóvel');
    await expect(widget.payButton).toHaveText('Tentar novamente');
    await widget.payButton.click();
    await answerPush(fixture.app, number, 'approve');
    await widget.expectTitle('Pago');
    const ends = (await widget.readEvents()).filter((event) => !event.startsWith('balcao:status'));
    expect(ends).toEqual(['balcao:paid Paid']);
  });
});

describe('window.Balcao', () => {
  test('mounts a payment, reports its changes, and unmounts it', async () => {
    const payment = await create(fixture.app, webframe());
    const widget = await openMerchantPage({ body: '<div id="here"></div>' });
    const { page } = widget;
    await page.evaluate((token) => {
      const seen: string[] = [];
      const onStatus = ({ status }: { status: string }) => void seen.push(status);
      const mounted = window.Balcao!.mount('#here', { token, lang: 'en', theme: 'dark', onStatus });
      Object.assign(window, { seen, mounted });
    }, payment.clientToken);
    await widget.expectTitle('Pay with Multicaixa Express');
    await expect(widget.element.getByRole('heading')).toHaveCSS('color', 'rgb(95, 198, 192)');
    await expect.poll(() => fixture.app.node.app.streams.count()).toBe(1);
    await widget.pay('900000000');
    await widget.expectTitle('Approve the payment on your phone');
    await widget.travelToTitle(fixture.app, 'Paid');
    const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
    expect(seen).toEqual(['Pending', 'Processing', 'Paid']);
    await page.evaluate(() => (window as unknown as { mounted: { unmount(): void } }).mounted.unmount());
    await expect(widget.element).toHaveCount(0);
  });

  test('closes the stream of a removed element', async () => {
    const payment = await create(fixture.app, webframe());
    const widget = await openMerchantPage({ body: paymentElement(payment) });
    const countStreams = () => fixture.app.node.app.streams.count();
    await expect.poll(countStreams).toBe(1);
    await widget.element.evaluate((element) => element.remove());
    await expect.poll(countStreams).toBe(0);
  });

  test('throws for an unknown element', async () => {
    const widget = await openMerchantPage({ body: '' });
    const message = await widget.page.evaluate(() => {
      try {
        window.Balcao!.mount('#nowhere', { token: 'x' });
        return null;
      } catch (error) {
        return String(error);
      }
    });
    expect(message).toBe('TypeError: Balcao.mount: no such element');
  });
});

test('the widget shows another payment if its token changes', async () => {
  const first = await create(fixture.app, webframe({ amount: 100 }));
  const second = await create(fixture.app, webframe({ amount: 200 }));
  const widget = await openMerchantPage({ body: paymentElement(first) });
  await expect(widget.element).toContainText('100,00 Kz');
  await widget.element.evaluate((element, token) => element.setAttribute('token', token), second.clientToken);
  await expect(widget.element).toContainText('200,00 Kz');
  await expect.poll(() => fixture.app.node.app.streams.count()).toBe(1);
});

test('the widget shows an error for an unknown token', async () => {
  const widget = await openMerchantPage(
    { body: '<balcao-payment token="nothing"></balcao-payment>' },
    { expected: /404/ },
  );
  await expect(widget.element).toHaveText('Este pagamento já não está disponível.');
});

test('the widget reads the payment immediately when its page is visible again', async () => {
  const number = ownNumber();
  const payment = await create(fixture.app, webframe());
  const page = await fixture.visit({ origins: [merchant.url], expected: /ERR_FAILED/ });
  await page.route('**/events?*', (route) => route.abort());
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto(merchant.show({ body: paymentElement(payment) }));
  const widget = new WidgetPage(page);
  await widget.pay(number);
  await answerPush(fixture.app, number, 'approve');
  await travelToStatus(fixture.app, payment.id, 'Paid');
  await widget.expectTitle('Confirme o pagamento no seu telemóvel');
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await widget.expectTitle('Pago');
});

test('the style sheets of the merchant’s page do not change the widget', async () => {
  const css = `* { margin: 9px; padding: 9px; font: italic 9px/3 serif; color: red; letter-spacing: 5px; float: right }
    h2, input, button { display: none } div { border: 5px solid red }`;
  const payment = await create(fixture.app, webframe());
  const widget = await openMerchantPage({ body: paymentElement(payment), css });
  const ours = { 'font-size': '20px', 'font-style': 'normal', 'letter-spacing': 'normal', color: 'rgb(11, 93, 91)' };
  for (const [name, value] of Object.entries(ours)) await expect(widget.title).toHaveCSS(name, value);
  const hint = widget.element.getByText('O número que usa no Multicaixa Express.');
  for (const [name, value] of [
    ['font-size', '14px'],
    ['line-height', '20.3px'],
    ['text-transform', 'none'],
  ] as const)
    await expect(hint).toHaveCSS(name, value);
  const label = widget.element.getByText('Número de telemóvel');
  for (const [name, value] of [
    ['font-size', '16px'],
    ['font-style', 'normal'],
    ['color', 'rgb(27, 26, 23)'],
  ] as const)
    await expect(label).toHaveCSS(name, value);
  expect((await widget.payButton.boundingBox())?.height).toBeGreaterThanOrEqual(44);
});
