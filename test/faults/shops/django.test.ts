// The sample shop in Django (docs/shop/django) with two server processes, while its gateway is killed.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { until } from '../../support/app.ts';
import { connectMerchant, startChild, type Child, type MerchantClient } from '../../support/child.ts';
import { freshDatabase } from '../../support/database.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';
import { SCRATCH } from '../../support/scratch.ts';
import { METHODS, newOrder, payPayment, type ShopOrder } from '../../support/shop-orders.ts';
import { ROOT } from '../../support/source.ts';
import { stopLater } from '../../support/stop-later.ts';

const PYTHON = '/usr/bin/python3';
const isInstalled = spawnSync(PYTHON, ['-c', 'import django']).status === 0;

if (process.env['CI'] === 'true')
  test('the CI environment has Python and Django', () => {
    expect(isInstalled, 'install python3-django').toBe(true);
  });

/** After this time the leases of a killed gateway have ended, and its waiting callbacks are due. */
const LATE_MS = 60_000;
const ACCESS_KEY = 'K7tq-9vXw2-mRp4zL';

describe.skipIf(!isInstalled)('a Django shop whose gateway is killed twice', () => {
  let gateway: Child;
  let env: Record<string, string>;
  let merchant: MerchantClient;
  let shop: Awaited<ReturnType<typeof startDjango>>;
  let killed = 0;

  beforeAll(async () => {
    const database = await freshDatabase();
    env = { DATABASE_URL: database.url, LOG_LEVEL: 'warn', ...RECEIVER_ENV };
    gateway = await startChild({ env });
    stopLater({ stop: () => gateway.kill().then(() => database.drop()) });
    merchant = connectMerchant(() => gateway.url);
    const urls = await Promise.all([freePort(), freePort()]).then((ports) =>
      ports.map((port) => `http://127.0.0.1:${port}`),
    );
    // One process receives callbacks, the other one webhooks, and a third one reads the feed.
    const callback = { url: `${urls[0]}/balcao`, accessKey: ACCESS_KEY };
    await merchant.insist(`/api/merchants/${DEMO.merchantId}/callback`, { method: 'PUT', body: callback });
    const webhook = { url: `${urls[1]}/balcao`, types: ['payment.paid'] };
    const { json } = await merchant.insist('/api/webhooks', { body: webhook });
    await register(urls[0]!);
    shop = await startDjango(urls, { BALCAO_URL: gateway.url, BALCAO_WEBHOOK_SECRET: json.secret });
  });

  /** Each start of the sandbox resets the origins of return addresses. */
  const register = (origin: string) =>
    merchant.insist(`/api/merchants/${DEMO.merchantId}`, { method: 'PUT', body: { returnOrigins: [origin] } });

  async function restartGateway(): Promise<void> {
    gateway = await startChild({ env, port: gateway.port, lateMs: ++killed * LATE_MS });
    await register(shop.url);
  }

  async function pay(order: ShopOrder): Promise<void> {
    const { json } = await merchant.insist(`/api/payments/${shop.paymentIdOf(order)}`);
    await payPayment(() => gateway.url, order, json);
  }

  test('finishes each order exactly once, paid by push, QR code or reference', async () => {
    const paidBefore = METHODS.map(newOrder);
    await Promise.all(paidBefore.map((order) => shop.order(order)));
    await Promise.all(paidBefore.map(pay));
    await gateway.kill();
    // The shop repeats its creations under the orders' keys until the gateway is back.
    const ordered = METHODS.map(newOrder);
    const orders = ordered.map((order) => shop.order(order));
    await restartGateway();
    await Promise.all(orders);
    const paying = ordered.map(pay);
    await Promise.race(paying);
    await gateway.kill();
    await restartGateway();
    await Promise.all(paying);
    const all = [...paidBefore, ...ordered];
    await until(async () => {
      const shipped = shop.countShipped(all);
      const open = all.filter((_, nth) => shipped[nth] === 0);
      // A push that did not reach the rail leaves its payment Pending, and the payer presses the button again.
      for (const order of open) await pay(order).then(() => shop.visit(order));
      return open.length === 0;
    }, 'each order being shipped');
    // The feed reports each payment once more, and so do repeated callbacks and both pages.
    await Promise.all([
      shop.readFeed(),
      shop.readFeed(),
      merchant.insist('/api/callbacks/replay', { body: { status: 'Delivered' } }),
      ...all.map((order) => shop.visit(order)),
    ]);
    expect(shop.countShipped(all)).toEqual(all.map(() => 1));
  });
});

/** Starts a server process for each address. All of them share one database. */
async function startDjango(urls: string[], settings: Record<string, string>) {
  const folder = mkdtempSync(join(SCRATCH, 'balcao-django-'));
  const database = join(folder, 'shop.sqlite');
  const options = {
    cwd: folder,
    env: {
      ...process.env,
      ...settings,
      PYTHONPATH: ['packages/python/src', 'docs/shop/django', 'test/support/django']
        .map((path) => join(ROOT, path))
        .join(':'),
      PYTHONDONTWRITEBYTECODE: '1',
      DJANGO_SETTINGS_MODULE: 'settings',
      SHOP_DATABASE: database,
      SHOP_URL: urls[0]!,
      BALCAO_ACCESS_KEY: ACCESS_KEY,
    },
  };
  const manage = (...command: string[]) => ['-m', 'django', ...command];
  execFileSync(PYTHON, manage('migrate', '--verbosity', '0'), options);
  let output = '';
  const start = (...command: string[]): ChildProcess => {
    const child = spawn(PYTHON, manage(...command), { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk));
    return child;
  };
  const servers = urls.map((url) => start('runserver', '--noreload', new URL(url).host));
  const isOpen = (url: string) =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => {
    if (servers.some(({ exitCode }) => exitCode !== null)) throw new Error(`the shop ended: ${output}`);
    return (await Promise.all(urls.map(isOpen))).every(Boolean);
  }, 'the shop being open');
  const READ = `import json, sqlite3, sys
print(json.dumps(dict((row[0], row[1:]) for row in sqlite3.connect(sys.argv[1]).execute(
    'select id, payment_id, shipped from shop_order'))))`;
  const readOrders = (): Record<string, [paymentId: string, shipped: number]> =>
    JSON.parse(execFileSync(PYTHON, ['-c', READ, database], { encoding: 'utf8' }));
  return stopLater({
    url: urls[0]!,
    /** Sends the shop's form until the shop has the payment. */
    order: ({ id, method }: ShopOrder) =>
      until(async () => {
        const body = new URLSearchParams({ order: id, method });
        const { status } = await fetch(`${urls[0]}/orders`, { method: 'POST', body, redirect: 'manual' });
        return status === 302;
      }, 'the order being taken'),
    /** Opens the order's page in each process. */
    visit: ({ id }: ShopOrder) => Promise.all(urls.map((url) => fetch(`${url}/orders/${id}`))),
    paymentIdOf: ({ id }: ShopOrder) => readOrders()[id]![0],
    countShipped(orders: ShopOrder[]) {
      const stored = readOrders();
      return orders.map(({ id }) => stored[id]![1]);
    },
    async readFeed() {
      const child = start('read_feed');
      const [code] = await once(child, 'exit');
      expect(code, output).toBe(0);
    },
    async stop() {
      const exits = servers.map((server) => once(server, 'exit'));
      for (const server of servers) server.kill('SIGKILL');
      await Promise.all(exits);
      rmSync(folder, { recursive: true, force: true });
    },
  });
}
