// Payers whose network or attention goes away while the money moves: the page catches up at once, and never calls it failed.
import type { Page } from 'playwright';
import { expect, PATIENCE_MS } from '../../support/expect.ts';
import { afterAll, describe, test } from 'vitest';
import { startTestApp } from '../../support/app.ts';
import { create, readBooks, untilStatus, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const AWAY = /ERR_|Failed to load resource/;

/** A payer who has asked for the push and waits for it. */
async function startWaiting(options: VisitOptions = {}, prepare: (page: Page) => Promise<unknown> = async () => {}) {
  const number = ownNumber();
  const payment = await create(fixture.app, webframe());
  const page = await fixture.visit(options);
  const checkout = new CheckoutPage(page);
  await checkout.rememberTitles();
  await prepare(page);
  await checkout.open(payment);
  await checkout.pay(number);
  await checkout.expectWaiting();
  const approve = async () => {
    await answerPush(fixture.app, number, 'approve');
    await untilStatus(fixture.app, payment.id, 'Paid');
  };
  return { page, checkout, payment, number, approve };
}

const blockStream = (page: Page) => page.route('**/events?*', (route) => route.abort());

/** Timers of the page stand still from here on: what it does now, it does because something happened. */
async function stopTimers(page: Page) {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

const JOURNEY = ['Pague com Multicaixa Express', 'Confirme o pagamento no seu telemóvel', 'Pago'];

describe('a page that missed the approval reads again at once', () => {
  test.each([
    [
      'shown again',
      () => {
        const setVisibility = (state: string) => {
          Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        };
        setVisibility('hidden');
        setVisibility('visible');
      },
    ],
    [
      'brought back from the cache',
      () => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
    ],
    ['online again', () => window.dispatchEvent(new Event('online'))],
  ])('when it is %s', async (_when, wake) => {
    const { page, checkout, approve } = await startWaiting({ expected: AWAY }, async (each) => {
      await blockStream(each);
      await stopTimers(each);
    });
    await approve();
    await checkout.expectWaiting();
    const read = page.waitForRequest('**/session?*');
    await page.evaluate(wake);
    await read;
    await checkout.expectTitle('Pago');
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });
});

test('a page that was offline while the approval landed says so, and shows it once it is online', async () => {
  const { page, checkout, approve } = await startWaiting({ expected: AWAY });
  await page.context().setOffline(true);
  // The browser answers before the network's own process has gone offline.
  await page.waitForFunction(() =>
    fetch('/healthz').then(
      () => false,
      () => true,
    ),
  );
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await expect(checkout.offlineNote).toBeVisible();
  await approve();
  await checkout.expectWaiting();
  await page.context().setOffline(false);
  await checkout.expectTitle('Pago');
  await expect(checkout.offlineNote).toBeHidden();
  expect(await checkout.readTitles()).toEqual(JOURNEY);
});

test('where the stream is blocked, polling shows the approval', async () => {
  const { page, checkout, approve } = await startWaiting({ expected: AWAY }, async (each) => {
    await blockStream(each);
    await stopTimers(each);
  });
  await approve();
  await checkout.expectWaiting();
  await page.clock.runFor(10_000);
  await checkout.expectTitle('Pago');
  expect(await checkout.readTitles()).toEqual(JOURNEY);
});

test('where reads answer 503 the page keeps waiting, and goes on when they answer again', async () => {
  const { page, checkout, approve } = await startWaiting({ expected: AWAY }, async (each) => {
    await blockStream(each);
    await stopTimers(each);
  });
  await page.route('**/session?*', (route) => route.fulfill({ status: 503, json: { code: 'service_unavailable' } }));
  await approve();
  for (let round = 0; round < 3; round++) {
    const read = page.waitForResponse('**/session?*');
    await page.clock.runFor(10_000);
    await read;
  }
  await checkout.expectWaiting();
  await page.unroute('**/session?*');
  // The page sets its next timer after it has read the last 503, which may be later than one step of the clock.
  await expect(async () => {
    await page.clock.runFor(15_000);
    await checkout.expectTitle('Pago', 1_000);
  }).toPass({ timeout: PATIENCE_MS });
  expect(await checkout.readTitles()).toEqual(JOURNEY);
});

describe('a request to pay that breaks on its way', () => {
  test('is looked into, and paid once when it had arrived', async () => {
    const { checkout, payment, page, number } = await openUnpaid();
    await page.route('**/pay?*', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await checkout.pay(number);
    await checkout.expectWaiting();
    await answerPush(fixture.app, number, 'approve');
    await checkout.expectTitle('Pago');
    await expect.poll(() => readBooks(fixture.app, payment.reference)).toHaveLength(1);
    expect((await checkout.readTitles()).filter((title) => title !== 'A verificar o seu pedido')).toEqual(JOURNEY);
  });

  test('is looked into, and can be repeated when it had not arrived', async () => {
    const { checkout, payment, page, number } = await openUnpaid();
    await page.route('**/pay?*', (route) => route.abort());
    await checkout.pay(number);
    await expect(checkout.main).toContainText('Parece que o pedido não chegou. Pode tentar novamente.');
    await expect(checkout.phone).toBeFocused();
    await page.unroute('**/pay?*');
    await checkout.payButton.click();
    await checkout.expectWaiting();
    await expect.poll(() => readBooks(fixture.app, payment.reference)).toHaveLength(1);
  });

  async function openUnpaid() {
    const payment = await create(fixture.app, webframe());
    const page = await fixture.visit({ expected: AWAY });
    const checkout = new CheckoutPage(page);
    await checkout.rememberTitles();
    await checkout.open(payment);
    return { payment, page, checkout, number: ownNumber() };
  }
});

describe('a node that goes away', () => {
  const first: { stop(): Promise<void> }[] = [];
  afterAll(() => Promise.all(first.map((app) => app.stop())));

  test('and comes back on its port finds the payer still waiting, and the payment ends as paid', async () => {
    const { checkout, approve } = await startWaiting({ expected: AWAY });
    const { node, databaseUrl, clock } = fixture.app;
    const port = new URL(node.url).port;
    await node.stop();
    first.push(fixture.app);
    await checkout.expectWaiting();
    fixture.replaceApp(await startTestApp({ databaseUrl, clock, env: { PORT: port } }));
    await approve();
    await checkout.expectTitle('Pago', 20_000);
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });
});
