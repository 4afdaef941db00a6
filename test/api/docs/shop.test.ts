// The guide's shop: whoever tells it of a payment first, however often, whatever dies in between, the goods leave once.
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
/** Where the gateway calls, so that the test decides when, how often and in which order the shop hears of it. */
let post: Receiver;

beforeAll(async () => {
  // The shop compares a webhook's time with its own clock.
  const clock = testClock(new Date().toISOString());
  [app, post, project] = await Promise.all([startTestApp({ env: RECEIVER_ENV, clock }), startReceiver(), makeShop()]);
  const endpoint = { url: `${post.url}/callback`, accessKey: ACCESS_KEY };
  await app.call(`/api/merchants/${DEMO.merchantId}/callback`, { method: 'PUT', body: endpoint });
  const webhook = await app.call('/api/webhooks', { body: { url: `${post.url}/webhook`, types: ['payment.paid'] } });
  expect(webhook.status).toBe(201);
  // The feed is read at a start, and then not again while a test lasts.
  env = { GATEWAY: app.url, ACCESS_KEY, WEBHOOK_SECRET: webhook.json.secret, FEED_EVERY_MS: '3600000' };
  shop = await startShop(project, env);
  // Its addresses of return are its own.
  const origins = { returnOrigins: [shop.url] };
  expect((await app.call(`/api/merchants/${DEMO.merchantId}`, { method: 'PUT', body: origins })).status).toBe(200);
});
afterAll(async () => {
  await shop?.stop();
});

/** The four who tell the shop; each resolves when it has dealt with it. */
const TELL = {
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
type Way = keyof typeof TELL;
const WAYS = Object.keys(TELL) as Way[];
const ORDERS = WAYS.flatMap((a) => WAYS.flatMap((b) => WAYS.flatMap((c) => WAYS.map((d) => [a, b, c, d])))).filter(
  (order) => new Set(order).size === WAYS.length,
);

type Told = { ways: Way[]; bought: Order };

/** Tells of each in its order of ways; a feed tells of all, and so it must be in the same place for all of them. */
async function tellInTurn(all: Told[]): Promise<void> {
  const before = shop.readGoods().gone;
  let shipped = 0;
  for (let nth = 0; nth < WAYS.length; nth++) {
    const isFeed = all.every(({ ways }) => ways[nth] === 'feed');
    for (const { ways, bought } of isFeed ? all.slice(0, 1) : all) {
      const way = ways[nth]!;
      expect([ways, way, await TELL[way](bought)]).toEqual([ways, way, 200]);
      if (nth === 0) shipped += isFeed ? all.length : 1;
      expect([ways, way, shop.readGoods().gone]).toEqual([ways, way, before + shipped]);
    }
  }
  expect(shop.readGoods().shipped).toEqual(expect.arrayContaining(all.map(({ bought }) => bought.id)));
}

test.each([1, 2, 3, 4])('told in every order of ways with the feed as number %i: shipped once', async (place) => {
  const before = shop.readGoods();
  const orders = ORDERS.filter((ways) => ways.indexOf('feed') === place - 1);
  expect(orders).toHaveLength(ORDERS.length / WAYS.length);
  const all = await Promise.all(orders.map(async (ways) => ({ ways, bought: await buyAndPay() })));
  expect(shop.readGoods()).toEqual(before);
  await tellInTurn(all);
});

describe('refused on the phone, then paid by reference', () => {
  const FEED_LAST = (['callback', 'webhook', 'page'] as const).map((way) => [
    way,
    ...WAYS.filter((other) => other !== way),
  ]);
  const FEED_FIRST: Way[][] = [['feed', 'callback', 'webhook', 'page']];

  test.each([
    ['callback, webhook or page', FEED_LAST],
    ['feed', FEED_FIRST],
  ])('told by %s first: shipped once', async (_, orders) => {
    const all: Told[] = [];
    for (const ways of orders) all.push({ ways, bought: await payAtMachine(await buyInstead()) });
    await tellInTurn(all);
  });

  test('the callback is answered with the order', async () => {
    const bought = await payAtMachine(await buyInstead());
    const { headers, body } = findCallback(bought);
    const accessKey = { 'access-key': String(headers['access-key']) };
    const told = await fetch(`${shop.url}/callback`, { method: 'POST', headers: accessKey, body });
    expect(await told.json()).toEqual({ Success: true, Obs: 'ok', Id: bought.id });
  });

  test('until then the order’s page shows the reference, and nothing is shipped', async () => {
    const before = shop.readGoods();
    const order = await buyInstead();
    const page = await (await fetch(`${shop.url}/orders/${order.id}`)).text();
    const { clientToken } = (await app.call(`/api/payments/${order.paymentId}`)).json;
    expect(page).toContain(clientToken);
    expect(await (await fetch(`${shop.url}/orders/${order.id}/said`)).text()).toBe('À espera do pagamento.');
    expect(shop.readGoods()).toEqual(before);
  });
});

describe('all at once', () => {
  test('again and again, with a kill -9 in the midst of it: each order once', async () => {
    const before = shop.readGoods();
    const bought: Order[] = [];
    for (const dealtWith of [1, 5, 15]) {
      bought.push(...(await Promise.all(Array.from({ length: 3 }, buyAndPay))));
      const told = tellAll(bought);
      // As soon as so many were dealt with it dies; when it is back it reads the feed, while everybody tells it again.
      let count = 0;
      await new Promise<void>((resolve) => {
        for (const each of told) void each.then(() => ++count === dealtWith && resolve());
      });
      const back = TELL.feed();
      await Promise.all([...told, back]);
      const answers = await Promise.all(tellAll(bought));
      expect(answers.filter((status) => status !== 200)).toEqual([]);
    }
    const { shipped, gone } = shop.readGoods();
    expect(shipped).toEqual(expect.arrayContaining(bought.map(({ id }) => id)));
    expect(gone - before.gone).toBe(bought.length);
    expect(shipped.length - before.shipped.length).toBe(bought.length);
    // Killed just then, it may not have said so.
    expect(bought.filter(({ id }) => shop.countShipped(id) > 1)).toEqual([]);
  }, 90_000);
});

test('two processes of one shop, told of the same at the same moment, ship once', async () => {
  const before = shop.readGoods();
  const bought = await Promise.all(Array.from({ length: 5 }, buyAndPay));
  // It reads the feed as it starts, where all of them are too.
  const twin = await startShop(project, { ...env, DATA: shop.data });
  const told = bought.flatMap((order) =>
    [findCallback, findWebhook].flatMap((find) => [shop, twin].map((to) => deliver(find(order), to))),
  );
  expect([...new Set(await Promise.all(told))]).toEqual([200]);
  const shippedBy = bought.map(({ id }) => shop.countShipped(id) + twin.countShipped(id));
  await twin.stop();
  expect(shop.readGoods().gone).toBe(before.gone + bought.length);
  expect(shippedBy).toEqual(bought.map(() => 1));
});

/** Everybody but the feed, twice each; null for whom nobody answered. */
function tellAll(orders: Order[]): Promise<number | null>[] {
  const ways = ['callback', 'webhook', 'page', 'callback', 'page', 'webhook'] as const;
  return orders.flatMap((order) => ways.map((way) => TELL[way](order).catch(() => null)));
}

describe('not shipped', () => {
  test('before it is paid, whoever says that it is', async () => {
    const before = shop.readGoods();
    const paid = await buyAndPay();
    const order = await buy();
    const said = JSON.stringify({ refPagamento: order.reference, montantePago: 1500, Id: 'x' });
    const hear = (headers: Record<string, string>) =>
      fetch(`${shop.url}/callback`, { method: 'POST', headers, body: said });
    expect((await hear({ 'access-key': 'wrong' })).status).toBe(401);
    expect((await hear({})).status).toBe(401);
    expect(await (await hear({ 'access-key': ACCESS_KEY })).json()).toMatchObject({ Success: true, Id: order.id });
    expect(await (await fetch(`${shop.url}/orders/${order.id}/said`)).text()).toBe('À espera do pagamento.');
    expect(await TELL.page(order)).toBe(200);
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
    await TELL.feed();
    // Only the feed told of the one that was paid.
    expect(shop.readGoods().gone).toBe(before.gone + 1);
    expect(shop.readGoods().shipped).not.toContain(order.id);
  });

  test('while the gateway is away: the callback is told again later', async () => {
    const before = shop.readGoods();
    const order = await buyAndPay();
    const away = await startShopAway(order);
    expect(await away.deliver()).toBe(500);
    await away.stop();
    expect(shop.readGoods()).toEqual(before);
    expect(await TELL.callback(order)).toBe(200);
    expect(shop.readGoods().gone).toBe(before.gone + 1);
  });

  test('what is no order of the shop’s', async () => {
    const headers = { 'access-key': ACCESS_KEY };
    const body = JSON.stringify({ refPagamento: '000000001', Id: 'x' });
    const told = await fetch(`${shop.url}/callback`, { method: 'POST', headers, body });
    expect(await told.json()).toMatchObject({ Success: false });
    const sample = await fetch(`${shop.url}/callback`, {
      method: 'POST',
      headers: { ...headers, 'balcao-test': 'true' },
      body,
    });
    expect(await sample.json()).toMatchObject({ Success: true });
  });
});

test('a second click is the same order, and a payment that was made is found again; opening a page makes none', async () => {
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
  // The gateway may have made it: only in the way that was chosen is it the same one.
  expect([...page.matchAll(/name="way" value="(\w+)"/g)].map(([, way]) => way)).toEqual([order.way]);
  expect(shop.order(order.id).paymentId).toBeUndefined();
  expect((await post()).status).toBe(303);
  expect(shop.order(order.id)).toEqual(order);
});

describe('an order that was not paid says so, and leads to a new one', () => {
  const SAID = { Failed: /não foi feito/, Canceled: /foi anulado/, Expired: /terminou/ };
  test.each(Object.entries(SAID))('%s', async (status, words) => {
    const { id, paymentId } = await takeOrder('express');
    await app.sql('update payments set status = $2 where id = $1', [paymentId, status]);
    const page = await (await fetch(`${shop.url}/orders/${id}`)).text();
    const said = await (await fetch(`${shop.url}/orders/${id}/said`)).text();
    expect(said).toMatch(words);
    expect(page).toContain(said);
    expect(page).toContain('<a href="/">');
    const next = await (await fetch(shop.url)).text();
    expect(/name="order" value="(\w+)"/.exec(next)?.[1]).not.toBe(id);
  });
});

test('an address of https names no port: the shop listens at one of its own', async () => {
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

test('where the merchant’s origins are another shop’s alone, the demo shop says so', async () => {
  const form = new URLSearchParams({ product: 'cafe', way: 'page' });
  const answer = await fetch(`${app.url}/demo/orders`, { method: 'POST', body: form, redirect: 'manual' });
  expect(answer.status).toBe(502);
  expect(await answer.text()).toMatch(
    /origin_not_registered[^]*metadata\.returnUrl deve pertencer a uma origem registada/,
  );
});

describe('the oldest Node of the client', () => {
  /** What Node 20 has of what the shop could want. */
  const KNOWN = ['crypto', 'fs', 'http', 'path', 'timers/promises', 'url'].map((name) => `node:${name}`);
  const CLIENT = ['@balcao/client', '@balcao/client/handlers'];

  test('knows all that the shop imports: no package but the client, no TypeScript, no newer module', () => {
    const code = readFileSync(`${ROOT}/docs/shop/server.mjs`, 'utf8');
    const imported = [...code.matchAll(/\b(?:from|import) ?\(?'([^']+)'/g)].map(([, name]) => name!);
    expect(imported).toContain('node:http');
    expect(imported.filter((name) => !KNOWN.includes(name))).toEqual(CLIENT);
    expect(readFileSync(`${ROOT}/docs/integrate.md`, 'utf8')).toMatch(/\bNode(\.js)? 20 or newer/);
  });

  test.skipIf(OLDEST_NODE.major > 20)('ran it in all of these tests', () => {
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

  test('shows nothing but what runs here', () => {
    // The first is a program of its own: test/api/client/project.test.ts runs it.
    const [, ...snippets] = [...guide.matchAll(/^```(?:js|html)\n([^]*?)^```$/gm)].map(([, text = '']) => flat(text));
    expect(snippets.length).toBeGreaterThan(5);
    expect(snippets.filter((snippet) => !sources.some((source) => flat(source).includes(snippet)))).toEqual([]);
  });

  test('its commands can be pasted into any shell: zsh takes no comments, and ends with what is executed', () => {
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

/** An order by reference, once the rail takes money for it. */
async function buy(): Promise<Order> {
  const order = await takeOrder('reference');
  await untilRegistered(app, order.reference);
  return order;
}

/** An order whose buyer was refused and went on by reference: with that payment, of which the shop has not heard. */
async function buyInstead(): Promise<Order> {
  const order = await takeOrder('express');
  const { clientToken } = (await app.call(`/api/payments/${order.paymentId}`)).json;
  await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: REFUSER }, token: null });
  await travelUntil(app, async () => (await openSession(app, { clientToken })).canUseReference, 'the refusal');
  const { reference } = (await switchOver(app, { clientToken })).json.session;
  const { internalId } = await untilRegistered(app, reference);
  return { ...order, paymentId: internalId, reference };
}

/** Refuses by itself after a second. */
const REFUSER = '900000001';

const buyAndPay = async (): Promise<Order> => payAtMachine(await buy());

/** Paid at a machine; both messages of it are here, and the shop has heard of neither. */
async function payAtMachine(order: Order): Promise<Order> {
  await pay(app, { entity: DEMO_ENTITY, reference: order.reference });
  await until(() => findCallback(order) && findWebhook(order), 'callback and webhook being sent');
  return order;
}

const findCallback = ({ reference }: Order) =>
  post.requests.find(({ path, json }) => path === '/callback' && json.refPagamento === reference) as Received;

const findWebhook = ({ paymentId }: Order) =>
  post.requests.find(({ path, json }) => path === '/webhook' && json.paymentId === paymentId) as Received;

/** Byte for byte what the gateway sent; answers the shop's status. */
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

/** The same shop once more, at whose gateway nobody answers. */
async function startShopAway(order: Order) {
  const nobody = { GATEWAY: 'http://127.0.0.1:9', PATIENCE_MS: '300' };
  const away = await startShop(project, { ...env, DATA: shop.data, ...nobody });
  return { deliver: () => deliver(findCallback(order), away), stop: away.stop };
}
