// One payment on several screens and under impatient fingers: every screen tells the same, and one push goes out.
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { create, readBooks, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

async function openTabs(count: number, options: VisitOptions = {}) {
  const payment = await create(fixture.app, webframe());
  const first = await fixture.visit(options);
  const pages = [first];
  while (pages.length < count) pages.push(await first.context().newPage());
  const tabs = pages.map((page) => new CheckoutPage(page));
  for (const tab of tabs) await tab.open(payment);
  const countPushes = async () => (await readBooks(fixture.app, payment.reference)).length;
  return { payment, tabs: tabs as [CheckoutPage, ...CheckoutPage[]], countPushes, number: ownNumber() };
}

/** A tab that does not hear what happens elsewhere. */
async function makeDeaf({ page }: CheckoutPage) {
  await page.route('**/events?*', (route) => route.abort());
  await page.reload();
}

test('two tabs: what one asks for, both wait for, and both turn to paid', async () => {
  const { tabs, number, countPushes } = await openTabs(2);
  await tabs[0].pay(number);
  for (const tab of tabs) await tab.expectWaiting();
  await answerPush(fixture.app, number, 'approve');
  for (const tab of tabs) await tab.expectTitle('Pago');
  expect(await countPushes()).toBe(1);
});

test('a double click on "Pagar" is one request and one push', async () => {
  const { tabs, number, countPushes } = await openTabs(1);
  let requests = 0;
  tabs[0].page.on('request', (request) => (requests += request.method() === 'POST' ? 1 : 0));
  await tabs[0].phone.fill(number);
  await tabs[0].payButton.dblclick();
  await tabs[0].expectWaiting();
  expect(requests).toBe(1);
  await answerPush(fixture.app, number, 'decline');
  await tabs[0].expectTitle('Pagamento recusado no telemóvel');
  expect(await countPushes()).toBe(1);
});

test('Enter held down in the field is one push', async () => {
  const { tabs, number, countPushes } = await openTabs(1);
  await tabs[0].phone.fill(number);
  await tabs[0].page.evaluate(() => {
    const { form } = document.querySelector('input') as HTMLInputElement;
    for (let n = 0; n < 5; n++) form?.requestSubmit();
  });
  await tabs[0].expectWaiting();
  await answerPush(fixture.app, number, 'decline');
  await tabs[0].expectTitle('Pagamento recusado no telemóvel');
  expect(await countPushes()).toBe(1);
});

test('another number, typed in a tab that has not heard yet, is refused without a push and then waits with the rest', async () => {
  const { tabs, number, countPushes } = await openTabs(2, { expected: /events\?|409/ });
  const [first, second] = tabs as [CheckoutPage, CheckoutPage];
  await makeDeaf(second);
  await first.pay(number);
  await first.expectWaiting();
  await second.pay(ownNumber());
  await second.expectWaiting();
  await expect(second.main).toContainText(number.slice(-3));
  expect(await countPushes()).toBe(1);
});

test('a form left open in a tab after the payment was paid in another shows the receipt instead of paying again', async () => {
  const { tabs, number, countPushes } = await openTabs(2, { expected: /events\?|409/ });
  const [first, second] = tabs as [CheckoutPage, CheckoutPage];
  await makeDeaf(second);
  await first.pay(number);
  await answerPush(fixture.app, number, 'approve');
  await first.expectTitle('Pago');
  await second.pay(number);
  await second.expectTitle('Pago');
  expect(await countPushes()).toBe(1);
});

test('the Back button from elsewhere shows the payment as it is now', async () => {
  const { tabs, number } = await openTabs(1);
  const [tab] = tabs;
  await tab.pay(number);
  await tab.expectWaiting();
  await tab.page.goto(`${fixture.app.node.core.publicUrl}/sandbox`);
  await answerPush(fixture.app, number, 'approve');
  await tab.page.goBack();
  await tab.expectTitle('Pago');
});
