// The guide's shop ships an order once, for any order and repetition of the signals of its payment.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../server/database/embedded/start.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { openSession, switchOver } from '../../support/fallback.ts';
import { travelUntil } from '../../support/payments.ts';
import { DEMO_ENTITY, pay, untilRegistered } from '../../support/ppr.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, type Received, type Receiver } from '../../support/receiver.ts';
import { makeShop, OLDEST_NODE, ROOT, startShop, type Order, type Shop } from '../../support/shop.ts';

let app: TestApp;
let env: Record<string, string>;
let project: string;
let shop: Shop;
/** Receives the gateway's calls, so that the test decides when, how often and in which order the shop gets them. */
let post: Receiver;

beforeAll(async () => {
  // The shop compares a webhook's time with its own clock.
  const clock = testClock(new Date().toISOString());
  [app, post, project] = await Promise.all([startTestApp({ env: RECEIVER_ENV, clock }), startReceiver(), makeShop()]);
  const endpoint = { url: `${post.url}/callback`, accessKey: ACCESS_KEY };
  await app.call(`/api/merchants/${DEMO.merchantId}/callback`, { method: 'PUT', body: endpoint });
  const webhook = await app.call('/api/webhooks', { body: { url: `${post.url}/webhook`, types: ['payment.paid'] } });
  expect(webhook.status).toBe(201);
  // The shop reads the feed only at its start.
  env = { GATEWAY: app.url, ACCESS_KEY, WEBHOOK_SECRET: webhook.json.secret, FEED_EVERY_MS: '3600000' };
  shop = await startShop(project, env);
  const origins = { returnOrigins: [shop.url] };
  expect((await app.call(`/api/merchants/${DEMO.merchantId}`, { method: 'PUT', body: origins })).status).toBe(200);
});
afterAll(async () => {
  await shop?.stop();
});

/** The four signals of a payment; each resolves when the shop has processed it. */
const SIGNALS = {
  callback: (order: Order) => deliver(findCallback(order)),
  webhook: (order: Order) => deliver(findWebhook(order)),
  page: async ({ id }: Order) => (await fetch(`${shop.url}/orders/${id}`)).status,
  async feed() {
    const { next } = (await app.call('/api/events?after=now')).json;
    await shop.restart();
    await until(() => Number(shop.readCursor()) >= Number(next), 'the feed being read');
    return 200;
  },
};
type Way = keyof typeof SIGNALS;
const WAYS = Object.keys(SIGNALS) as Way[];
/** Each way comes first once, and the feed stands at each position once. */
const ORDERS = WAYS.map((_, nth) => [...WAYS.slice(nth), ...WAYS.slice(0, nth)]);

/** Sends the signals of one order one after the other; the goods leave with the first. */
async function signalInTurn({ ways, bought }: { ways: Way[]; bought: Order }): Promise<void> {
  const before = shop.readGoods().gone;
  for (const way of ways) {
    expect([way, await SIGNALS[way](bought)]).toEqual([way, 200]);
    expect([way, shop.readGoods().gone]).toEqual([way, before + 1]);
  }
  expect(shop.readGoods().shipped).toContain(bought.id);
}

test.each(ORDERS)('the shop ships once after %s, %s, %s and %s', async (...ways) => {
  const before = shop.readGoods();
  const bought = await buyAndPay();
  expect(shop.readGoods()).toEqual(before);
  await signalInTurn({ ways, bought });
});

describe('a payment that was refused on the phone and then paid by reference', () => {
  test.each(['callback', 'feed'] as const)('ships once if the %s reports it first, and not before', async (first) => {
    const before = shop.readGoods();
    const order = await buyInstead();
    const page = await (await fetch(`${shop.url}/orders/${order.id}`)).text();
    expect(page).toContain((await app.call(`/api/payments/${order.paymentId}`)).json.clientToken);
    expect(await (await fetch(`${shop.url}/orders/${order.id}/message`)).text()).toBe('À espera do pagamento.');
    expect(shop.readGoods()).toEqual(before);
    const bought = await payAtMachine(order);
    await signalInTurn({ ways: [first, ...WAYS.filter((way) => way !== first)], bought });
    const { headers, body } = findCallback(bought);
    const accessKey = { 'access-key': String(headers['access-key']) };
    const answer = await fetch(`${shop.url}/callback`, { method: 'POST', headers: accessKey, body });
    expect(await answer.json()).toEqual({ Success: true, Obs: 'ok', Id: bought.id });
  });
});

describe('concurrent repeated signals', () => {
  test('ship each order once, also over a kill -9', async () => {
    const before = shop.readGoods();
    const bought: Order[] = [];
    for (const processed of [1, 8]) {
      bought.push(...(await Promise.all(Array.from({ length: 2 }, buyAndPay))));
      const seen = signalAll(bought);
      // The shop is killed after so many signals; its restart reads the feed while all signals are repeated.
      let count = 0;
      await new Promise<void>((resolve) => {
        for (const each of seen) void each.then(() => ++count === processed && resolve());
      });
      const back = SIGNALS.feed();
      await Promise.all([...seen, back]);
      const answers = await Promise.all(signalAll(bought));
      expect(answers.filter((status) => status !== 200)).toEqual([]);
    }
    const { shipped, gone } = shop.readGoods();
    expect(shipped).toEqual(expect.arrayContaining(bought.map(({ id }) => id)));
    expect(gone - before.gone).toBe(bought.length);
    expect(shipped.length - before.shipped.length).toBe(bought.length);
    // A kill may prevent the line of a shipment.
    expect(bought.filter(({ id }) => shop.countShipped(id) > 1)).toEqual([]);
  }, 90_000);
});

test('two processes of one shop ship once for the same concurrent signal', async () => {
  const before = shop.readGoods();
  const bought = await Promise.all(Array.from({ length: 5 }, buyAndPay));
  // The twin also reads the feed as it starts.
  const twin = await startShop(project, { ...env, DATA: shop.data });
  const seen = bought.flatMap((order) =>
    [findCallback, findWebhook].flatMap((find) => [shop, twin].map((to) => deliver(find(order), to))),
  );
  expect([...new Set(await Promise.all(seen))]).toEqual([200]);
  const shippedBy = bought.map(({ id }) => shop.countShipped(id) + twin.countShipped(id));
  await twin.stop();
  expect(shop.readGoods().gone).toBe(before.gone + bought.length);
  expect(shippedBy).toEqual(bought.map(() => 1));
});

/** Sends every signal but the feed, twice each; null if the shop did not answer. */
function signalAll(orders: Order[]): Promise<number | null>[] {
  const ways = ['callback', 'webhook', 'page', 'callback', 'page', 'webhook'] as const;
  return orders.flatMap((order) => ways.map((way) => SIGNALS[way](order).catch(() => null)));
}

describe('the shop does not ship', () => {
  test('an unpaid order for any forged signal', async () => {
    const before = shop.readGoods();
    const paid = await buyAndPay();
    const order = await buy();
    const body = JSON.stringify({ refPagamento: order.reference, montantePago: 1500, Id: 'x' });
    const hear = (headers: Record<string, string>) => fetch(`${shop.url}/callback`, { method: 'POST', headers, body });
    expect((await hear({ 'access-key': 'wrong' })).status).toBe(401);
    expect((await hear({})).status).toBe(401);
    expect(await (await hear({ 'access-key': ACCESS_KEY })).json()).toMatchObject({ Success: true, Id: order.id });
    expect(await (await fetch(`${shop.url}/orders/${order.id}/message`)).text()).toBe('À espera do pagamento.');
    expect(await SIGNALS.page(order)).toBe(200);
    const signed = findWebhook(paid);
    const forged = signed.body.replaceAll(paid.paymentId, order.paymentId);
    expect(forged).not.toBe(signed.body);
    const old = { ...signed.headers, 'webhook-timestamp': String(Number(signed.headers['webhook-timestamp']) - 600) };
    for (const wrong of [
      { ...signed, body: forged },
      { ...signed, headers: old },
      { ...signed, headers: { ...signed.headers, 'webhook-signature': 'v1,AAAA' } },
      { ...signed, headers: { 'content-type': 'application/json' } },
    ])
      expect(await deliver(wrong)).toBe(401);
    await SIGNALS.feed();
    // Only the feed reported the paid order.
    expect(shop.readGoods().gone).toBe(before.gone + 1);
    expect(shop.readGoods().shipped).not.toContain(order.id);
  });

  test('while the gateway is down, and the callback is delivered again later', async () => {
    const before = shop.readGoods();
    const order = await buyAndPay();
    const away = await startShopAway(order);
    expect(await away.deliver()).toBe(500);
    await away.stop();
    expect(shop.readGoods()).toEqual(before);
    expect(await SIGNALS.callback(order)).toBe(200);
    expect(shop.readGoods().gone).toBe(before.gone + 1);
  });

  test('an order of another shop', async () => {
    const headers = { 'access-key': ACCESS_KEY };
    const body = JSON.stringify({ refPagamento: '000000001', Id: 'x' });
    const seen = await fetch(`${shop.url}/callback`, { method: 'POST', headers, body });
    expect(await seen.json()).toMatchObject({ Success: false });
    const sample = await fetch(`${shop.url}/callback`, {
      method: 'POST',
      headers: { ...headers, 'balcao-test': 'true' },
      body,
    });
    expect(await sample.json()).toMatchObject({ Success: true });
  });
});

test('a second click creates no second payment, a lost answer finds the first, and a page view creates no payment', async () => {
  const order = await buy();
  const post = () =>
    fetch(`${shop.url}/orders`, {
      method: 'POST',
      body: new URLSearchParams({ order: order.id, way: 'express' }),
      redirect: 'manual',
    });
  const again = await post();
  expect([again.status, again.headers.get('location')]).toEqual([303, `/orders/${order.id}`]);
  expect(shop.order(order.id)).toEqual(order);
  shop.forgetPayment(order);
  const page = await (await fetch(`${shop.url}/orders/${order.id}`)).text();
  expect(page).toContain(`name="order" value="${order.id}"`);
  // The gateway may have the payment: only the chosen method finds it again.
  expect([...page.matchAll(/name="way" value="(\w+)"/g)].map(([, way]) => way)).toEqual([order.way]);
  expect(shop.order(order.id).paymentId).toBeUndefined();
  expect((await post()).status).toBe(303);
  expect(shop.order(order.id)).toEqual(order);
});

describe('the page of an unpaid order', () => {
  const SAID = { Failed: /não foi feito/, Canceled: /foi anulado/, Expired: /terminou/ };
  test.each(Object.entries(SAID))('leads to a new order if the payment is %s', async (status, words) => {
    const { id, paymentId } = await takeOrder('express');
    await app.sql('update payments set status = $2 where id = $1', [paymentId, status]);
    const page = await (await fetch(`${shop.url}/orders/${id}`)).text();
    const message = await (await fetch(`${shop.url}/orders/${id}/message`)).text();
    expect(message).toMatch(words);
    expect(page).toContain(message);
    expect(page).toContain('<a href="/">');
    const next = await (await fetch(shop.url)).text();
    expect(/name="order" value="(\w+)"/.exec(next)?.[1]).not.toBe(id);
  });
});

test('an https address without a port lets the shop listen at its default port', async () => {
  const port = String(await freePort());
  const child = spawn(OLDEST_NODE.file, ['shop/server.mjs'], {
    cwd: project,
    env: { ...process.env, ...env, DATA: shop.data, SHOP: 'https://shop.example', PORT: port },
  });
  const gone = once(child, 'exit');
  await until(
    () =>
      fetch(`http://localhost:${port}`).then(
        ({ ok }) => ok,
        () => false,
      ),
    'the shop being open',
  );
  child.kill('SIGKILL');
  await gone;
});

test('the demo shop reports that only another shop is among the merchant’s origins', async () => {
  const form = new URLSearchParams({ product: 'cafe', way: 'page' });
  const answer = await fetch(`${app.url}/demo/orders`, { method: 'POST', body: form, redirect: 'manual' });
  expect(answer.status).toBe(502);
  expect(await answer.text()).toMatch(
    /origin_not_registered[^]*metadata\.returnUrl deve pertencer a uma origem registada/,
  );
});

describe('the oldest Node of the client', () => {
  /** Modules that Node 20 has. */
  const KNOWN = ['crypto', 'fs', 'http', 'path', 'timers/promises', 'url'].map((name) => `node:${name}`);
  const CLIENT = ['@balcao/client', '@balcao/client/handlers'];

  test('supports all imports of the shop: the client package, no TypeScript, no newer module', () => {
    const code = readFileSync(`${ROOT}/docs/shop/server.mjs`, 'utf8');
    const imported = [...code.matchAll(/\b(?:from|import) ?\(?'([^']+)'/g)].map(([, name]) => name!);
    expect(imported).toContain('node:http');
    expect(imported.filter((name) => !KNOWN.includes(name))).toEqual(CLIENT);
    expect(readFileSync(`${ROOT}/docs/integrate.md`, 'utf8')).toMatch(/\bNode(\.js)? 20 or newer/);
  });

  test.skipIf(OLDEST_NODE.major > 20)('runs the shop in all of these tests', () => {
    expect(shop.output()).toContain(`the shop is open: ${shop.url}`);
  });
});

describe('the guide', () => {
  const guide = readFileSync(`${ROOT}/docs/integrate.md`, 'utf8');
  const sources = ['server.mjs', 'page.html'].map((file) => readFileSync(`${ROOT}/docs/shop/${file}`, 'utf8'));
  const flat = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n');

  test('shows only code that runs here', () => {
    // test/api/client/project.test.ts runs the first snippet.
    const [, ...snippets] = [...guide.matchAll(/^```(?:js|html)\n([^]*?)^```$/gm)].map(([, text = '']) => flat(text));
    expect(snippets.length).toBeGreaterThan(5);
    expect(snippets.filter((snippet) => !sources.some((source) => flat(source).includes(snippet)))).toEqual([]);
  });

  test('has commands that any shell accepts, zsh without comments included', () => {
    const blocks = [...guide.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = '']) => text);
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      expect(block).not.toMatch(/(^|\s)#|^\s*exec /m);
      // Every quote is closed in its own line.
      for (const line of block.split('\n')) expect([line, line.split("'").length % 2]).toEqual([line, 1]);
    }
  });

  test('is short', () => {
    expect(guide.split('\n').length).toBeLessThan(200);
  });
});

async function takeOrder(way: string): Promise<Order> {
  const id = randomBytes(5).toString('hex');
  const form = new URLSearchParams({ order: id, way });
  const taken = await fetch(`${shop.url}/orders`, { method: 'POST', body: form });
  if (!taken.ok) throw new Error(`no order: ${taken.status} ${shop.output()}`);
  return shop.order(id);
}

/** An order by reference, registered at the rail. */
async function buy(): Promise<Order> {
  const order = await takeOrder('reference');
  await untilRegistered(app, order.reference);
  return order;
}

/** An order whose buyer was refused and switched to a reference, which the shop does not know. */
async function buyInstead(): Promise<Order> {
  const order = await takeOrder('express');
  const { clientToken } = (await app.call(`/api/payments/${order.paymentId}`)).json;
  await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: REFUSER }, token: null });
  await travelUntil(app, async () => (await openSession(app, { clientToken })).canUseReference, 'the refusal');
  const { reference } = (await switchOver(app, { clientToken })).json.session;
  const { internalId } = await untilRegistered(app, reference);
  return { ...order, paymentId: internalId, reference };
}

/** The simulator refuses this number after a second. */
const REFUSER = '900000001';

const buyAndPay = async (): Promise<Order> => payAtMachine(await buy());

/** Pays at a machine and waits for callback and webhook, which the shop has not received. */
async function payAtMachine(order: Order): Promise<Order> {
  await pay(app, { entity: DEMO_ENTITY, reference: order.reference });
  await until(() => findCallback(order) && findWebhook(order), 'callback and webhook being sent');
  return order;
}

const findCallback = ({ reference }: Order) =>
  post.requests.find(({ path, json }) => path === '/callback' && json.refPagamento === reference) as Received;

const findWebhook = ({ paymentId }: Order) =>
  post.requests.find(({ path, json }) => path === '/webhook' && json.paymentId === paymentId) as Received;

/** Sends the gateway's bytes to the shop and returns its status. */
async function deliver(
  { path, headers, body }: Pick<Received, 'path' | 'headers' | 'body'>,
  to = shop,
): Promise<number> {
  const kept = Object.entries(headers).filter(([name]) =>
    /^(content-type|access-key|balcao-.*|webhook-.*)$/.test(name),
  );
  const sent = { method: 'POST', headers: Object.fromEntries(kept) as Record<string, string>, body };
  return (await fetch(to.url + path, sent)).status;
}

/** A second process of the shop whose gateway is down. */
async function startShopAway(order: Order) {
  const down = { GATEWAY: 'http://127.0.0.1:9', PATIENCE_MS: '300' };
  const away = await startShop(project, { ...env, DATA: shop.data, ...down });
  return { deliver: () => deliver(findCallback(order), away), stop: away.stop };
}
