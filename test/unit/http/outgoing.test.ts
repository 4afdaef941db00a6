// An outgoing request and its response: size limit, redirects, deadlines, and keep-alive connections that end.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type LookupFunction, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createGuardedConnections } from '../../../server/http/client/guard.ts';
import {
  createConnections,
  OutgoingError,
  sendRequest,
  type AnswerWatch,
  type OutgoingRequest,
} from '../../../server/http/client/outgoing.ts';
import { until } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type TestServer = { url: string; server: Server; connections: number; bodies: string[] };

/** Counts connections, and notes each request's body before it is answered. */
async function startServer(answer: RequestListener): Promise<TestServer> {
  const server = createServer(async (req, res) => {
    started.bodies.push(Buffer.concat(await req.toArray()).toString());
    answer(req, res);
  });
  const started: TestServer = { url: '', server, connections: 0, bodies: [] };
  server.on('connection', () => started.connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  started.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  closing.push(() => (server.close(), server.closeAllConnections()));
  return started;
}

function makeConnections() {
  const connections = createGuardedConnections({ allowLoopback: true });
  closing.push(connections.destroy);
  return connections;
}

const limits = { method: 'POST', body: 'hello', timeoutMs: 10_000, maxBytes: 1000 };
/** Resolves in the next turn of the event loop, from which the connection can be used again. */
const send = (url: string, options: Partial<OutgoingRequest> = {}) =>
  sendRequest({ url, ...limits, clock: testClock(), ...options }).then(async (answer) => (await turn(), answer));
const failureOf = (sent: Promise<unknown>) =>
  sent.then(
    () => expect.unreachable('an answer came'),
    (error) => (expect(error).toBeInstanceOf(OutgoingError), (error as OutgoingError).code),
  );

describe('the response to an outgoing request', () => {
  const PACKERS = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync };
  const packs = Object.entries(PACKERS);

  test.each(packs)('is decoded from %s, although no encoding was requested', async (encoding, pack) => {
    const encodings: unknown[] = [];
    const { url } = await startServer((req, res) => {
      encodings.push(req.headers['accept-encoding']);
      res.writeHead(200, { 'Content-Encoding': encoding }).end(pack('{"Success":true,"Obs":"não"}'));
    });
    expect(await send(url)).toMatchObject({ status: 200, body: '{"Success":true,"Obs":"não"}', isTruncated: false });
    expect(encodings).toEqual(['identity']);
  });

  test.each(packs)('is limited by its decoded size in %s', async (encoding, pack) => {
    const { url } = await startServer((_req, res) => {
      res.writeHead(200, { 'Content-Encoding': encoding }).end(pack('a'.repeat(500_000)));
    });
    expect(await failureOf(send(url))).toBe('too_large');
    expect(await send(url, { truncates: true })).toMatchObject({ body: 'a'.repeat(1000), isTruncated: true });
  });

  test.each(packs)('fails if it is not valid %s or is cut off', async (encoding, pack) => {
    for (const bytes of [Buffer.from('{"Success":true}'), pack('{"Success":true}').subarray(0, -4)]) {
      const { url } = await startServer((_req, res) => res.writeHead(200, { 'Content-Encoding': encoding }).end(bytes));
      expect(await failureOf(send(url))).toBe('connection');
    }
  });

  test.each([...Object.keys(PACKERS), 'identity', 'GZIP'])(
    'may be empty although it names the encoding %s',
    async (encoding) => {
      const { url } = await startServer((_req, res) => res.writeHead(200, { 'Content-Encoding': encoding }).end());
      expect(await send(url)).toMatchObject({ status: 200, body: '' });
    },
  );

  test('has status, headers and body for every status', async () => {
    const { url, bodies } = await startServer((_req, res) => res.writeHead(500, { 'X-Said': 'no' }).end('não'));
    expect(await send(url)).toMatchObject({
      status: 500,
      headers: { 'x-said': 'no' },
      body: 'não',
      isTruncated: false,
    });
    expect(bodies).toEqual(['hello']);
  });

  test.each([301, 302, 303, 307, 308])('is a redirect %i that is not followed', async (status) => {
    const target = await startServer((_req, res) => res.end());
    const { url } = await startServer((_req, res) => res.writeHead(status, { Location: target.url }).end('moved'));
    expect(await send(url)).toMatchObject({ status, headers: { location: target.url }, body: 'moved' });
    expect(target.connections).toBe(0);
  });

  test('is the error `unreachable` if the port is closed', async () => {
    const { url, server } = await startServer((_req, res) => res.end());
    await new Promise((resolve) => server.close(resolve));
    expect(await failureOf(send(url))).toBe('unreachable');
  });
});

describe('the deadline of an outgoing request', () => {
  test('causes the error `unreachable` if the connection is not complete', async () => {
    const clock = testClock();
    // This name server never responds.
    const { promise: isAsked, resolve } = Promise.withResolvers<void>();
    const connections = createConnections({ lookup: () => resolve() });
    const failure = failureOf(send('http://rail.example/', { clock, connections }));
    await isAsked;
    await clock.advance(limits.timeoutMs);
    expect(await failure).toBe('unreachable');
  });

  test('prevents any data over a connection that completes later', async () => {
    const clock = testClock();
    const server = await startServer((_req, res) => res.end());
    const { promise: lookedUp, resolve } = Promise.withResolvers<() => void>();
    const lookup: LookupFunction = (_name, _options, answer) =>
      resolve(() => answer(null, [{ address: '127.0.0.1', family: 4 }]));
    const { port } = new URL(server.url);
    const failure = failureOf(
      send(`http://rail.example:${port}/`, { clock, connections: createConnections({ lookup }) }),
    );
    const answerAtLast = await lookedUp;
    await clock.advance(limits.timeoutMs);
    expect(await failure).toBe('unreachable');
    answerAtLast();
    await until(() => server.connections === 1, 'the connection');
    await until(async () => (await countOpen(server.server)) === 0, 'its end');
    expect(server.bodies).toEqual([]);
  });

  test('causes the error `unreachable` if the server does not answer the TLS handshake', async () => {
    const clock = testClock();
    const { promise: isTaken, resolve } = Promise.withResolvers<void>();
    const silent = createTcpServer((socket) => (closing.push(() => socket.destroy()), resolve()));
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    closing.push(() => silent.close());
    const failure = failureOf(send(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/`, { clock }));
    await isTaken;
    await clock.advance(limits.timeoutMs);
    expect(await failure).toBe('unreachable');
  });

  test.each(['new', 'kept'])(
    'over a %s connection is a timeout, because the request may have arrived',
    async (which) => {
      const clock = testClock();
      let isSilent = which === 'new';
      const { promise: isAsked, resolve } = Promise.withResolvers<void>();
      const { url } = await startServer((_req, res) => (isSilent ? resolve() : void res.end('well')));
      const connections = createConnections();
      if (which === 'kept') await send(url, { clock, connections });
      isSilent = true;
      const failure = failureOf(send(url, { clock, connections }));
      await isAsked;
      await clock.advance(limits.timeoutMs);
      expect(await failure).toBe('timeout');
      connections.destroy();
    },
  );
});

describe('a response above the size limit', () => {
  const answering = (text: string) => startServer((_req, res) => res.end(text));

  test('fails, or is cut if the caller allows it', async () => {
    const { url } = await answering('x'.repeat(1001));
    expect(await failureOf(send(url))).toBe('too_large');
    expect(await send(url, { truncates: true })).toMatchObject({ body: 'x'.repeat(1000), isTruncated: true });
  });

  test('is longer than the limit by at least one byte', async () => {
    const { url } = await answering('x'.repeat(1000));
    expect(await send(url)).toMatchObject({ body: 'x'.repeat(1000), isTruncated: false });
    expect(await send(url, { truncates: true })).toMatchObject({ body: 'x'.repeat(1000), isTruncated: false });
  });

  test.each(['é', '€', '😀'])('is not cut in the middle of the character %s', async (letter) => {
    const size = Buffer.byteLength(letter);
    for (let fitting = 1; fitting < size; fitting++) {
      const { url } = await answering(`${'x'.repeat(1000 - fitting)}${letter}more`);
      expect((await send(url, { truncates: true })).body).toBe('x'.repeat(1000 - fitting));
    }
    const { url } = await answering(`${'x'.repeat(1000 - size)}${letter}more`);
    expect((await send(url, { truncates: true })).body).toBe(`${'x'.repeat(1000 - size)}${letter}`);
  });

  test('is cut if it never ends, and the connection is closed', async () => {
    let isClosed = false;
    const { url } = await startServer((_req, res) => {
      const pour = () => void (res.destroyed || res.write('x'.repeat(600), () => setImmediate(pour)));
      res.on('close', () => (isClosed = true));
      pour();
    });
    expect(await send(url, { truncates: true })).toMatchObject({ status: 200, body: 'x'.repeat(1000) });
    await until(() => isClosed, 'the connection being closed');
  });
});

describe('a keep-alive connection that ends when it is used again', () => {
  const sayNonsense: RequestListener = (req) => void req.socket.end('What?\r\n\r\n');
  const sayHalf: RequestListener = (req, res) => {
    res.writeHead(200, { 'Content-Length': 100 });
    res.write('half', () => req.socket.destroy());
  };

  /** Answers the first request of each connection, for `good` connections. Other requests close their connection. */
  async function startCutting(good = Infinity, cut: RequestListener = (req) => req.socket.destroy()) {
    const used = new Set<unknown>();
    return startServer((req, res) => {
      const isGood = !used.has(req.socket) && used.size < good;
      used.add(req.socket);
      if (isGood) res.end('thanks');
      else cut(req, res);
    });
  }

  test('makes the client repeat the request over a new connection', async () => {
    const server = await startCutting();
    const { kept, fresh } = makeConnections();
    for (const body of ['1', '2', '3', '4'])
      expect(await send(server.url, { connections: kept, freshConnections: fresh, body })).toMatchObject({
        body: 'thanks',
      });
    expect(server.bodies).toEqual(['1', '2', '2', '3', '4', '4']);
    expect(server.connections).toBe(4);
  });

  test.each<[string, { good: number; hasFresh: boolean; bodies: string[]; cut?: RequestListener }]>([
    ['for a rail, which may get nothing twice', { good: 9, hasFresh: false, bodies: ['1', '2'] }],
    ['a third time', { good: 1, hasFresh: true, bodies: ['1', '2', '2'] }],
    ['after something else than an answer', { good: 9, hasFresh: true, bodies: ['1', '2'], cut: sayNonsense }],
    ['after the beginning of an answer', { good: 9, hasFresh: true, bodies: ['1', '2'], cut: sayHalf }],
  ])('does not make the client repeat the request %s', async (_when, { good, hasFresh, bodies, cut }) => {
    const server = await startCutting(good, cut);
    const { kept, fresh } = makeConnections();
    const options = { connections: kept, ...(hasFresh && { freshConnections: fresh }) };
    await send(server.url, { ...options, body: '1' });
    expect(await failureOf(send(server.url, { ...options, body: '2' }))).toBe('connection');
    expect(server.bodies).toEqual(bodies);
  });

  test('leads to a repeat only if it had completed a request before', async () => {
    const server = await startCutting(0);
    const { kept, fresh } = makeConnections();
    expect(await failureOf(send(server.url, { connections: kept, freshConnections: fresh }))).toBe('connection');
    expect(server.bodies).toEqual(['hello']);
  });

  test.each([
    ['the time is over', 'timeout'],
    ['the sender stops', 'connection'],
  ])('does not make the client repeat the request if %s', async (what, code) => {
    const server = await startCutting(Infinity, () => {});
    const { kept, fresh } = makeConnections();
    const [clock, stopping] = [testClock(), new AbortController()];
    const options = { connections: kept, freshConnections: fresh, clock, signal: stopping.signal };
    await send(server.url, { ...options, body: '1' });
    const failing = failureOf(send(server.url, { ...options, body: '2' }));
    await until(() => server.bodies.length === 2, 'the second request');
    if (what === 'the sender stops') stopping.abort();
    else await clock.advance(limits.timeoutMs);
    expect(await failing).toBe(code);
    expect(server.bodies).toEqual(['1', '2']);
    expect(server.connections).toBe(1);
  });

  test('has one deadline for the request and its repeat', async () => {
    let cuts = 0;
    const server = await startCutting(1, (req) => void (cuts++ === 0 && req.socket.destroy()));
    const { kept, fresh } = makeConnections();
    const options = { connections: kept, freshConnections: fresh, clock: testClock() };
    await send(server.url, { ...options, body: '1' });
    const failing = failureOf(send(server.url, { ...options, body: '2' }));
    await until(() => server.bodies.length === 3, 'the second try');
    await options.clock.advance(limits.timeoutMs);
    expect(await failing).toBe('timeout');
    await until(async () => (await countOpen(server.server)) === 0, 'its connection being closed');
  });
});

function countOpen(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

describe('an endless response', () => {
  /** Starts a server that writes raw bytes as its responses. */
  async function startRaw(speak: (socket: Socket) => void): Promise<string> {
    const server = createTcpServer((socket) => {
      closing.push(() => socket.destroy());
      socket.on('error', () => {});
      socket.once('data', () => speak(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }
  const writeOn = (socket: Socket, text: string) => {
    const write = () => {
      while (!socket.destroyed && socket.write(text, 'latin1'));
      if (!socket.destroyed) socket.once('drain', write);
    };
    write();
  };

  const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
  /** A compressed block without data. */
  const EMPTY_BLOCK = '\0\0\0\u00ff\u00ff';
  const sayThenWriteOn = (socket: Socket, said: (string | Buffer)[], text: string) => {
    for (const part of said) socket.write(part);
    writeOn(socket, text);
  };

  test.each<[string, string, (socket: Socket) => void]>([
    ['after several informational answers', 'too_large', (socket) => writeOn(socket, EARLY_HINTS.repeat(100))],
    [
      'if its headers do not end',
      'connection',
      (socket) => sayThenWriteOn(socket, ['HTTP/1.1 200 OK\r\n'], 'X-More: and more\r\n'.repeat(1_000)),
    ],
    [
      'if its compressed body has empty blocks',
      'too_large',
      (socket) => {
        const said = ['HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n', gzipSync('').subarray(0, 10)];
        sayThenWriteOn(socket, said, EMPTY_BLOCK.repeat(10_000));
      },
    ],
    [
      'with fewer bytes than its length',
      'connection',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
    ],
  ])('makes the request fail %s: %s', async (_when, code, speak) => {
    expect(await failureOf(send(await startRaw(speak)))).toBe(code);
  });

  test('may begin with three informational responses (1xx)', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3);
    const url = await startRaw((socket) => socket.end(`${hints}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwell`));
    expect(await send(url)).toMatchObject({ status: 200, body: 'well' });
  });

  test('makes the request fail at the deadline if it arrives byte by byte', async () => {
    const clock = testClock();
    const { promise: isBegun, resolve } = Promise.withResolvers<void>();
    const url = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na');
      resolve();
    });
    const failure = failureOf(send(url, { clock }));
    await isBegun;
    await clock.advance(limits.timeoutMs);
    expect(await failure).toBe('timeout');
  });

  test('adds its decoded bytes to the budget of its host', async () => {
    const packed = gzipSync('0'.repeat(100_000));
    const { url } = await startServer((_req, res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(packed));
    const noted: number[] = [];
    const { kept } = makeConnections();
    const watch: AnswerWatch = { limit: (maxBytes) => maxBytes, note: ({ bytes }) => noted.push(bytes) };
    await send(url, { maxBytes: 100_000, connections: { ...kept, watch } });
    expect(noted).toEqual([100_000 + packed.length]);
  });

  test('is accepted if it does end, after 50,000 chunks of one byte', async () => {
    const size = 50_000;
    const url = await startRaw((socket) => {
      const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
      socket.end(`${head}${'1\r\na\r\n'.repeat(size)}0\r\n\r\n`);
    });
    const { body } = await send(url, { maxBytes: size });
    expect(body).toBe('a'.repeat(size));
  });
});
