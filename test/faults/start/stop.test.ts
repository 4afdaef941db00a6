import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type Reply } from '../../support/app.ts';
import { killChildren, startChild } from '../../support/child.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { create, purchase, webframe } from '../../support/payments.ts';
import { openStream } from '../../support/stream.ts';

const PHONE = '923000001';
const MERCHANTS_AT_ONCE = 12;

let gateway: Gateway;
beforeAll(async () => {
  // The timeout is longer than any stop of a node.
  gateway = await startGateway({ env: { GPO_TIMEOUT_S: '60' } });
});
afterAll(async () => {
  await killChildren();
});

async function createMany(replies: Reply[]): Promise<void> {
  for (;;) {
    const body = purchase(PHONE);
    const reply = await gateway.merchant
      .call('/api/payments', { body, headers: { connection: 'close' } })
      .catch(() => null);
    if (!reply) return;
    replies.push(reply);
  }
}

/** Sends half a request that the server has accepted. */
async function sendHalf(path: string) {
  const socket = connect(gateway.child().port, '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n`);
  const ended = once(socket, 'close');
  return {
    async finish(): Promise<string> {
      socket.write('\r\n');
      await ended;
      return text;
    },
  };
}

test('a node that receives SIGTERM under load responds to every accepted request', async () => {
  const { merchant, rail } = gateway;
  const { url } = gateway.child();
  const page = await merchant.call('/api/payments', { body: webframe() });
  const stream = await fetch(`${url}/checkout/${page.json.clientToken}/events`);
  const waiting = merchant.call('/api/payments', { body: purchase('923000002'), headers: { prefer: 'wait=100' } });
  await until(async () => (await rail.books()).length === 1, 'the waiting payment’s push');
  const half = await sendHalf('/healthz');
  const [{ id: pushed }] = await gateway.sql('select payment_id as id from attempts');
  rail.calls.holdAt('answer');
  const syncing = merchant.call(`/api/payments/${pushed}/sync`, { method: 'POST' });
  // The proxy may also hold a poll of the same push.
  await until(() => rail.calls.held() > 0, 'the sync asking the rail');
  rail.calls.holdAt(null);

  const replies: Reply[] = [];
  const load = Promise.all(Array.from({ length: MERCHANTS_AT_ONCE }, () => createMany(replies)));
  await until(() => replies.length > 3 * MERCHANTS_AT_ONCE, 'the load');
  gateway.child().process.kill('SIGTERM');

  // The event stream ends with a reconnect time for the client.
  expect(await stream.text()).toMatch(/event: session\n[^]*\nretry: \d+\n\n$/);
  // A request that waits for an outcome returns immediately with the current payment.
  expect(await waiting).toMatchObject({ status: 201, json: { status: 'Processing' } });
  await load;
  expect(await half.finish()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nconnection: close\r\n[^]*\{"status":"ok"\}$/i);
  rail.calls.release();
  expect(await syncing).toMatchObject({ status: 200 });
  expect(await gateway.child().exited, gateway.child().output()).toBe(0);

  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
  const acknowledged = replies.map(({ json }) => json.internalId);
  const others = [page.json.internalId, (await waiting).json.internalId];
  const rows = await gateway.sql('select id from payments');
  expect(rows.map(({ id }) => id).sort()).toEqual([...acknowledged, ...others].sort());
  // The node sent every accepted push and recorded the rail's response.
  expect(await gateway.sql(`select from attempts where status <> 'Sent'`)).toEqual([]);
  expect(await rail.books()).toHaveLength(acknowledged.length + 1);
  await gateway.expectTruth();
});

test('a node with DRAIN_S first becomes unready, still responds to requests, and then stops', async () => {
  const app = await startTestApp({ env: { DRAIN_S: '5' } });
  const { clientToken } = await create(app, webframe());
  const address = `${app.url}/checkout/${clientToken}/events`;
  const streams = await Promise.all(Array.from({ length: 18 }, () => openStream(address)));
  await until(() => streams.every(({ events }) => events.length > 0), 'the streams');
  const keep = async () => {
    const kept = connect(Number(new URL(app.url).port), '127.0.0.1');
    kept.write(`GET /checkout/${clientToken}/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`);
    await once(kept, 'data');
    return { left: once(kept.resume(), 'end') };
  };
  const kept = await Promise.all([keep(), keep(), keep()]);
  const { streams: open } = app.node.app;
  let isStopped = false;
  const stopped = app.node.stop().then(() => (isStopped = true));

  expect((await app.call('/readyz', { token: null })).status).toBe(503);
  // Load balancers still route new connections to this node.
  await app.clock.advance(999);
  expect(open.count()).toBe(21);
  await app.clock.advance(2_000);
  await until(() => open.count() < 21, 'readers who leave one after the other');
  expect(open.count()).toBeGreaterThan(0);
  const reply = await app.call('/api/payments', { body: purchase(PHONE) });
  expect({ status: reply.status, connection: reply.headers.get('connection') }).toEqual({
    status: 201,
    connection: 'close',
  });
  await app.clock.advance(1_990);
  // An idle connection would lead the client back to this node. One reader may leave at the very end of the time.
  await Promise.any(kept.map(({ left }) => left));
  expect(isStopped).toBe(false);
  expect((await app.call('/healthz', { token: null })).status).toBe(200);

  await app.clock.advance(20);
  await stopped;
  await expect(fetch(`${app.url}/healthz`)).rejects.toThrow();
  // Clients receive different times to reconnect.
  await Promise.all(streams.map((stream) => stream.untilEnd()));
  const hints = streams.map((stream) => Number(/\nretry: (\d+)\n\n$/.exec(stream.text())?.[1]));
  expect(hints.every((hint) => hint >= 500 && hint < 3_000)).toBe(true);
  expect(Math.max(...hints) - Math.min(...hints)).toBeGreaterThan(500);
  // The node closes an idle connection after 75 s.
});

test('a second SIGTERM ends the node immediately with exit code 0', async () => {
  const env = { DATABASE_URL: gateway.databaseUrl, DRAIN_S: '600' };
  const { url, process: child, exited, output } = await startChild({ env });
  child.kill('SIGTERM');
  // A node that stops closes idle connections, also one that this request uses.
  const isGoing = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status === 503,
      () => false,
    );
  await until(isGoing, 'the node going');
  child.kill('SIGINT');
  expect(await exited, output()).toBe(0);
});
