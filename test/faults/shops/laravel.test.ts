// The sample shop in Laravel (docs/shop/laravel) on MariaDB, while its gateway is killed.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { until } from '../../support/app.ts';
import { connectMerchant, startChild, type Child, type MerchantClient } from '../../support/child.ts';
import { freshDatabase } from '../../support/database.ts';
import { startMariadb } from '../../support/mariadb.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';
import { SCRATCH } from '../../support/scratch.ts';
import { METHODS, newOrder, payPayment, type ShopOrder } from '../../support/shop-orders.ts';
import { ROOT } from '../../support/source.ts';
import { stopLater } from '../../support/stop-later.ts';

const isInstalled =
  existsSync('/usr/share/php/Illuminate/autoload.php') &&
  ['php', 'mariadbd'].every((program) => spawnSync(program, ['--version']).status === 0);

if (process.env['CI'] === 'true')
  test('the CI environment has PHP, Laravel and MariaDB', () => {
    expect(isInstalled, 'install php-cli php-curl php-mysql php-laravel-framework mariadb-server').toBe(true);
  });

/** After this time the leases of a killed gateway have ended, and its waiting callbacks are due. */
const LATE_MS = 60_000;
const ACCESS_KEY = 'K7tq-9vXw2-mRp4zL';

describe.skipIf(!isInstalled)('a Laravel shop whose gateway is killed twice', () => {
  let gateway: Child;
  let env: Record<string, string>;
  let merchant: MerchantClient;
  let shop: Awaited<ReturnType<typeof startLaravel>>;
  let killed = 0;

  beforeAll(async () => {
    const [mariadb, database] = await Promise.all([startMariadb('shop'), freshDatabase()]);
    env = { DATABASE_URL: database.url, LOG_LEVEL: 'warn', ...RECEIVER_ENV };
    gateway = await startChild({ env });
    stopLater({ stop: () => gateway.kill().then(() => database.drop()) });
    merchant = connectMerchant(() => gateway.url);
    const url = `http://127.0.0.1:${await freePort()}`;
    const endpoint = { url: `${url}/api/balcao`, accessKey: ACCESS_KEY };
    await merchant.insist(`/api/merchants/${DEMO.merchantId}/callback`, { method: 'PUT', body: endpoint });
    await register(url);
    const webhook = await merchant.insist('/api/webhooks', { body: { url: endpoint.url, types: ['payment.paid'] } });
    expect(webhook.status).toBe(201);
    shop = await startLaravel(mariadb, { url, gatewayUrl: gateway.url, secret: webhook.json.secret });
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
      const open = all.filter((order) => shop.countShipped(order) === 0);
      // A push that did not reach the rail leaves its payment Pending, and the payer presses the button again.
      for (const order of open) await pay(order).then(() => shop.visit(order));
      return open.length === 0;
    }, 'each order being shipped');
    // The feed reports each payment once more, and so do repeated callbacks.
    shop.readFeed();
    await merchant.insist('/api/callbacks/replay', { body: { status: 'Delivered' } });
    shop.readFeed();
    expect(all.map((order) => shop.countShipped(order))).toEqual(all.map(() => 1));
  });
});

/** The gateway and the secrets of the shop's environment. */
type ShopSettings = { url: string; gatewayUrl: string; secret: string };

async function startLaravel(
  mariadb: Awaited<ReturnType<typeof startMariadb>>,
  { url, gatewayUrl, secret }: ShopSettings,
) {
  const folder = mkdtempSync(join(SCRATCH, 'balcao-laravel-'));
  for (const source of ['docs/shop/laravel', 'test/support/laravel'])
    cpSync(join(ROOT, source), folder, { recursive: true });
  for (const each of ['storage/views', 'bootstrap/cache']) mkdirSync(join(folder, each), { recursive: true });
  const settings = {
    ...process.env,
    APP_URL: url,
    BALCAO_PHP: join(ROOT, 'packages/php/src/autoload.php'),
    BALCAO_URL: gatewayUrl,
    BALCAO_CLIENT_ID: DEMO.clientId,
    BALCAO_CLIENT_SECRET: 'demo-secret',
    BALCAO_ACCESS_KEY: ACCESS_KEY,
    BALCAO_WEBHOOK_SECRET: secret,
    DB_PORT: String(mariadb.port),
    DB_DATABASE: 'shop',
    // Notifications and buyers come at the same time.
    PHP_CLI_SERVER_WORKERS: '6',
    TMPDIR: folder,
  };
  const run = (...command: string[]) =>
    execFileSync('php', ['artisan.php', ...command], { cwd: folder, env: settings, stdio: 'pipe' });
  run('migrate', '--force');
  const server = spawn('php', ['-S', new URL(url).host, '-t', 'public', 'public/index.php'], {
    cwd: folder,
    env: settings,
    stdio: 'ignore',
    detached: true,
  });
  await until(
    () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    'the shop being open',
  );
  return stopLater({
    url,
    /** Sends the shop's form until the shop has the payment. */
    order: ({ id, method }: ShopOrder) =>
      until(async () => {
        const body = new URLSearchParams({ order: id, method });
        const { status } = await fetch(`${url}/orders`, { method: 'POST', body, redirect: 'manual' });
        return status === 303;
      }, 'the order being taken'),
    visit: ({ id }: ShopOrder) => fetch(`${url}/orders/${id}`).then((answer) => answer.text()),
    paymentIdOf: ({ id }: ShopOrder) => mariadb.query(`select payment_id from orders where id = '${id}'`)[0]![0],
    countShipped: ({ id }: ShopOrder) => Number(mariadb.query(`select shipped from orders where id = '${id}'`)[0]![0]),
    readFeed: () => run('balcao:feed'),
    async stop() {
      const exited = once(server, 'exit');
      // The server's workers are processes of its group.
      process.kill(-server.pid!, 'SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  });
}
