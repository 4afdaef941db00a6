// The connection breaks while a payer waits: a buffering proxy, another node, a silent socket, a restart.
import type { Page } from 'playwright';
import { afterEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { creepUntil, untilStatus } from '../../support/payments.ts';
import { openTcpProxy, startProxy, type TcpProxy } from '../../support/proxy.ts';
import { JOURNEY, OFFLINE, openCheckout, openWaitingCheckout, stopTimers } from '../pages/checkout.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const waitBehind = ({ url }: { url: string }, prepare?: (page: Page) => Promise<unknown>) =>
  openWaitingCheckout(fixture, { origin: url, ...(prepare && { prepare }) });

async function openLine(): Promise<TcpProxy> {
  const proxy = await openTcpProxy(fixture.app.url);
  ends.push(proxy.close);
  return proxy;
}

/** Starts another node on the same database. */
async function startTwin(): Promise<TestApp> {
  const { databaseUrl, clock, node } = fixture.app;
  const twin = await startTestApp({ databaseUrl, clock, env: { PUBLIC_URL: node.core.publicUrl } });
  ends.push(twin.stop);
  return twin;
}

/** Makes the browser open sockets that it reuses for its next requests. */
async function keepSockets(page: Page) {
  await page.evaluate(async () => {
    const ask = async () => (await fetch('/healthz')).text();
    await Promise.all([ask(), ask()]);
  });
}

const comeBack = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

test('a page behind a buffering proxy shows a refusal by a read, and the receipt when its stream ends', async () => {
  const proxy = await startProxy(() => fixture.app.url);
  ends.push(proxy.stop);
  const { page, checkout, approve, decline } = await waitBehind(proxy, stopTimers);
  const countStreams = () => proxy.seen.filter(({ path }) => path.includes('/events?')).length;
  await decline();
  await expect.poll(countStreams).toBe(1);
  await checkout.expectWaiting();
  await page.clock.runFor(10_000);
  await checkout.expectTitle('Pagamento recusado no telemóvel');
  await checkout.again.click();
  await checkout.expectWaiting();
  await approve();
  await checkout.expectTitle('Pago');
});

test('a page whose connection moves to another node shows a payment that the new node records', async () => {
  const proxy = await openLine();
  const { checkout, approve } = await waitBehind(proxy);
  const twin = await startTwin();
  proxy.routeTo(twin.url);
  proxy.cut();
  await approve(twin);
  await checkout.expectTitle('Pago');
  expect(await checkout.readTitles()).toEqual(JOURNEY);
});

test('a page whose connection moves to another node shows a payment that the old node records', async () => {
  const proxy = await openLine();
  const { checkout, page, approve } = await waitBehind(proxy);
  const twin = await startTwin();
  const stream = page.waitForResponse('**/events?*');
  proxy.routeTo(twin.url);
  proxy.cut();
  await stream;
  await approve();
  const isPaid = async () => (await checkout.heading.textContent()) === 'Pago';
  await creepUntil(fixture.app, isPaid, 'the event reaching the other node');
  expect(await checkout.readTitles()).toEqual(JOURNEY);
});

test('a page with a silent socket opens another socket as soon as the payer returns to the page', async () => {
  const proxy = await openLine();
  const { page, checkout, approve } = await waitBehind(proxy, stopTimers);
  await keepSockets(page);
  proxy.silence();
  await approve();
  await checkout.expectWaiting();
  await comeBack(page);
  // The first read may use a silent socket too. The page does not wait for it.
  await page.clock.runFor(4_000);
  await checkout.expectTitle('Pago');
  expect(await checkout.readTitles()).toEqual(JOURNEY);
});

test('a push request over a silent socket times out, and its repeat sends one push', async () => {
  const proxy = await openLine();
  // An open stream proves that the script has taken over the form.
  let stream: Promise<unknown> | undefined;
  const { page, checkout, payment, number } = await openCheckout(fixture, {
    origin: proxy.url,
    prepare: async (each) => {
      await stopTimers(each);
      stream = each.waitForResponse('**/events?*');
    },
  });
  await stream;
  await keepSockets(page);
  proxy.silence();
  await checkout.pay(number);
  await page.clock.runFor(15_000);
  // The page may show this title only for a moment, if the read finds an open socket.
  await expect.poll(() => checkout.readTitles()).toContain('A verificar o seu pedido');
  for (let second = 0; second < 20 && !(await checkout.phone.isVisible()); second += 4) await page.clock.runFor(4_000);
  await checkout.pay(number);
  await checkout.expectWaiting();
  await untilStatus(fixture.app, payment.id, 'Processing');
  expect((await fixture.app.sql('select from attempts where payment_id = $1', [payment.id])).length).toBe(1);
});

test('a page keeps waiting while its node restarts on the same port, and then shows the receipt', async () => {
  const { node, databaseUrl, clock, stop } = fixture.app;
  const { checkout, approve } = await openWaitingCheckout(fixture, { expected: OFFLINE });
  await node.stop();
  ends.push(stop);
  await checkout.expectWaiting();
  fixture.replaceApp(await startTestApp({ databaseUrl, clock, env: { PORT: new URL(node.url).port } }));
  await approve();
  await checkout.expectTitle('Pago');
  expect(await checkout.readTitles()).toEqual(JOURNEY);
});
