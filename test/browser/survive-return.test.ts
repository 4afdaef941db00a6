// Payers who come back: from the banking app, from flight mode, and with a phone that has the wrong day.
import type { Page } from 'playwright';
import { expect } from 'playwright/test';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openFront, type Front } from '../support/front.ts';
import { create, travelToStatus, untilStatus, webframe } from '../support/payments.ts';
import { CheckoutPage } from './pages/checkout.ts';
import { answerPush, ownNumber } from './pages/phone.ts';
import { setStage } from './pages/stage.ts';

const stage = setStage();
let front: Front;
beforeAll(async () => {
  front = await openFront(stage.app.url);
});
afterAll(() => front?.close());

const AWAY = /ERR_|Failed to load resource/;
const JOURNEY = ['Pague com Multicaixa Express', 'Confirme o pagamento no seu telemóvel', 'Pago'];
const DAY_MS = 86_400_000;

async function startWaiting(page: Page, origin = stage.app.node.core.publicUrl) {
  const number = ownNumber();
  const payment = await create(stage.app, webframe());
  const checkout = new CheckoutPage(page);
  await checkout.rememberTitles();
  await checkout.open({ checkoutUrl: payment.checkoutUrl.replace(stage.app.node.core.publicUrl, origin) });
  await checkout.pay(number);
  await checkout.expectWaiting();
  const approve = async () => {
    await answerPush(stage.app, number, 'approve');
    await untilStatus(stage.app, payment.id, 'Paid');
  };
  return { checkout, payment, approve };
}

/**
 * Holds the page's thread, so that neither timers nor news reach it, as in a frozen page. (This browser has no window to hide,
 * and so freezes nothing itself.) The returned function lets it go on.
 */
async function freeze(page: Page): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Debugger.enable');
  const { promise: isHeld, resolve } = Promise.withResolvers<unknown>();
  devtools.once('Debugger.paused', resolve);
  await devtools.send('Debugger.pause');
  await isHeld;
  return () => devtools.detach();
}

describe('a page that was frozen while the money moved reads at once', () => {
  test.each([
    ['when it is thawed', () => document.dispatchEvent(new Event('resume'))],
    ['when it is shown again', () => document.dispatchEvent(new Event('visibilitychange'))],
    [
      'when it is brought back from the cache',
      () => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
    ],
  ])('%s, over a new socket: its stream died without a word', async (_when, wake) => {
    const page = await stage.visit({ expected: AWAY, origins: [front.url] });
    const { checkout, approve } = await startWaiting(page, front.url);
    const thaw = await freeze(page);
    front.deafen();
    await approve();
    await thaw();
    await checkout.expectWaiting();
    const read = page.waitForRequest('**/session?*');
    await page.evaluate(wake);
    await read;
    await checkout.expectTitle('Pago');
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });

  test('and goes on with its stream where that has survived', async () => {
    const page = await stage.visit();
    const { checkout, approve } = await startWaiting(page);
    const thaw = await freeze(page);
    await approve();
    await thaw();
    await checkout.expectTitle('Pago');
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });
});

describe('a phone in flight mode', () => {
  async function fly() {
    const page = await stage.visit({ expected: AWAY, origins: [front.url] });
    const waiting = await startWaiting(page, front.url);
    await page.context().setOffline(true);
    front.cut();
    await waiting.approve();
    await waiting.checkout.expectWaiting();
    return { page, ...waiting };
  }

  test('reads as soon as it has left it', async () => {
    const { page, checkout } = await fly();
    const read = page.waitForRequest('**/session?*');
    await page.context().setOffline(false);
    await read;
    await checkout.expectTitle('Pago');
    await expect(checkout.offlineNote).toBeHidden();
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });

  test('that has several reasons to wake at one moment shows one screen, told once', async () => {
    const { page, checkout } = await fly();
    await page.context().setOffline(false);
    await page.evaluate(() => {
      document.dispatchEvent(new Event('resume'));
      document.dispatchEvent(new Event('visibilitychange'));
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    });
    await checkout.expectTitle('Pago');
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });
});

describe.each([
  ['behind', -DAY_MS],
  ['ahead', DAY_MS],
])('a phone whose date is a day %s', (_where, skewMs) => {
  const visitSkewed = async () => {
    const page = await stage.visit();
    await page.addInitScript((ms) => {
      const Real = Date;
      const now = () => Real.now() + ms;
      // Everything that asks this phone for the time is told the wrong one.
      globalThis.Date = new Proxy(Real, {
        construct: (target, given) => Reflect.construct(target, given.length > 0 ? given : [now()]),
        get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
      });
    }, skewMs);
    return page;
  };

  test('counts the payer’s time by the server’s clock, and ends as paid', async () => {
    const page = await visitSkewed();
    const { checkout, approve } = await startWaiting(page);
    expect(await page.evaluate(() => Date.now() - performance.timeOrigin)).not.toBeCloseTo(0, -8);
    await expect(page.getByRole('timer')).toHaveText(/^1:(30|2\d)$/);
    await approve();
    await checkout.expectTitle('Pago');
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });

  test('shows an unpaid payment as payable until the server says otherwise', async () => {
    const payment = await create(stage.app, webframe({ metadata: { expiresInMinutes: 5 } }));
    const checkout = new CheckoutPage(await visitSkewed());
    await checkout.rememberTitles();
    const stream = checkout.page.waitForResponse('**/events?*');
    await checkout.open(payment);
    await stream;
    await checkout.expectTitle('Pague com Multicaixa Express');
    await stage.app.clock.advance(5 * 60_000);
    await travelToStatus(stage.app, payment.id, 'Expired');
    await expect(checkout.heading).not.toHaveText('Pague com Multicaixa Express');
    expect(await checkout.readTitles()).toHaveLength(2);
  });
});
