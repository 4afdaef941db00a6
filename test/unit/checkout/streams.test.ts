// The event streams of a node: the limits of each share, and readers who disconnect early.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { createStreams, type Stream } from '../../../server/http/sse.ts';

const stopping = new AbortController();
const streams = createStreams(systemClock, stopping.signal);
const server = createServer();
afterAll(() => (stopping.abort(), server.close()));

test('createStreams counts a stream in each of its shares, and refuses a stream if one of them is full', async () => {
  const own = createServer();
  onTestFinished(() => void own.close());
  const app = new Koa().use((ctx) => {
    const shares = String(ctx.query['of'])
      .split(' ')
      .map((of) => ({ of, most: of === 'any' ? 0 : 1 }));
    try {
      streams.open(ctx, shares);
    } catch {
      ctx.status = 503;
    }
  });
  own.on('request', app.callback()).listen(0, '127.0.0.1');
  await once(own, 'listening');
  const { port } = own.address() as AddressInfo;
  const gone = new AbortController();
  const open = async (of: string, signal = gone.signal) =>
    (await fetch(`http://127.0.0.1:${port}/?of=${encodeURIComponent(of)}`, { signal })).status;
  expect([await open('payment address'), await open('other address'), await open('payment any')]).toEqual([
    200, 503, 503,
  ]);
  expect([await open('any'), await open('any')]).toEqual([200, 200]);
  gone.abort();
  await expect.poll(() => streams.count()).toBe(0);
  expect(await open('payment address', new AbortController().signal)).toBe(200);
  own.closeAllConnections();
});

test('createStreams does not count a reader who disconnected before the stream opened', async () => {
  const closed: string[] = [];
  const opened = Promise.withResolvers<Stream>();
  const app = new Koa().use(async (ctx) => {
    const gone = once(ctx.res, 'close');
    reader.destroy();
    await gone;
    const stream = streams.open(ctx, [{ of: 'payment', most: 1 }]);
    stream.onClose(() => closed.push('told'));
    opened.resolve(stream);
  });
  server.on('request', app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  reader.write('GET / HTTP/1.1\r\nHost: shop\r\n\r\n');
  const stream = await opened.promise;
  stream.send('data: nobody\n\n');
  stream.close();
  expect({ closed, count: streams.count() }).toEqual({ closed: ['told'], count: 0 });
});
