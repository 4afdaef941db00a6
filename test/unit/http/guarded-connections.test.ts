// Calls to merchants’ URLs, against real servers that count connections. The guard checks each resolved IP address.
import { createServer as createPlain, type RequestListener, type Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily, type AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  checkResolves,
  checkUrl,
  createGuardedConnections,
  type GuardOptions,
} from '../../../server/http/client/guard.ts';
import { OutgoingError, sendRequest } from '../../../server/http/client/outgoing.ts';
import { until } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';

type Counting = { server: Server; port: number; connections: number; requests: number };

let plain: Counting;
let tls: Counting;
beforeAll(async () => {
  plain = await listen(createPlain);
  tls = await listen((answer) => createTls({ key: KEY, cert: CERTIFICATE }, answer));
});
afterAll(() => {
  for (const { server } of [plain, tls]) {
    server.close();
    server.closeAllConnections();
  }
});
beforeEach(() => {
  for (const counted of [plain, tls]) Object.assign(counted, { connections: 0, requests: 0 });
});

async function listen(create: (answer: RequestListener) => Server): Promise<Counting> {
  const server = create((req, res) => (counted.requests++, req.resume(), res.end('thanks')));
  const counted: Counting = { server, port: 0, connections: 0, requests: 0 };
  server.on('connection', () => counted.connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  counted.port = (server.address() as AddressInfo).port;
  return counted;
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Returns a guarded sender. Its name server returns `answers` one after the other, and repeats the last. */
function makeSender(allowLoopback: boolean, ...answers: string[][]) {
  const queried: string[] = [];
  const resolve = async (name: string): Promise<string[]> => {
    queried.push(name);
    return answers[Math.min(queried.length, answers.length) - 1] ?? [];
  };
  const options: GuardOptions = { allowLoopback, resolve };
  const { kept, fresh, destroy } = createGuardedConnections(options);
  closing.push(destroy);
  const limits = { method: 'POST', body: '{}', timeoutMs: 10_000, maxBytes: 1000, clock: testClock() };
  // The connection becomes reusable in the next turn of the event loop.
  const send = async (url: string, connections = kept) => {
    const answer = await sendRequest({ url, ...limits, connections, freshConnections: fresh });
    await turn();
    return answer;
  };
  return { send, options, queried, kept, fresh, destroy };
}

async function failureOf(sent: Promise<unknown>): Promise<string> {
  const error = await sent.then(
    () => expect.unreachable('an answer came'),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(OutgoingError);
  return (error as OutgoingError).message;
}

const atPlain = (host: string) => `http://${host}:${plain.port}/hook`;
const atTls = (host: string) => `https://${host}:${tls.port}/hook`;

describe('an IP address in a URL', () => {
  test.each(['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', '[::127.0.0.1]'])(
    'is blocked without a connection: %s',
    async (host) => {
      const { send, fresh } = makeSender(false, ['41.63.160.1']);
      expect(await failureOf(send(atTls(host)))).toBe('blocked (address)');
      expect(await failureOf(send(atTls(host), fresh))).toBe('blocked (address)');
      expect(await failureOf(send(atPlain(host)))).toBe('blocked (scheme)');
      expect(plain.connections + tls.connections).toBe(0);
    },
  );

  test('may be loopback in a sandbox that allows it, in its usual form', async () => {
    const { send } = makeSender(true);
    expect(await send(atPlain('127.0.0.1'))).toMatchObject({ status: 200, body: 'thanks' });
    for (const host of ['0.0.0.0', '[::]', '[::ffff:127.0.0.1]', '[::127.0.0.1]', '10.0.0.1', '169.254.169.254'])
      expect(await failureOf(send(atPlain(host))), host).toBe('blocked (address)');
    expect(plain.connections).toBe(1);
  });
});

describe('a host name in a URL', () => {
  test.each([
    [['127.0.0.1']],
    [['::ffff:127.0.0.1']],
    [['41.63.160.1', '127.0.0.1']],
    [['2c0f:f248::1', '41.63.160.1', '::1']],
    [[]],
  ])('is blocked without a connection if it resolves to %j', async (addresses) => {
    const { send, queried, fresh } = makeSender(false, addresses);
    expect(await failureOf(send(atTls('shop.ao')))).toBe('blocked (address)');
    expect(await failureOf(send(atTls('shop.ao'), fresh))).toBe('blocked (address)');
    expect(queried).toEqual(['shop.ao', 'shop.ao']);
    expect(plain.connections + tls.connections).toBe(0);
  });

  test('is also blocked if Node.js requests only one address of the name', async () => {
    const before = getDefaultAutoSelectFamily();
    setDefaultAutoSelectFamily(false);
    try {
      const strict = makeSender(false, ['41.63.160.1', '127.0.0.1']);
      expect(await failureOf(strict.send(atTls('shop.ao')))).toBe('blocked (address)');
      const local = makeSender(true, ['127.0.0.1', '10.0.0.1'], ['127.0.0.1']);
      expect(await failureOf(local.send(atPlain('shop.ao')))).toBe('blocked (address)');
      expect(await local.send(atPlain('shop.ao'))).toMatchObject({ body: 'thanks' });
      expect([plain.connections, tls.connections]).toEqual([1, 0]);
    } finally {
      setDefaultAutoSelectFamily(before);
    }
  });

  test('is not resolved if it is a local name', async () => {
    const { send, queried } = makeSender(false, ['41.63.160.1']);
    for (const host of ['localhost', 'api.localhost', 'metadata.google.internal', 'balcao'])
      expect(await failureOf(send(atTls(host))), host).toBe('blocked (host)');
    expect(queried).toEqual([]);
  });

  test('is not resolved if the port of the URL is not allowed', async () => {
    const { send, queried } = makeSender(true, ['41.63.160.1']);
    for (const port of [22, 25, 80, 1023])
      expect(await failureOf(send(`https://shop.ao:${port}/`))).toBe('blocked (port)');
    expect(queried).toEqual([]);
  });

  test('is unreachable if it does not resolve', async () => {
    const error = Object.assign(new Error('none'), { code: 'ENOTFOUND', syscall: 'queryA' });
    const connections = createGuardedConnections({ allowLoopback: false, resolve: () => Promise.reject(error) });
    const request = { url: 'https://shop.ao/', method: 'GET', timeoutMs: 1, maxBytes: 1, clock: testClock() };
    expect(await failureOf(sendRequest({ ...request, connections: connections.kept }))).toBe('unreachable (ENOTFOUND)');
  });
});

describe('a name server that changes its answer', () => {
  test('is queried again for the connection, which is blocked', async () => {
    const { send, options, queried } = makeSender(false, ['41.63.160.1'], ['127.0.0.1']);
    expect(checkUrl(atTls('shop.ao'), options)).toBeNull();
    expect(await checkResolves(atTls('shop.ao'), options)).toBeNull();
    expect(await failureOf(send(atTls('shop.ao')))).toBe('blocked (address)');
    expect(queried).toHaveLength(2);
    expect(tls.connections).toBe(0);
  });

  test('is queried once for each connection', async () => {
    const { send, queried } = makeSender(true, ['127.0.0.1'], ['10.0.0.1']);
    expect(await send(atPlain('shop.ao'))).toMatchObject({ body: 'thanks' });
    expect(await send(atPlain('shop.ao'))).toMatchObject({ body: 'thanks' });
    expect([plain.connections, plain.requests]).toEqual([1, 2]);
    expect(queried).toEqual(['shop.ao']);
  });

  test('is queried again for the connection that replaces a keep-alive connection', async () => {
    const { send, queried } = makeSender(true, ['127.0.0.1'], ['10.0.0.1']);
    await send(atPlain('shop.ao'));
    // The server ends the keep-alive connection during its next request.
    plain.server.prependOnceListener('request', (req) => req.socket.destroy());
    expect(await failureOf(send(atPlain('shop.ao')))).toBe('blocked (address)');
    expect(await failureOf(send(atPlain('shop.ao')))).toBe('blocked (address)');
    expect(queried).toHaveLength(3);
    expect(plain.connections).toBe(1);
  });

  test('may return several addresses, and the sender tries each', async () => {
    const { send } = makeSender(true, ['::1', '127.0.0.1']);
    expect(await send(atPlain('shop.ao'))).toMatchObject({ body: 'thanks' });
  });
});

describe('a TLS connection', () => {
  const trusted = getCACertificates();
  afterEach(() => setDefaultCACertificates(trusted));

  test('is refused with a certificate that is not trusted, before a request is sent', async () => {
    const { send, fresh } = makeSender(true, ['127.0.0.1']);
    expect(await failureOf(send(atTls('shop.example')))).toBe('unreachable (DEPTH_ZERO_SELF_SIGNED_CERT)');
    expect(await failureOf(send(atTls('shop.example'), fresh))).toBe('unreachable (DEPTH_ZERO_SELF_SIGNED_CERT)');
    expect(tls.requests).toBe(0);
  });

  test('is also refused if the environment makes Node accept any certificate', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const { send } = makeSender(true, ['127.0.0.1']);
      expect(await failureOf(send(atTls('shop.example')))).toBe('unreachable (DEPTH_ZERO_SELF_SIGNED_CERT)');
      expect(tls.requests).toBe(0);
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  test('is accepted with a trusted certificate for its own name only', async () => {
    setDefaultCACertificates([...trusted, CERTIFICATE]);
    const { send } = makeSender(true, ['127.0.0.1']);
    let name: unknown;
    tls.server.once('secureConnection', (socket: TLSSocket) => (name = socket.servername));
    expect(await send(atTls('shop.example'))).toMatchObject({ status: 200, body: 'thanks' });
    expect(name).toBe('shop.example');
    expect(await failureOf(send(atTls('other.example')))).toBe('unreachable (ERR_TLS_CERT_ALTNAME_INVALID)');
    expect(await failureOf(send(atTls('127.0.0.1')))).toBe('unreachable (ERR_TLS_CERT_ALTNAME_INVALID)');
    expect(tls.requests).toBe(1);
  });

  test('is replaced with the same checks if a keep-alive connection ended', async () => {
    setDefaultCACertificates([...trusted, CERTIFICATE]);
    const { send, queried } = makeSender(true, ['127.0.0.1']);
    await send(atTls('shop.example'));
    tls.server.prependOnceListener('request', (req) => req.socket.destroy());
    expect(await send(atTls('shop.example'))).toMatchObject({ body: 'thanks' });
    expect([tls.connections, queried.length]).toEqual([2, 2]);
  });
});

describe('a keep-alive connection', () => {
  const countOpen = () =>
    new Promise<number>((resolve, reject) =>
      plain.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );

  test('is closed after one idle minute', async () => {
    const { send } = makeSender(true);
    plain.server.keepAliveTimeout = 600_000;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await send(atPlain('127.0.0.1'));
      vi.advanceTimersByTime(59_000);
      await send(atPlain('127.0.0.1'));
      expect(plain.connections).toBe(1);
      vi.advanceTimersByTime(60_000);
    } finally {
      vi.useRealTimers();
    }
    await until(async () => (await countOpen()) === 0, 'it being closed');
  });

  test('is closed with all others by destroy()', async () => {
    const { send, destroy } = makeSender(true);
    await send(atPlain('127.0.0.1'));
    plain.server.prependOnceListener('request', (_req, res) => (res.end = () => res));
    const waiting = failureOf(send(atPlain('127.0.0.1')));
    await until(() => plain.requests === 2, 'the second request');
    destroy();
    expect(await waiting).toBe('connection (closed)');
    expect(await failureOf(send(atPlain('127.0.0.1')))).toBe('connection (closed)');
    await until(async () => (await countOpen()) === 0, 'all of them being closed');
    expect(plain.connections).toBe(1);
  });
});

/** A self-signed certificate of shop.example, valid until 2120. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxxKg1PUQHM/1vjgw
eTlIm1GYCucO1JfgeFKTPT/2fXihRANCAASRKq6F8vN0AeaV1CSl6ZPmtymthoYe
b4k4IAhrCjkeZdtdJ+n1uw+HpOuEejUFN1+7dTTdKyGXUf6txC74VRu2
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBaTCCARCgAwIBAgIBATAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAxzaG9wLmV4
YW1wbGUwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBcxFTATBgNV
BAMMDHNob3AuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJEqroXy
83QB5pXUJKXpk+a3Ka2Ghh5viTggCGsKOR5l210n6fW7D4ek64R6NQU3X7t1NN0r
IZdR/q3ELvhVG7ajSzBJMBcGA1UdEQQQMA6CDHNob3AuZXhhbXBsZTAPBgNVHRMB
Af8EBTADAQH/MB0GA1UdDgQWBBTbXfMGl/+zcE7RfjYWj2Thf1Ki/DAKBggqhkjO
PQQDAgNHADBEAiAZ7BBnwPPqeGIC0L+FwJYL2vbzQkI2IZRPDqfdAXGWlAIgIG8r
X/b4OquFb5ktN505ZGEuQ5ASnY2jCgrjLkMzE9I=
-----END CERTIFICATE-----`;
