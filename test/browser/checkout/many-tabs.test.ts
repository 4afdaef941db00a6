// Eight tabs or widgets over HTTP/1.1, where a browser opens at most six connections to a gateway.
import { test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { hide, startOwnBrowser } from '../../support/own-browser.ts';
import { create, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { visitConsole } from '../pages/console.ts';
import { openMerchant, paymentElement } from '../pages/merchant.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

const MANY = 8;
const countStreams = () => fixture.app.node.app.streams.count();

test('the eighth open tab of the checkout sends its form and shows the receipt', async () => {
  const first = await fixture.visit();
  const tabs = [first];
  while (tabs.length < MANY) tabs.push(await first.context().newPage());
  for (const page of tabs) {
    const tab = new CheckoutPage(page);
    await tab.open(await create(fixture.app, webframe()));
    await expect(tab.payButton).toBeVisible();
  }
  await expect.poll(countStreams).toBe(3);
  const last = new CheckoutPage(tabs.at(-1)!);
  const number = ownNumber();
  await last.pay(number);
  await last.expectWaiting();
  await answerPush(fixture.app, number, 'approve');
  await last.expectTitle('Pago');
});

test('the eighth widget of a page sends its form and shows the receipt', async () => {
  const payments = await Promise.all(Array.from({ length: MANY }, () => create(fixture.app, webframe())));
  const page = await merchant.open({ body: payments.map((payment) => paymentElement(payment)).join('') });
  const last = new WidgetPage(page, page.locator('balcao-payment').last());
  await expect(page.locator('balcao-payment form')).toHaveCount(MANY);
  await expect.poll(countStreams).toBe(3);
  const number = ownNumber();
  await last.pay(number);
  await last.expectTitle('Confirme o pagamento no seu telemóvel');
  await answerPush(fixture.app, number, 'approve');
  await last.expectTitle('Pago');
});

test('the eighth tab of the console opens and creates a charge', async () => {
  const first = await visitConsole(fixture);
  const address = `${fixture.app.node.core.publicUrl}/console/today`;
  await first.goto(address);
  for (let n = 1; n < MANY; n++) await (await first.context().newPage()).goto(address);
  const last = first.context().pages().at(-1)!;
  await last.goto(`${fixture.app.node.core.publicUrl}/console/charge`);
  await last.getByLabel('Montante em kwanzas').fill('300');
  await last.getByLabel('Referência').check();
  await last.getByRole('button', { name: 'Cobrar' }).click();
  await expect(last.locator('.amount')).toHaveText(/^300,00.Kz$/);
});

test('a hidden page closes its event stream, and opens another when it is visible again', async () => {
  const page = await fixture.visit({ within: await startOwnBrowser() });
  const tab = new CheckoutPage(page);
  await tab.open(await create(fixture.app, webframe()));
  await expect.poll(countStreams).toBe(1);
  const show = await hide(page);
  await expect.poll(countStreams).toBe(0);
  await show();
  await expect.poll(countStreams).toBe(1);
  expect(await page.title()).toBe('Pague com Multicaixa Express');
});
