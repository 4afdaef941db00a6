// A merchant's server as callbacks and webhooks find it: keeps every request in the order of arrival, and answers as it is told.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './app.ts';
import { stopLater } from './stop-later.ts';

/** Nodes that call it need this. */
export const RECEIVER_ENV = { CALLBACK_ALLOW_LOOPBACK: 'true' };

export const ACCESS_KEY = 'an-access-key-of-tests';

export type Received = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The bytes that came, as text. */
  body: string;
  /** The body as JSON; undefined where it is none. */
  json: any;
};

/** `hang`: no answer, until it stops. `drop`: the connection is cut. An object as body is sent as JSON. */
export type Said = 'hang' | 'drop' | { status?: number; body?: object | string; headers?: Record<string, string> };

/** What it says to a request; `nth` counts from 1. */
export type Say = (request: Received, nth: number) => Said | Promise<Said>;

export type Receiver = {
  /** `http://127.0.0.1:{port}`; any path will do. */
  url: string;
  /** All of them, in the order in which they had arrived completely. */
  requests: Received[];
  /** Answers differently from now on. */
  say(say: Say | Said): void;
  /** Waits until so many have come; answers them. */
  received(count: number): Promise<Received[]>;
  /** Connections that were made, ever. */
  connections(): number;
  stop(): Promise<void>;
};

/** What a merchant says who took it. */
export const TAKEN = { status: 200, body: { Success: true, Obs: 'ok', Id: '1' } } satisfies Said;

/** Starts it on a port of its own; without `answer` it takes everything. */
export async function startReceiver({ answer = TAKEN }: { answer?: Say | Said } = {}): Promise<Receiver> {
  const requests: Received[] = [];
  let current = asSay(answer);
  let connections = 0;
  const server = createServer(async (req, res) => {
    const chunks = await req.toArray().catch(() => null);
    // The caller went away before it had said everything.
    if (!chunks) return;
    const body = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = req;
    const request = { method, path, headers, body, json: readJson(body) };
    const nth = requests.push(request);
    write(res, await current(request, nth));
  });
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return stopLater({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    say: (say) => void (current = asSay(say)),
    received: (count) => until(() => (requests.length >= count ? requests : null), `request ${count} at the merchant`),
    connections: () => connections,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  });
}

const asSay = (say: Say | Said): Say => (typeof say === 'function' ? say : () => say);

function write(res: ServerResponse, said: Said): void {
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
