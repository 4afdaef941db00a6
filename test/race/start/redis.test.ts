import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { create, webframe } from '../../support/payments.ts';
import { readScrape } from '../../support/scrape.ts';

// Redis is optional outside of CI.
const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

if (process.env['CI'] === 'true')
  test('the CI environment has a Redis server', () => {
    expect(hasRedis, 'redis-server is missing: install it, apt-get install redis-server').toBe(true);
  });

describe.skipIf(!hasRedis)('two nodes with one Redis server', () => {
  let redis: ChildProcess;
  let port: number;
  let one: TestApp;
  let two: TestApp;

  beforeAll(async () => {
    port = await freePort();
    redis = await startRedis(port);
    const env = { REDIS_URL: `redis://127.0.0.1:${port}`, RATE_LIMIT_READ: '10' };
    one = await startTestApp({ env });
    // A token contains the URL of its issuer, so both nodes have one URL.
    two = await startTestApp({ env: { ...env, PUBLIC_URL: one.node.core.publicUrl }, databaseUrl: one.databaseUrl });
    // A node starts before its connection to Redis, and drops changes until then.
    let isConnected = false;
    two.node.core.changes.subscribe('payment:first', () => (isConnected = true));
    await until(() => {
      one.node.core.changes.publish('payment:first');
      return isConnected;
    }, 'both nodes being connected to Redis');
  });
  afterAll(async () => {
    redis.kill('SIGKILL');
  });

  test('notify each other of changes of a payment', async () => {
    const payment = await create(one, webframe());
    const watched = Promise.withResolvers<void>();
    two.node.core.changes.subscribe(`payment:${payment.id}`, () => watched.resolve());
    const pay = { body: { phoneNumber: '923000001' }, token: null };
    // Both clocks stand still, so no poll runs and only Redis can report the change.
    expect((await one.call(`/checkout/${payment.clientToken}/pay`, pay)).status).toBe(202);
    await watched.promise;
  });

  test('share the rate limit of a merchant', async () => {
    // A node that waits 250 ms for Redis counts alone, so a busy machine may need another try.
    const isShared = async () => {
      const { token } = await one.addMerchant();
      const statuses: number[] = [];
      for (let i = 0; i < 12; i++) statuses.push((await (i % 2 ? one : two).call('/api/payments', { token })).status);
      return isDeepStrictEqual(statuses, [...Array(10).fill(200), 429, 429]);
    };
    await until(isShared, 'both nodes counting together');
  });

  test('report in their metrics whether Redis is connected', async () => {
    // A node reconnects after a timeout.
    const isUp = async () => {
      const { value } = await readScrape(one.url);
      return ['limits', 'changes'].every((use) => value('balcao_redis_up', { use }) === 1);
    };
    await until(isUp, 'both connections being up');
  });

  test('respond to requests while Redis hangs', async () => {
    redis.kill('SIGSTOP');
    expect((await two.call('/api/payments', { body: webframe() })).status).toBe(201);
    redis.kill('SIGCONT');
  });

  test('delay only one request when Redis hangs, and share the limit again once Redis responds', async () => {
    const counted = await countAsked(port);
    const three = await startTestApp({ env: { REDIS_URL: counted.url, RATE_LIMIT_READ: '1000' } });
    const read = async () => {
      const before = counted.requestCount();
      expect((await three.call('/api/payments')).status).toBe(200);
      return counted.requestCount() - before;
    };
    await until(async () => (await read()) === 1, 'a limit that Redis counts');
    redis.kill('SIGSTOP');
    const hung = [];
    for (let nth = 0; nth < 4; nth++) hung.push(await read());
    expect(hung).toEqual([1, 0, 0, 0]);
    redis.kill('SIGCONT');
    await until(async () => (await read()) === 1 && (await read()) === 1, 'Redis counting each call again');
    await three.stop();
    counted.stop();
  });

  test('count requests separately while Redis is stopped, and still respond', async () => {
    const exited = once(redis, 'exit');
    redis.kill('SIGKILL');
    await exited;
    const { status } = await until(async () => {
      const reply = await one.call('/api/payments');
      return reply.status === 200 ? reply : null;
    }, 'a read without Redis');
    expect(status).toBe(200);
    expect((await one.call('/api/payments', { body: webframe() })).status).toBe(201);
    const readStates = async () => {
      const { samples } = await readScrape(one.url);
      return samples.filter(({ name }) => name === 'balcao_redis_up').map(({ value }) => value);
    };
    await until(async () => isDeepStrictEqual(await readStates(), [0, 0]), 'both connections being down');
  });
});

async function countAsked(port: number): Promise<{ url: string; requestCount(): number; stop(): void }> {
  let asked = 0;
  const server = createServer((client) => {
    const redis = connect(port, '127.0.0.1');
    client.on('data', (bytes) => {
      asked += bytes.toString('latin1').split(/\r\nevalsha\r\n/i).length - 1;
    });
    client.pipe(redis).pipe(client);
    for (const [from, to] of [
      [client, redis],
      [redis, client],
    ] as const) {
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return { url: `redis://127.0.0.1:${own}`, requestCount: () => asked, stop: () => void server.close() };
}

async function startRedis(port: number): Promise<ChildProcess> {
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: 'ignore' },
  );
  await until(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
        socket.on('error', () => resolve(false));
      }),
    'Redis listening',
  );
  return child;
}
