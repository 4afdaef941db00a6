// The guide's example shop ships an order once, for any sequence and repetition of the payment's signals.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { openSession, switchOver } from '../../support/fallback.ts';
import { travelToStatus, travelUntil } from '../../support/payments.ts';
import { DEMO_ENTITY, pay, untilRegistered } from '../../support/ppr.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, type Received, type Receiver } from '../../support/receiver.ts';
import { makeShop, OLDEST_NODE, ROOT, startShop, type Order, type Shop } from '../../support/shop.ts';

let app: TestApp;
let env: Record<string, string>;
let project: string;
let shop: Shop;
/** Receives the gateway's calls. The test decides when, how often and in which order it passes them to the shop. */
let post: Receiver;

beforeAll(async () => {
  // The shop compares a webhook's time with its own clock, so the gateway's clock shows the real time.
  const clock = testClock(new Date().toISOString());
  [app, post, project] = await Promise.all([startTestApp({ env: RECEIVER_ENV, clock }), startReceiver(), makeShop()]);
  const endpoint = { url: `${post.url}/callback`, accessKey: ACCESS_KEY };
  await app.call(`/api/merchants/${DEMO.merchantId}/callback`, { method: 'PUT', body: endpoint });
  const webhook = await app.call('/api/webhooks', { body: { url: `${post.url}/webhook`, types: ['payment.paid'] } });
  expect(webhook.status).toBe(201);
  const given = { GATEWAY: app.url, ACCESS_KEY, WEBHOOK_SECRET: webhook.json.secret };
  // With this interval the shop reads the feed only at its start. A busy machine may take long to answer the shop.
  env = { ...given, FEED_EVERY_MS: '3600000', PATIENCE_MS: '60000' };
  shop = await startShop(project, env);
  const origins = { returnOrigins: [shop.url] };
  expect((await app.call(`/api/merchants/${DEMO.merchantId}`, { method: 'PUT', body: origins })).status).toBe(200);
});
beforeEach(() => {
  // The shop refuses a webhook whose time differs from its own by five minutes.
  const behindMs = Date.now() - app.clock.now().getTime();
  if (behindMs > MINUTE_MS) app.clock.leap(behindMs);
});
afterAll(async () => {
  await shop?.stop();
});

/** The four signals of a payment. Each one resolves when the shop has processed it. */
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
type SignalName = keyof typeof SIGNALS;
const SIGNAL_NAMES = Object.keys(SIGNALS) as SignalName[];
/** Four sequences of the signals. Each signal comes first in one of them, and the feed takes each position once. */
const SEQUENCES = SIGNAL_NAMES.map((_, nth) => [...SIGNAL_NAMES.slice(nth), ...SIGNAL_NAMES.slice(0, nth)]);

/** Sends the signals of one order one after the other. The shop ships at the first signal. */
async function sendSignals({ ways, bought }: { ways: SignalName[]; bought: Order }): Promise<void> {
  const before = shop.readGoods().gone;
  for (const way of ways) {
    expect([way, await SIGNALS[way](bought)]).toEqual([way, 200]);
    expect([way, shop.readGoods().gone]).toEqual([way, before + 1]);
  }
  expect(shop.readGoods().shipped).toContain(bought.id);
}

test.each(SEQUENCES)('the shop ships an order once after the signals %s, %s, %s and %s', async (...ways) => {
  const before = shop.readGoods();
  const bought = await buyAndPay();
  expect(shop.readGoods()).toEqual(before);
  await sendSignals({ ways, bought });
});

describe('an order that is refused on the phone and then paid by reference', () => {
  test.each(['callback', 'feed'] as const)(
    'ships once if the %s reports the payment first, and not before',
    async (first) => {
      const before = shop.readGoods();
      const order = await buyAfterRefusal();
      const page = await (await fetch(`${shop.url}/orders/${order.id}`)).text();
      expect(page).toContain((await app.call(`/api/payments/${order.paymentId}`)).json.clientToken);
      expect(await (await fetch(`${shop.url}/orders/${order.id}/message`)).text()).toBe('À espera do pagamento.');
      expect(shop.readGoods()).toEqual(before);
      const bought = await payAtMachine(order);
      await sendSignals({ ways: [first, ...SIGNAL_NAMES.filter((way) => way !== first)], bought });
      const { headers, body } = findCallback(bought);
      const accessKey = { 'access-key': String(headers['access-key']) };
      const answer = await fetch(`${shop.url}/callback`, { method: 'POST', headers: accessKey, body });
      expect(await answer.json()).toEqual({ Success: true, Obs: 'ok', Id: bought.id });
    },
  );

  test.each(['webhook', 'page'] as const)(
    'ships once if a push replaces the reference, and the %s reports it first',
    async (first) => {
      const before = shop.readGoods().gone;
      const order = await buyAfterRefusal();
      const body = { paymentMethod: 'onetimepurchase', phoneNumber: '900000000' };
      const { json } = await app.call(`/api/payments/${order.paymentId}/replacement`, { body });
      const bought = { ...order, paymentId: json.internalId };
      await travelToStatus(app, bought.paymentId, 'Paid');
      await until(() => findWebhook(bought), 'the webhook being sent');
      expect(await SIGNALS[first](bought)).toBe(200);
      expect(shop.readGoods().shipped).toContain(bought.id);
      expect([await SIGNALS.webhook(bought), await SIGNALS.page(bought)]).toEqual([200, 200]);
      expect(shop.readGoods().gone).toBe(before + 1);
    },
  );
});

describe('the shop with concurrent repeated signals', () => {
  test('ships each order once, even if it is killed and restarted', async () => {
    const before = shop.readGoods();
    const bought: Order[] = [];
    for (const processed of [1, 8]) {
      bought.push(...(await Promise.all(Array.from({ length: 2 }, buyAndPay))));
      const seen = repeatSignals(bought);
      // The test kills the shop after this number of signals. The restarted shop reads the feed during the repeats.
      let count = 0;
      await new Promise<void>((resolve) => {
        for (const each of seen) void each.then(() => ++count === processed && resolve());
      });
      const back = SIGNALS.feed();
      await Promise.all([...seen, back]);
      const answers = await Promise.all(repeatSignals(bought));
      expect(answers.filter((status) => status !== 200)).toEqual([]);
    }
    const { shipped, gone } = shop.readGoods();
    expect(shipped).toEqual(expect.arrayContaining(bought.map(({ id }) => id)));
    expect(gone - before.gone).toBe(bought.length);
    expect(shipped.length - before.shipped.length).toBe(bought.length);
    // A kill may prevent the log line of a shipment, but no line appears twice.
    expect(bought.filter(({ id }) => shop.countShipped(id) > 1)).toEqual([]);
  });
});

test('two processes of one shop ship an order once for the same concurrent signal', async () => {
  const before = shop.readGoods();
  const bought = await Promise.all(Array.from({ length: 5 }, buyAndPay));
  // The second process also reads the feed at its start.
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

/** Sends every signal except the feed twice. A result is null if the shop did not answer. */
function repeatSignals(orders: Order[]): Promise<number | null>[] {
  const ways = ['callback', 'webhook', 'page', 'callback', 'page', 'webhook'] as const;
  return orders.flatMap((order) => ways.map((way) => SIGNALS[way](order).catch(() => null)));
}

describe('the shop', () => {
  test('does not ship an unpaid order for a forged signal', async () => {
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
    // The feed reports the paid order, so the shop ships this one only.
    expect(shop.readGoods().gone).toBe(before.gone + 1);
    expect(shop.readGoods().shipped).not.toContain(order.id);
  });

  test('does not ship while the gateway is down, but when the callback is delivered again', async () => {
    const before = shop.readGoods();
    const order = await buyAndPay();
    const away = await startShopWithoutGateway(order);
    expect(await away.deliver()).toBe(500);
    await away.stop();
    expect(shop.readGoods()).toEqual(before);
    expect(await SIGNALS.callback(order)).toBe(200);
    expect(shop.readGoods().gone).toBe(before.gone + 1);
  });

  test('does not confirm a callback for an unknown order, unless it is a test callback', async () => {
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

test('a second click, a lost response and a page view create no second payment', async () => {
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
  // The gateway may have the payment, and only a request with the same method finds it again.
  expect([...page.matchAll(/name="way" value="(\w+)"/g)].map(([, way]) => way)).toEqual([order.way]);
  expect(shop.order(order.id).paymentId).toBeUndefined();
  expect((await post()).status).toBe(303);
  expect(shop.order(order.id)).toEqual(order);
});

describe('the page of an unpaid order', () => {
  const MESSAGES = { Failed: /não foi feito/, Canceled: /foi anulado/, Expired: /terminou/ };
  test.each(Object.entries(MESSAGES))('links to a new order if the payment is %s', async (status, words) => {
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

test('a shop with an https URL without a port listens at the port of PORT', async () => {
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

describe('the oldest supported Node version', () => {
  /** The modules of Node 20 that the shop may import. */
  const KNOWN = ['crypto', 'fs', 'http', 'path', 'timers/promises', 'url'].map((name) => `node:${name}`);
  const CLIENT = ['@balcao/client', '@balcao/client/handlers'];

  test('runs the imports of the shop: only the client package and modules of Node 20', () => {
    const code = readFileSync(`${ROOT}/docs/shop/server.mjs`, 'utf8');
    const imported = [...code.matchAll(/\b(?:from|import) ?\(?'([^']+)'/g)].map(([, name]) => name!);
    expect(imported).toContain('node:http');
    expect(imported.filter((name) => !KNOWN.includes(name))).toEqual(CLIENT);
    expect(readFileSync(`${ROOT}/docs/integrate.md`, 'utf8')).toMatch(/\bNode(\.js)? 20 or newer/);
  });

  test.skipIf(OLDEST_NODE.major > 20)('runs the shop in all tests of this file', () => {
    expect(shop.output()).toContain(`the shop is open: ${shop.url}`);
  });
});

describe('the guide', () => {
  const guide = readFileSync(`${ROOT}/docs/integrate.md`, 'utf8');
  const files = ['server.mjs', 'page.html', 'php/shop.php', 'python/shop.py', 'shop.sh'];
  const sources = files.map((file) => readFileSync(`${ROOT}/docs/shop/${file}`, 'utf8'));
  const [opening = '', steps = ''] = guide.split(/^(?=## 1\. )/m);
  const flat = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n');

  test('shows only code of the tested shop', () => {
    const snippets = [...steps.matchAll(/^```(?:js|html|php|python|sh)\n([^]*?)^```$/gm)].map(([, text = '']) =>
      flat(text),
    );
    expect(snippets.length).toBeGreaterThan(30);
    expect(snippets.filter((snippet) => !sources.some((source) => flat(source).includes(snippet)))).toEqual([]);
  });

  test('has commands that any shell accepts, including zsh without comments', () => {
    const blocks = [...opening.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = '']) => text);
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      expect(block).not.toMatch(/(^|\s)#|^\s*exec /m);
      // Every quote closes on its own line.
      for (const line of block.split('\n')) expect([line, line.split("'").length % 2]).toEqual([line, 1]);
    }
  });

  test('has fewer than 200 lines of text beside its code', () => {
    const text = guide.replace(/^```[^]*?^```$/gm, '').replace(/^<.*>$/gm, '');
    expect(text.split('\n').filter((line) => line !== '').length).toBeLessThan(200);
  });
});

async function takeOrder(way: string): Promise<Order> {
  const id = randomBytes(5).toString('hex');
  const form = new URLSearchParams({ order: id, way });
  const taken = await fetch(`${shop.url}/orders`, { method: 'POST', body: form });
  if (!taken.ok) throw new Error(`no order: ${taken.status} ${shop.output()}`);
  return shop.order(id);
}

/** Places an order that is payable by reference and registered at the rail. */
async function buy(): Promise<Order> {
  const order = await takeOrder('reference');
  await untilRegistered(app, order.reference);
  return order;
}

/** Places an order whose push the buyer refused and replaced by a reference, which the shop does not know. */
async function buyAfterRefusal(): Promise<Order> {
  const order = await takeOrder('express');
  const { clientToken } = (await app.call(`/api/payments/${order.paymentId}`)).json;
  await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: REFUSING_PHONE }, token: null });
  await travelUntil(app, async () => (await openSession(app, { clientToken })).canUseReference, 'the refusal');
  const { reference } = (await switchOver(app, { clientToken })).json.session;
  const { internalId } = await untilRegistered(app, reference);
  return { ...order, paymentId: internalId, reference };
}

/** The simulator refuses pushes to this number after a second. */
const REFUSING_PHONE = '900000001';

const buyAndPay = async (): Promise<Order> => payAtMachine(await buy());

/** Pays at an ATM and waits until the test holds the callback and the webhook, not yet passed to the shop. */
async function payAtMachine(order: Order): Promise<Order> {
  await pay(app, { entity: DEMO_ENTITY, reference: order.reference });
  await until(() => findCallback(order) && findWebhook(order), 'callback and webhook being sent');
  return order;
}

const findCallback = ({ reference }: Order) =>
  post.requests.find(({ path, json }) => path === '/callback' && json.refPagamento === reference) as Received;

const findWebhook = ({ paymentId }: Order) =>
  post.requests.find(({ path, json }) => path === '/webhook' && json.paymentId === paymentId) as Received;

/** Passes a call of the gateway to the shop byte for byte, and returns the shop's status. */
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

/** Starts a second process of the shop that cannot reach the gateway. */
async function startShopWithoutGateway(order: Order) {
  const down = { GATEWAY: 'http://127.0.0.1:9', PATIENCE_MS: '300' };
  const away = await startShop(project, { ...env, DATA: shop.data, ...down });
  return { deliver: () => deliver(findCallback(order), away), stop: away.stop };
}
