// After reloads, repeated taps or in several tabs the page sends one push, and every tab shows the payment's status.
import type { Page, Route } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { readBooks, untilStatus } from '../../support/payments.ts';
import { CheckoutPage, OFFLINE, openCheckout, stopTimers } from '../pages/checkout.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

async function openUnpaid(options: Parameters<typeof openCheckout>[1] = {}) {
  const opened = await openCheckout(fixture, options);
  const expectPushes = async (count: number) => {
    const { id, reference } = opened.payment;
    await expect.poll(() => readBooks(fixture.app, reference)).toHaveLength(count);
    expect(await fixture.app.sql('select from attempts where payment_id = $1', [id])).toHaveLength(count);
  };
  return { ...opened, expectPushes };
}

/** Holds the push request of the page. The returned function waits until the request is held. */
async function holdPay(page: Page, hold: (route: Route) => Promise<unknown>): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/pay?*', async (route) => {
    await hold(route);
    resolve();
    // The request never ends: a reload closes its page first.
  });
  return () => promise;
}

describe('a reload', () => {
  test('shows the form again if the push request was not sent', async () => {
    const { page, checkout, number, expectPushes } = await openUnpaid({ expected: OFFLINE });
    const isHeld = await holdPay(page, async () => {});
    await checkout.pay(number);
    await isHeld();
    await page.reload();
    await checkout.expectTitle('Pague com Multicaixa Express');
    await page.unroute('**/pay?*');
    await checkout.pay(number);
    await checkout.expectWaiting();
    await expectPushes(1);
  });

  test('shows the push if the response to the push request was lost', async () => {
    const { page, checkout, number, expectPushes } = await openUnpaid({ expected: OFFLINE });
    const isHeld = await holdPay(page, (route) => route.fetch());
    await checkout.pay(number);
    await isHeld();
    await page.reload();
    await checkout.expectWaiting();
    await expectPushes(1);
  });

  test('shows the current status: waiting, refused, and paid', async () => {
    const { payment, page, checkout, number, expectPushes } = await openUnpaid();
    await checkout.pay(number);
    await checkout.expectWaiting();
    await page.reload();
    await checkout.expectWaiting();
    await answerPush(fixture.app, number, 'decline');
    await untilStatus(fixture.app, payment.id, 'Pending');
    await page.reload();
    await checkout.expectTitle('Pagamento recusado no telemóvel');
    await expectPushes(1);
    await checkout.pay(number);
    await checkout.expectWaiting();
    await answerPush(fixture.app, number, 'approve');
    await page.reload();
    await untilStatus(fixture.app, payment.id, 'Paid');
    await checkout.expectTitle('Pago');
    await page.reload();
    await checkout.expectTitle('Pago');
    await expectPushes(2);
  });

  test.each([1, 4])('during the load leaves a page that can be paid (%i reloads)', async (turns) => {
    const { payment, page, checkout, number, expectPushes } = await openUnpaid({ expected: OFFLINE });
    for (let n = 0; n < turns; n++) {
      await page.reload({ waitUntil: 'commit' });
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await checkout.pay(number);
    await checkout.expectWaiting();
    await answerPush(fixture.app, number, 'approve');
    await untilStatus(fixture.app, payment.id, 'Paid');
    await checkout.expectTitle('Pago');
    await expectPushes(1);
  });
});

describe('a double tap', () => {
  test('on a touch screen sends one request', async () => {
    const { page, checkout, number, expectPushes } = await openUnpaid({ hasTouch: true });
    let requests = 0;
    page.on('request', (request) => (requests += request.method() === 'POST' ? 1 : 0));
    await checkout.phone.fill(number);
    const { x, y, width, height } = (await checkout.payButton.boundingBox())!;
    const [middle, line] = [x + width / 2, y + height / 2];
    await Promise.all([page.touchscreen.tap(middle, line), page.touchscreen.tap(middle, line)]);
    await checkout.expectWaiting();
    expect(requests).toBe(1);
    await expectPushes(1);
  });

  test('without JavaScript sends two forms and one push', async () => {
    const { payment, page, checkout, number, expectPushes } = await openUnpaid({ javaScriptEnabled: false });
    await checkout.phone.fill(number);
    await checkout.payButton.dblclick();
    await checkout.expectWaiting();
    await expectPushes(1);
    await page.goBack();
    await page.goForward();
    await checkout.open(payment);
    await checkout.expectWaiting();
    await expectPushes(1);
  });
});

describe('a lost push request', () => {
  test('can be repeated if it did not arrive, and is not repeated if it did', async () => {
    const { page, checkout, number, expectPushes } = await openUnpaid({ expected: OFFLINE });
    await page.route('**/pay?*', (route) => route.abort());
    await checkout.pay(number);
    await expect(checkout.main).toContainText('Parece que o pedido não chegou. Pode tentar novamente.');
    await expect(checkout.phone).toBeFocused();
    await page.unroute('**/pay?*');
    await page.route('**/pay?*', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await checkout.payButton.click();
    await checkout.expectWaiting();
    await answerPush(fixture.app, number, 'approve');
    await checkout.expectTitle('Pago');
    await expectPushes(1);
  });
});

describe('two tabs of a payment', () => {
  test('both wait for the push of one of them, and both show the receipt', async () => {
    const { payment, page, checkout, number, expectPushes } = await openUnpaid();
    const other = new CheckoutPage(await page.context().newPage());
    await other.open(payment);
    await checkout.pay(number);
    for (const each of [checkout, other]) await each.expectWaiting();
    await answerPush(fixture.app, number, 'approve');
    for (const each of [checkout, other]) await each.expectTitle('Pago');
    await expectPushes(1);
  });

  test('send one push: the tab with an outdated form shows the push and later the receipt', async () => {
    // A tab without a stream polls after six seconds, and would not be outdated any more.
    const { payment, page, checkout, number, expectPushes } = await openUnpaid({
      expected: /events\?|409/,
      prepare: stopTimers,
    });
    const openOutdated = async () => {
      const tab = new CheckoutPage(await page.context().newPage());
      await tab.page.route('**/events?*', (route) => route.abort());
      await tab.open(payment);
      return tab;
    };
    const [second, third] = [await openOutdated(), await openOutdated()];
    await checkout.pay(number);
    await checkout.expectWaiting();
    await second.pay(ownNumber());
    await second.expectWaiting();
    await expect(second.main).toContainText(number.slice(-3));
    await answerPush(fixture.app, number, 'approve');
    await checkout.expectTitle('Pago');
    await third.pay(number);
    await third.expectTitle('Pago');
    await expectPushes(1);
  });
});
