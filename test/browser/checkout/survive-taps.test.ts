// Reloads at every moment and impatient thumbs: what is shown is what is true, and one push goes out.
import type { Page, Route } from 'playwright';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { create, readBooks, untilStatus, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const AWAY = /ERR_|Failed to load resource/;

async function openUnpaid(options: VisitOptions = {}) {
  const payment = await create(fixture.app, webframe());
  const page = await fixture.visit(options);
  const checkout = new CheckoutPage(page);
  await checkout.open(payment);
  const number = ownNumber();
  const expectOnePush = async () => {
    await expect.poll(() => readBooks(fixture.app, payment.reference)).toHaveLength(1);
    expect(await fixture.app.sql('select from attempts where payment_id = $1', [payment.id])).toHaveLength(1);
  };
  return { payment, page, checkout, number, expectOnePush };
}

/** Holds the request to pay where `hold` says; answers when it is held. */
async function holdPay(page: Page, hold: (route: Route) => Promise<unknown>): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/pay?*', async (route) => {
    await hold(route);
    resolve();
    // It never ends: the page that asked is gone before it could.
  });
  return () => promise;
}

describe('a reload', () => {
  test('before the request to pay has left shows the form again, which pays', async () => {
    const { page, checkout, number, expectOnePush } = await openUnpaid({ expected: AWAY });
    const isHeld = await holdPay(page, async () => {});
    await checkout.pay(number);
    await isHeld();
    await page.reload();
    await checkout.expectTitle('Pague com Multicaixa Express');
    await page.unroute('**/pay?*');
    await checkout.pay(number);
    await checkout.expectWaiting();
    await expectOnePush();
  });

  test('before its answer has come shows that the phone is being asked', async () => {
    const { page, checkout, number, expectOnePush } = await openUnpaid({ expected: AWAY });
    const isHeld = await holdPay(page, (route) => route.fetch());
    await checkout.pay(number);
    await isHeld();
    await page.reload();
    await checkout.expectWaiting();
    await expectOnePush();
  });

  test('while the phone is asked, when it has approved, and after that shows the truth of each moment', async () => {
    const { payment, page, checkout, number, expectOnePush } = await openUnpaid();
    await checkout.pay(number);
    await checkout.expectWaiting();
    await page.reload();
    await checkout.expectWaiting();
    await answerPush(fixture.app, number, 'approve');
    await page.reload();
    await untilStatus(fixture.app, payment.id, 'Paid');
    await checkout.expectTitle('Pago');
    await page.reload();
    await checkout.expectTitle('Pago');
    await expectOnePush();
  });

  test('after a refusal shows the refusal and the form, with nothing asked by itself', async () => {
    const { payment, page, checkout, number, expectOnePush } = await openUnpaid();
    await checkout.pay(number);
    await answerPush(fixture.app, number, 'decline');
    await untilStatus(fixture.app, payment.id, 'Pending');
    await page.reload();
    await checkout.expectTitle('Pagamento recusado no telemóvel');
    await expect(checkout.again).toBeVisible();
    await expectOnePush();
  });

  test.each([0, 1, 2, 3, 4])('however early while the page is opening (%i), leaves a page that pays', async (turns) => {
    const { payment, page, checkout, number, expectOnePush } = await openUnpaid({ expected: AWAY });
    for (let n = 0; n < turns; n++) {
      await page.reload({ waitUntil: 'commit' });
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await checkout.pay(number);
    await checkout.expectWaiting();
    await answerPush(fixture.app, number, 'approve');
    await untilStatus(fixture.app, payment.id, 'Paid');
    await checkout.expectTitle('Pago');
    await expectOnePush();
  });
});

describe('two taps', () => {
  test('of a thumb are one request', async () => {
    const { page, checkout, number, expectOnePush } = await openUnpaid({ hasTouch: true });
    let requests = 0;
    page.on('request', (request) => (requests += request.method() === 'POST' ? 1 : 0));
    await checkout.phone.fill(number);
    const { x, y, width, height } = (await checkout.payButton.boundingBox())!;
    const [middle, line] = [x + width / 2, y + height / 2];
    await Promise.all([page.touchscreen.tap(middle, line), page.touchscreen.tap(middle, line)]);
    await checkout.expectWaiting();
    expect(requests).toBe(1);
    await expectOnePush();
  });

  test('before the script has come are two forms, and one push', async () => {
    const { payment, page, checkout, number, expectOnePush } = await openUnpaid({ javaScriptEnabled: false });
    await checkout.phone.fill(number);
    await checkout.payButton.dblclick();
    await checkout.expectWaiting();
    await expectOnePush();
    await page.goBack();
    await page.goForward();
    await checkout.open(payment);
    await checkout.expectWaiting();
    await expectOnePush();
  });

  test('on two pages of one payment at the same moment are one push, which both wait for', async () => {
    const { payment, page, checkout, number, expectOnePush } = await openUnpaid();
    const other = new CheckoutPage(await page.context().newPage());
    await other.open(payment);
    // Neither request goes on before both have been made: the page that is faster takes no button from under the other's thumb.
    const both = Promise.withResolvers<void>();
    let asked = 0;
    await page.context().route('**/pay?*', async (route) => {
      if (++asked === 2) both.resolve();
      await both.promise;
      await route.continue();
    });
    for (const each of [checkout, other]) await each.phone.fill(number);
    for (const each of [checkout, other]) await each.payButton.click();
    for (const each of [checkout, other]) await each.expectWaiting();
    await expectOnePush();
  });
});
