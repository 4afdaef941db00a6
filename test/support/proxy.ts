// An HTTP proxy before a rail or a gateway whose requests and answers a test can count, hold back, cut, or refuse.
// It passes on whole answers only: a stream comes through when it has ended.
import { once } from 'node:events';
import {
  createServer,
  request as send,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export type Seen = { method: string; path: string; body: string };

/** `request`: held before the other side gets it. `answer`: the other side has done its part, nobody learns of it. */
export type HoldPoint = 'request' | 'answer';

export type Proxy = {
  url: string;
  /** Every request that came, in order. */
  seen: Seen[];
  /**
   * What comes from now on is held at this point; null lets it pass. What is held already stays so. A node asks for the rail's
   * list of money by itself, each minute and at its start: that is held only with `lists`, or nobody could count the others.
   */
  holdAt(point: HoldPoint | null, options?: { lists: boolean }): void;
  /** How many are held at this moment. */
  held(): number;
  /** Lets what is held go on, whether its sender still lives or not. */
  release(): void;
  /** Cuts the connections of what is held: it goes nowhere any more. */
  cut(): void;
  /** Nobody listens: connections are refused until start(). */
  stop(): Promise<void>;
  /** Listens (again), always on the same port. */
  start(): Promise<void>;
};

type Held = { goOn(): void; cut(): void };

/** Starts a proxy on a port of its own; `target` is asked at each request, as it may restart elsewhere. */
export async function startProxy(target: () => string): Promise<Proxy> {
  const seen: Seen[] = [];
  const held = new Set<Held>();
  let point: HoldPoint | null = null;
  let holdsLists = false;
  let port = 0;
  let server: Server | null = null;

  /** Resolves when a test lets it; false when the connection was cut instead. */
  const pass = (res: ServerResponse, here: HoldPoint, isList: boolean) =>
    point === here && (holdsLists || !isList)
      ? new Promise<boolean>((resolve) => {
          const entry = {
            goOn: () => resolve(held.delete(entry)),
            cut() {
              held.delete(entry);
              res.destroy();
              resolve(false);
            },
          };
          held.add(entry);
        })
      : Promise.resolve(true);

  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    const body = Buffer.concat(await req.toArray());
    const { method = 'GET', url: path = '/' } = req;
    seen.push({ method, path, body: body.toString('utf8') });
    const isList = method === 'GET' && path.startsWith('/v1/payments?');
    if (!(await pass(res, 'request', isList))) return;
    const answer = await forward(target() + path, method, req, body);
    if (!(await pass(res, 'answer', isList))) return;
    res.writeHead(answer.status, answer.headers).end(answer.body);
  };

  const proxy: Proxy = {
    url: '',
    seen,
    holdAt(next, { lists } = { lists: false }) {
      point = next;
      holdsLists = lists;
    },
    held: () => held.size,
    release: () => [...held].forEach((entry) => entry.goOn()),
    cut: () => [...held].forEach((entry) => entry.cut()),
    async stop() {
      proxy.cut();
      server?.close().closeAllConnections();
      if (server?.listening) await once(server, 'close');
    },
    async start() {
      // A target that is away looks like a cut connection.
      server = createServer((req, res) => void serve(req, res).catch(() => res.destroy()));
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
      proxy.url = `http://127.0.0.1:${port}`;
    },
  };
  await proxy.start();
  return proxy;
}

async function forward(url: string, method: string, { headers }: IncomingMessage, body: Buffer) {
  const { host: _, ...rest } = withoutHops(headers);
  const request = send(url, { method, headers: { ...rest, 'content-length': body.length }, agent: false });
  request.end(body);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const content = Buffer.concat(await answer.toArray());
  return { status: answer.statusCode ?? 502, headers: withoutHops(answer.headers), body: content };
}

/** What concerns one connection only is said anew on the next. */
const HOPS = new Set(['connection', 'keep-alive', 'transfer-encoding']);

function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOPS.has(name)));
}
