// A merchant's server that stores every request and returns the answers that a test sets.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse, type IncomingMessage } from 'node:http';
import { until } from './app.ts';
import { listen } from './listen.ts';
import { stopLater } from './stop-later.ts';

/** The environment that lets a node call a receiver on loopback. */
export const RECEIVER_ENV = { CALLBACK_ALLOW_LOOPBACK: 'true' };

export const ACCESS_KEY = 'an-access-key-of-tests';

export type Received = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The parsed body. Undefined if the body is not JSON. */
  json: any;
};

/** A response. `hang` never responds, and `drop` closes the connection. An object as body is sent as JSON. */
export type ReceiverAnswer =
  'hang' | 'drop' | { status?: number; body?: object | string; headers?: Record<string, string> };

/** Chooses the response to a request. `nth`: the number of the request, from 1. */
export type ReceiverHandler = (request: Received, nth: number) => ReceiverAnswer | Promise<ReceiverAnswer>;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** The response that confirms a callback. */
export const CONFIRMATION = { status: 200, body: { Success: true, Obs: 'ok', Id: '1' } } satisfies ReceiverAnswer;

/** Listens on a free port and confirms everything by default. */
export async function startReceiver({ answer = CONFIRMATION }: { answer?: ReceiverHandler | ReceiverAnswer } = {}) {
  const requests: Received[] = [];
  let current = asSay(answer);
  let connections = 0;
  const server = createServer(async (req, res) => {
    const chunks = await req.toArray().catch(() => null);
    // The caller closed the connection before the body's end.
    if (!chunks) return;
    const body = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = req;
    const request = { method, path, headers, body, json: readJson(body) };
    const nth = requests.push(request);
    write(res, await current(request, nth));
  });
  server.on('connection', () => connections++);
  return stopLater({
    url: await listen(server),
    /** Complete requests in the order of arrival. */
    requests,
    answerWith: (say: ReceiverHandler | ReceiverAnswer) => void (current = asSay(say)),
    /** Waits for `count` requests and returns them. */
    received: (count: number) =>
      until(() => (requests.length >= count ? requests : null), `request ${count} at the merchant`),
    connections: () => connections,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  });
}

const asSay = (say: ReceiverHandler | ReceiverAnswer): ReceiverHandler => (typeof say === 'function' ? say : () => say);

function write(res: ServerResponse, said: ReceiverAnswer): void {
  if (said === 'hang') return;
  if (said === 'drop') return void res.destroy();
  const { status = 200, body = '', headers = {} } = said;
  const isText = typeof body === 'string';
  res.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
  res.end(isText ? body : JSON.stringify(body));
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export type HostCall = { method: string; path: string; body: string };
export type HostileHost = Awaited<ReturnType<typeof startHost>>;

/** Starts an HTTP server, which stops after the test file. A call that `answer` ignores has no response. */
export async function startHost(answer: (call: HostCall, res: ServerResponse) => void) {
  const calls: HostCall[] = [];
  const server = createServer(async (req: IncomingMessage, res) => {
    const chunks = await req.toArray().catch(() => []);
    const call = { method: req.method ?? '', path: req.url ?? '', body: Buffer.concat(chunks).toString() };
    calls.push(call);
    answer(call, res);
  });
  return stopLater({
    url: await listen(server),
    calls,
    stop: () => server.close().closeAllConnections(),
  });
}

export function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(typeof value === 'string' ? value : JSON.stringify(value));
}
