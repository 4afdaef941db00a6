// A payer returns to the page from the banking app or from flight mode, or has a phone with a wrong date.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openTcpProxy, type TcpProxy } from '../../support/proxy.ts';
import { freeze, hide, startOwnBrowser } from '../../support/own-browser.ts';
import { JOURNEY, OFFLINE, openWaitingCheckout } from '../pages/checkout.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { DAY_MS } from '../../../shared/durations.ts';

const fixture = openBrowserFixture();
let proxy: TcpProxy;
beforeAll(async () => {
  proxy = await openTcpProxy(fixture.app.url);
});
afterAll(() => proxy?.close());

/** Opens a page in a browser that hides, freezes and caches pages like a payer's browser. */
async function visitOwn(options: VisitOptions = {}): Promise<Page> {
  return fixture.visit({ within: await startOwnBrowser(), ...options });
}

describe('a page that was hidden during the approval', () => {
  test.each([
    ['when it is visible again', hide],
    [
      'when it resumes, still hidden',
      async (page: Page) => {
        await hide(page);
        return freeze(page);
      },
    ],
  ])('immediately reads the payment over a new socket %s', async (_when, leave) => {
    const page = await visitOwn({ expected: OFFLINE, origins: [proxy.url] });
    const { checkout, approve } = await openWaitingCheckout(fixture, { page, origin: proxy.url, lang: 'pt' });
    const comeBack = await leave(page);
    proxy.silence();
    await approve();
    const read = page.waitForRequest('**/session?*');
    await comeBack();
    await read;
    await checkout.expectTitle('Pago');
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });

  test('keeps its event stream while it is frozen, and reads the stream when it resumes', async () => {
    const page = await visitOwn();
    const { checkout, approve } = await openWaitingCheckout(fixture, { page, lang: 'pt' });
    const show = await hide(page);
    const thaw = await freeze(page);
    await approve();
    expect(await checkout.readTitles()).toEqual(JOURNEY.slice(0, 2));
    await thaw();
    await checkout.expectTitle('Pago');
    await show();
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });
});

describe('a checkout page that the payer left for another page', () => {
  /** The browser's own reasons not to cache a page, because headless Chrome has no back/forward cache. */
  const BROWSERS_OWN = new Set(['BackForwardCacheDisabledForDelegate', 'BrowsingInstanceNotSwapped']);

  test('shows the receipt when the payer goes back, and does not prevent the back/forward cache', async () => {
    const page = await visitOwn();
    const { checkout, approve } = await openWaitingCheckout(fixture, { page, lang: 'pt' });
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
    // The browser does not load a cached page again.
    await page.goBack({ waitUntil: 'commit' });
    const { pathname } = new URL((await read).url());
    await checkout.expectTitle('Pago');
    const isKept = await page.evaluate(() => 'isKept' in window);
    // A cached page reads its session only, and continues from its last screen.
    expect([pathname.endsWith('/session'), await checkout.readTitles()]).toEqual([
      isKept,
      JOURNEY.slice(isKept ? 0 : -1),
    ]);
    await expect.poll(() => reasons.length > 0).toBe(!isKept);
    expect(reasons.filter((reason) => !BROWSERS_OWN.has(reason))).toEqual([]);
  });

  // The browser may not cache pages (above), so the test dispatches the events.
  test('closes its stream while it is in the back/forward cache, and reads the payment when it returns', async () => {
    const page = await fixture.visit();
    const stream = page.waitForResponse('**/events?*');
    const { checkout, approve } = await openWaitingCheckout(fixture, { page, lang: 'pt' });
    await stream;
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

describe('a checkout page without a network', () => {
  test('shows that the network is missing, and shows the receipt once when several events wake it', async () => {
    const page = await fixture.visit({ expected: OFFLINE, origins: [proxy.url] });
    const { checkout, approve } = await openWaitingCheckout(fixture, { page, origin: proxy.url, lang: 'pt' });
    await page.context().setOffline(true);
    proxy.cut();
    // Playwright returns before the network process is offline.
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
    const read = page.waitForRequest('**/session?*');
    await page.context().setOffline(false);
    await page.evaluate(() => {
      document.dispatchEvent(new Event('resume'));
      document.dispatchEvent(new Event('visibilitychange'));
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    });
    await read;
    await checkout.expectTitle('Pago');
    await expect(checkout.offlineNote).toBeHidden();
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });
});

describe.each([
  ['behind', -DAY_MS],
  ['ahead', DAY_MS],
])('a checkout page on a phone whose date is a day %s', (_where, skewMs) => {
  const visitSkewed = async () => {
    const page = await fixture.visit();
    await page.addInitScript((ms) => {
      const Real = Date;
      const now = () => Real.now() + ms;
      globalThis.Date = new Proxy(Real, {
        construct: (target, given) => Reflect.construct(target, given.length > 0 ? given : [now()]),
        get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
      });
    }, skewMs);
    return page;
  };

  test('counts down by the clock of the server', async () => {
    const page = await visitSkewed();
    const { checkout, approve } = await openWaitingCheckout(fixture, { page, lang: 'pt' });
    expect(await page.evaluate(() => Date.now() - performance.timeOrigin)).not.toBeCloseTo(0, -8);
    await expect(page.getByRole('timer')).toHaveText(/^(1:[0-3]|0:[1-5])\d$/);
    await approve();
    await checkout.expectTitle('Pago');
    // The first title proves that the page did not take the payment for expired.
    expect(await checkout.readTitles()).toEqual(JOURNEY);
  });
});
