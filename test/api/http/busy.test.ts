// Limits that keep one client from blocking a node: late event loop, pipelined requests, streams and documents.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { approved, createPushed, notify, NOTIFY_ENV } from '../../support/notify.ts';
import { create, webframe } from '../../support/payments.ts';
import { fetchBytes, sendRaw } from '../../support/raw.ts';
import { leavesNothing } from '../../support/rows.ts';
import { readScrape } from '../../support/scrape.ts';
import { openStream } from '../../support/stream.ts';

let app: TestApp;
let isHeld = false;
beforeAll(async () => {
  app = await startTestApp({ env: { ...NOTIFY_ENV, STREAMS_PER_PAYMENT: '2' }, lag: { isOverloaded: () => isHeld } });
  await untilReady(app);
});

/** A check of a slow database makes a node unready, until a request for its readiness repeats the check. */
const untilReady = ({ call }: TestApp) =>
  until(async () => (await call('/readyz', { token: null })).status === 200, 'the node being ready');

beforeEach(() => {
  isHeld = false;
});

describe('a node whose event loop is late', () => {
  const readShed = async () => (await readScrape(app.url)).value('balcao_shed_total');

  test('refuses new requests with 503 and Retry-After, and counts them', async () => {
    await app.token();
    const before = await readShed();
    isHeld = true;
    const refused = [
      await leavesNothing(app, () => app.call('/api/payments', { body: webframe() })),
      await app.call('/api/payments', { body: '['.repeat(60_000) }),
      await app.call('/api/payments'),
      await app.call('/oauth/token', { method: 'POST', token: null }),
      await app.call('/docs', { token: null }),
    ];
    expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
      Array(5).fill([503, '2']),
    );
    expect(refused[0]!.json.code).toBe('service_unavailable');
    expect(await readShed()).toBe(before + 5);
    isHeld = false;
    expect((await app.call('/api/payments', { body: webframe() })).status).toBe(201);
  });

  test('still serves probes, metrics, rail notifications and open streams', async () => {
    const { attemptId, payment } = await createPushed(app);
    const stream = await openStream(`${app.url}/checkout/${payment.clientToken}/events`);
    isHeld = true;
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await app.call(path, { token: null })).status, path).toBe(200);
    expect(await notify(app, attemptId, approved())).toBe('applied');
    await stream.untilEvent(({ data }) => data.status === 'Paid', 'the stream telling of the money');
  });
});

describe('a keep-alive connection', () => {
  type Parsed = { request: IncomingMessage; response: ServerResponse };

  /** Pipelines GETs on one connection. `parsed`: requests that the node has read. `read`: the received text. */
  function sendAhead(paths: string[], reads: boolean): { parsed: Parsed[]; socket: Socket; read(): string } {
    const parsed: Parsed[] = [];
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    const note = (message: unknown) => {
      const one = message as Parsed;
      if (one.request.socket.remotePort === socket.localPort) parsed.push(one);
    };
    subscribe('http.server.request.start', note);
    onTestFinished(() => {
      unsubscribe('http.server.request.start', note);
      socket.destroy();
    });
    let text = '';
    socket.on('error', () => {});
    if (reads) socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''));
    return { parsed, socket, read: () => text };
  }

  test('has at most two prepared responses while its client sends 200 requests and reads no response', async () => {
    const { parsed } = sendAhead(Array(200).fill('/openapi.json'), false);
    await until(() => parsed.length === 200, '200 parsed requests');
    await until(() => parsed[0]!.request.socket.writableNeedDrain, 'the full socket');
    // The response to another client shows that the node prepares no further response on the first connection.
    const { body } = await fetchBytes(`${app.url}/openapi.json`, {});
    const waiting = parsed.reduce((sum, { response }) => sum + response.writableLength, 0);
    expect(waiting).toBeLessThan(2 * body.length);
    expect(parsed.at(-1)!.response.headersSent).toBe(false);
  });

  test('receives all responses in the order of its requests', async () => {
    const paths = Array.from({ length: 50 }, (_, nth) => (nth % 2 ? '/healthz' : '/nowhere'));
    const { read } = sendAhead(paths, true);
    const results = () => [...read().matchAll(/"(status":"ok|code":"not_found)"/g)].map(([, word]) => word);
    await until(() => results().length === 50, 'fifty answers');
    expect(results()).toEqual(paths.map((path) => (path === '/healthz' ? 'status":"ok' : 'code":"not_found')));
  });

  test('is closed after 300 requests whose responses the client has not read', async () => {
    const { socket, parsed } = sendAhead(Array(300).fill('/openapi.json'), false);
    await until(() => socket.destroyed || parsed[0]?.request.socket.destroyed, 'the connection being cut');
    expect((await app.call('/healthz', { token: null })).status).toBe(200);
  });
});

describe('a document that is the same for all clients', () => {
  test.each([
    ['/problems', 'text/html'],
    ['/problems', 'application/json'],
    ['/problems/not_found?lang=pt', 'text/html'],
    ['/openapi.json', 'application/json'],
  ])('is compressed and has a public cache time and an ETag: %s as %s', async (path, accept) => {
    const first = await app.call(path, { token: null, headers: { accept } });
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    expect(first.headers.get('vary')).toContain('Accept-Encoding');
    const again = await sendRaw(app.url, `GET ${path}`, [`Accept: ${accept}`, `If-None-Match: ${etag}`]);
    expect([again.status, again.body]).toEqual([304, '']);
    const { headers, body } = await fetchBytes(app.url + path, { accept, 'accept-encoding': 'br' });
    expect(headers['content-encoding']).toBe('br');
    expect(body.length).toBeLessThan(first.text.length);
  });

  test('counts against the rate limit of the client’s IP address', async () => {
    const limited = await app.startTwin({ env: { ...NOTIFY_ENV, RATE_LIMIT_PUBLIC: '1' } });
    const paths = [
      '/problems/not_found',
      '/problems',
      '/problems/not_found',
      '/openapi.json',
      '/docs',
      '/docs/payments',
    ];
    const statuses = [];
    for (const path of paths) statuses.push((await limited.call(path, { token: null })).status);
    expect(statuses).toEqual([200, 429, 429, 429, 429, 429]);
    await untilReady(limited);
  });
});

test('a checkout page can have two streams, and closing one allows another', async () => {
  const { clientToken } = await create(app, webframe());
  const url = `${app.url}/checkout/${clientToken}/events`;
  const [first, second] = [await openStream(url), await openStream(url)];
  const third = await app.call(`/checkout/${clientToken}/events`, { token: null });
  expect(third).toMatchObject({ status: 503, json: { code: 'service_unavailable' } });
  expect(third.headers.get('retry-after')).toBe('10');
  first.close();
  for (;;) {
    const again = await openStream(url);
    again.close();
    if (again.status === 200) break;
  }
  second.close();
});
