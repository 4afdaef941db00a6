// A payer's line while the money moves: proxies that hold streams back, nodes that change, sockets that are dead and do not say so.
import type { Page } from 'playwright';
import { afterEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { create, creepUntil, untilStatus, webframe } from '../../support/payments.ts';
import { startProxy, type Seen } from '../../support/proxy.ts';
import { CheckoutPage } from '../pages/checkout.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const AWAY = /ERR_|Failed to load resource/;
const JOURNEY = ['Pague com Multicaixa Express', 'Confirme o pagamento no seu telemóvel', 'Pago'];

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A payer who waits, behind what stands at `origin`. */
async function startWaiting(origin: string, prepare: (page: Page) => Promise<unknown> = async () => {}) {
  const number = ownNumber();
  const payment = await create(fixture.app, webframe());
  const page = await fixture.visit({ expected: AWAY, origins: [origin] });
  const checkout = new CheckoutPage(page);
  await checkout.rememberTitles();
  await prepare(page);
  await checkout.open({ checkoutUrl: payment.checkoutUrl.replace(fixture.app.node.core.publicUrl, origin) });
  await checkout.pay(number);
  await checkout.expectWaiting();
  const approve = async (app: TestApp = fixture.app) => {
    await answerPush(app, number, 'approve');
    await untilStatus(app, payment.id, 'Paid');
  };
  return { page, checkout, payment, number, approve };
}

async function openLine(): Promise<TcpProxy> {
  const proxy = await openTcpProxy(fixture.app.url);
  ends.push(proxy.close);
  return proxy;
}

/** Another node on the same database, which outlives the test's node. */
async function startTwin(): Promise<TestApp> {
  const { databaseUrl, clock, node } = fixture.app;
  const twin = await startTestApp({ databaseUrl, clock, env: { PUBLIC_URL: node.core.publicUrl } });
  ends.push(twin.stop);
  return twin;
}

/** Sockets that the browser will use for what it asks next. */
async function keepSockets(page: Page) {
  await page.evaluate(async () => {
    const ask = async () => (await fetch('/healthz')).text();
    await Promise.all([ask(), ask()]);
  });
}

const comeBack = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

/** Timers of the page stand still from here on. */
async function stopTimers(page: Page) {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

test('behind a proxy that passes on whole answers only, reads show what its stream holds back', async () => {
  const { page, checkout, payment, number, seen } = await waitBehindProxy();
  await answerPush(fixture.app, number, 'decline');
  await untilStatus(fixture.app, payment.id, 'Pending');
  await expect.poll(() => countStreams(seen)).toBe(1);
  await checkout.expectWaiting();
  await page.clock.runFor(10_000);
  await checkout.expectTitle('Pagamento recusado no telemóvel');
});

test('and the end of a payment ends its stream, so that even there nobody waits for a read', async () => {
  const { checkout, approve } = await waitBehindProxy();
  await approve();
  await checkout.expectTitle('Pago');
  expect(await checkout.readTitles()).toEqual(JOURNEY);
});

async function waitBehindProxy() {
  const proxy = await startProxy(() => fixture.app.url);
  ends.push(proxy.stop);
  return { ...(await startWaiting(proxy.url, stopTimers)), seen: proxy.seen };
}

const countStreams = (seen: Seen[]) => seen.filter(({ path }) => path.includes('/events?')).length;

test('a line that breaks and is led to another node shows what that node learns', async () => {
  const proxy = await openLine();
  const { checkout, approve } = await startWaiting(proxy.url);
  const twin = await startTwin();
  proxy.routeTo(twin.url);
  proxy.cut();
  await approve(twin);
  await checkout.expectTitle('Pago', 20_000);
  expect(await checkout.readTitles()).toEqual(JOURNEY);
});

test('a payer whose new node did not settle the payment itself is shown it all the same', async () => {
  const proxy = await openLine();
  const { checkout, page, approve } = await startWaiting(proxy.url);
  const twin = await startTwin();
  const stream = page.waitForResponse('**/events?*', { timeout: 20_000 });
  proxy.routeTo(twin.url);
  proxy.cut();
  await stream;
  await approve();
  const isPaid = async () => (await checkout.heading.textContent()) === 'Pago';
  await creepUntil(fixture.app, isPaid, 'the news reaching the other node');
  expect(await checkout.readTitles()).toEqual(JOURNEY);
});

test('a stream whose socket died without a word is left as soon as its payer comes back', async () => {
  const proxy = await openLine();
  const { page, checkout, approve } = await startWaiting(proxy.url, stopTimers);
  await keepSockets(page);
  proxy.silence();
  await approve();
  await checkout.expectWaiting();
  await comeBack(page);
  // A read may be sent over a dead socket too: another one does not wait for its end.
  await page.clock.runFor(4_000);
  await checkout.expectTitle('Pago');
  expect(await checkout.readTitles()).toEqual(JOURNEY);
});

test('a request to pay over a dead socket ends, and the same number asked again is one push', async () => {
  const proxy = await openLine();
  const number = ownNumber();
  const payment = await create(fixture.app, webframe());
  const page = await fixture.visit({ expected: AWAY, origins: [proxy.url] });
  const checkout = new CheckoutPage(page);
  await checkout.rememberTitles();
  await stopTimers(page);
  // With its stream open the page's script is in charge: before, the browser itself would send the form.
  const stream = page.waitForResponse('**/events?*', { timeout: 20_000 });
  await checkout.open({ checkoutUrl: payment.checkoutUrl.replace(fixture.app.node.core.publicUrl, proxy.url) });
  await checkout.expectTitle('Pague com Multicaixa Express');
  await stream;
  await keepSockets(page);
  proxy.silence();
  await checkout.pay(number);
  await page.clock.runFor(15_000);
  // Not for long, where the read finds a socket that is alive.
  await expect.poll(() => checkout.readTitles()).toContain('A verificar o seu pedido');
  for (let second = 0; second < 20 && !(await checkout.phone.isVisible()); second += 4) await page.clock.runFor(4_000);
  await checkout.pay(number);
  await checkout.expectWaiting();
  await untilStatus(fixture.app, payment.id, 'Processing');
  expect((await fixture.app.sql('select from attempts where payment_id = $1', [payment.id])).length).toBe(1);
});
