// Payers who come back: from the banking app, from flight mode, and with a phone that has the wrong day.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { freeze, hide, startOwnBrowser } from '../../support/own-browser.ts';
import { create, travelToStatus, untilStatus, webframe } from '../../support/payments.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
let proxy: TcpProxy;
beforeAll(async () => {
  proxy = await openTcpProxy(fixture.app.url);
});
afterAll(() => proxy?.close());

const AWAY = /ERR_|Failed to load resource/;
const JOURNEY = ['Pague com Multicaixa Express', 'Confirme o pagamento no seu telemóvel', 'Pago'];
const DAY_MS = 86_400_000;

async function startWaiting(page: Page, origin = fixture.app.node.core.publicUrl) {
  const number = ownNumber();
  const payment = await create(fixture.app, webframe());
  const checkout = new CheckoutPage(page);
  await checkout.rememberTitles();
  const checkoutUrl = payment.checkoutUrl.replace(fixture.app.node.core.publicUrl, origin);
  await checkout.open({ checkoutUrl }, 'pt');
  await checkout.pay(number);
  await checkout.expectWaiting();
  const approve = async () => {
    await answerPush(fixture.app, number, 'approve');
    await untilStatus(fixture.app, payment.id, 'Paid');
  };
  return { checkout, payment, approve };
}

/** A page in a browser that lets pages be hidden, frozen and kept, as a payer's does. */
async function visitOwn(options: VisitOptions = {}): Promise<Page> {
  return fixture.visit({ within: await startOwnBrowser(), ...options });
}

describe('a page that was out of sight while the money moved reads at once', () => {
  test.each([
    ['when it is shown again', hide],
    [
      'when it is thawed, still unseen',
      async (page: Page) => {
        await hide(page);
        return freeze(page);
      },
    ],
  ])('%s, over a new socket: its stream died without a word', async (_when, leave) => {
    const page = await visitOwn({ expected: AWAY, origins: [proxy.url] });
    const { checkout, approve } = await startWaiting(page, proxy.url);
    const comeBack = await leave(page);
    proxy.silence();
    await approve();
    const read = page.waitForRequest('**/session?*');
    await comeBack();
    await read;
    await checkout.expectTitle('Pago');
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });

  test('and hears nothing while it is frozen, but goes on with its stream where that has survived', async () => {
    const page = await visitOwn();
    const { checkout, approve } = await startWaiting(page);
    const show = await hide(page);
    const thaw = await freeze(page);
    await approve();
    expect(await checkout.readTitles()).toEqual(JOURNEY.slice(0, 2));
    await thaw();
    await checkout.expectTitle('Pago');
    await show();
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });

  test('in a tab that was frozen while another tab paid', async () => {
    const page = await visitOwn();
    const payment = await create(fixture.app, webframe());
    const left = new CheckoutPage(page);
    await left.rememberTitles();
    await left.open(payment, 'pt');
    const show = await hide(page);
    const thaw = await freeze(page);
    const other = new CheckoutPage(await page.context().newPage());
    const number = ownNumber();
    await other.open(payment, 'pt');
    await other.pay(number);
    await other.expectWaiting();
    await answerPush(fixture.app, number, 'approve');
    await other.expectTitle('Pago');
    expect(await left.readTitles()).toEqual(JOURNEY.slice(0, 1));
    await thaw();
    await show();
    await left.expectTitle('Pago');
    expect((await left.readTitles()).at(-1)).toBe('Pago');
  });
});

describe('a page that was left for another', () => {
  /** Why a browser may keep no page at all: headless Chrome without windows has no back/forward cache, whatever it is told. */
  const BROWSERS_OWN = new Set(['BackForwardCacheDisabledForDelegate', 'BrowsingInstanceNotSwapped']);

  test('and paid meanwhile tells the truth on the way back; nothing of its own keeps it from being kept', async () => {
    const page = await visitOwn();
    const { checkout, approve } = await startWaiting(page);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Page.enable');
    const reasons: string[] = [];
    devtools.on('Page.backForwardCacheNotUsed', ({ notRestoredExplanations }) =>
      reasons.push(...notRestoredExplanations.map(({ reason }) => reason)),
    );
    await page.evaluate(() => Object.assign(window, { isKept: true }));
    await page.goto(`${fixture.app.node.core.publicUrl}/sandbox`);
    await approve();
    const read = page.waitForRequest(/\/checkout\/[^/]+(\/session)?\?/);
    // A page that was kept is not loaded again.
    await page.goBack({ waitUntil: 'commit' });
    const { pathname } = new URL((await read).url());
    await checkout.expectTitle('Pago');
    const isKept = await page.evaluate(() => 'isKept' in window);
    // Its session alone is read then, and it goes on from the screen that was left.
    expect([pathname.endsWith('/session'), await checkout.readTitles()]).toEqual([
      isKept,
      JOURNEY.slice(isKept ? 0 : -1),
    ]);
    await expect.poll(() => reasons.length > 0).toBe(!isKept);
    expect(reasons.filter((reason) => !BROWSERS_OWN.has(reason))).toEqual([]);
  });

  // Not every browser brings a page back from its cache (above): the events are made.
  test('holds no stream while it is in the cache, and reads at once when it is brought back', async () => {
    const page = await fixture.visit();
    const { checkout, approve } = await startWaiting(page);
    const streamEnds = page.waitForEvent('requestfailed', (request) => request.url().includes('/events?'));
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
    await streamEnds;
    await approve();
    await checkout.expectWaiting();
    const read = page.waitForRequest('**/session?*');
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await read;
    await checkout.expectTitle('Pago');
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });
});

describe('a phone in flight mode', () => {
  async function fly() {
    const page = await fixture.visit({ expected: AWAY, origins: [proxy.url] });
    const waiting = await startWaiting(page, proxy.url);
    await page.context().setOffline(true);
    proxy.cut();
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
    const page = await fixture.visit();
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
    const payment = await create(fixture.app, webframe({ metadata: { expiresInMinutes: 5 } }));
    const checkout = new CheckoutPage(await visitSkewed());
    await checkout.rememberTitles();
    const stream = checkout.page.waitForResponse('**/events?*');
    await checkout.open(payment);
    await stream;
    await checkout.expectTitle('Pague com Multicaixa Express');
    await fixture.app.clock.pass(5 * 60_000);
    await travelToStatus(fixture.app, payment.id, 'Expired');
    await expect(checkout.heading).not.toHaveText('Pague com Multicaixa Express');
    expect(await checkout.readTitles()).toHaveLength(2);
  });
});
