// Streams of a node by themselves: who counts as a reader, and for how long.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { createStreams, type Stream } from '../../server/http/sse.ts';

const stopping = new AbortController();
const streams = createStreams(systemClock, stopping.signal, 1);
const server = createServer();
afterEach(() => (stopping.abort(), server.close()));

test('a reader who left while the stream was looked up takes nobody’s place', async () => {
  const closed: string[] = [];
  const opened = Promise.withResolvers<Stream>();
  const app = new Koa().use(async (ctx) => {
    const gone = once(ctx.res, 'close');
    reader.destroy();
    await gone;
    const stream = streams.open(ctx, 'payment');
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
