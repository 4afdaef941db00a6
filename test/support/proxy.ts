// An HTTP proxy in front of a rail or a gateway. A test counts, holds, cuts or refuses requests and responses.
// The proxy forwards only complete responses, so an event stream arrives after its end.
import { once } from 'node:events';
import {
  createServer,
  request as send,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { freePort } from './free-port.ts';
import { listen } from './listen.ts';

type Seen = { method: string; path: string; body: string; headers: IncomingHttpHeaders; atMs: number };

/** The answer in place of the target's. `half` is the target's answer without its end. `hang` never answers. */
type Answer = 'cut' | 'half' | 'hang' | { status: number; headers?: Record<string, string>; body?: string };

/** `isForwarded`: the target has processed the request before the proxy spoils its answer. */
export type Spoiled = { answer: Answer; isForwarded?: boolean };

/** Chooses which request is spoiled. `nth`: the number of the request with its method and path, from 1. */
type Spoiler = (request: Seen, nth: number) => Spoiled | null;

/** `request`: holds a call before the target receives it. `answer`: holds it after the target has processed it. */
export type HoldPoint = 'request' | 'answer';

export type Proxy = Awaited<ReturnType<typeof startProxy>>;

type Held = { goOn(): void; cut(): void };

/** Starts a proxy on a free port. `target` is read for each request, because it may restart on another port. */
export async function startProxy(target: () => string) {
  const seen: Seen[] = [];
  const held = new Set<Held>();
  let point: HoldPoint | null = null;
  let holdsLists = false;
  let spoiler: Spoiler | null = null;
  let port = await freePort();
  let server: Server | null = null;

  /** Resolves when the test releases the request, with false if the test cuts it. */
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
    const { method = 'GET', url: path = '/', headers } = req;
    const request = { method, path, body: body.toString('utf8'), headers, atMs: performance.now() };
    seen.push(request);
    const nth = seen.filter((each) => each.method === method && each.path === path).length;
    const spoiled = spoiler?.(request, nth);
    if (spoiled) return spoil(res, spoiled, () => forward(target() + path, method, req, body));
    const isList = method === 'GET' && path.startsWith('/v1/payments?');
    if (!(await pass(res, 'request', isList))) return;
    const answer = await forward(target() + path, method, req, body);
    if (!(await pass(res, 'answer', isList))) return;
    res.writeHead(answer.status, answer.headers).end(answer.body);
  };

  const proxy = {
    url: '',
    /** All requests, in order. */
    seen,
    /**
     * Holds later requests at this point, or stops holding for null. Held requests stay held.
     * Nodes read the rail's payment list every minute. The proxy holds these reads only with `lists`.
     */
    holdAt(next: HoldPoint | null, { lists } = { lists: false }) {
      point = next;
      holdsLists = lists;
    },
    /** Spoils the answers of later requests, and forgets the requests before. Null: spoils no answer any more. */
    spoil(next: Spoiler | null) {
      seen.length = 0;
      spoiler = next;
    },
    held: () => held.size,
    /** Forwards all held requests, even if their sender has died. */
    release: () => [...held].forEach((entry) => entry.goOn()),
    cut: () => [...held].forEach((entry) => entry.cut()),
    /** The proxy refuses connections until start(). */
    async stop(): Promise<void> {
      proxy.cut();
      server?.close().closeAllConnections();
      if (server?.listening) await once(server, 'close');
    },
    /** Listens on the same port as before. */
    async start(): Promise<void> {
      // For the caller an unreachable target looks like a cut connection.
      server = createServer((req, res) => void serve(req, res).catch(() => res.destroy()));
      proxy.url = await listen(server, port);
      port = Number(new URL(proxy.url).port);
    },
  };
  await proxy.start();
  return proxy;
}

type Forwarded = Awaited<ReturnType<typeof forward>>;

async function spoil(res: ServerResponse, { answer, isForwarded }: Spoiled, pass: () => Promise<Forwarded>) {
  const original = isForwarded || answer === 'half' ? await pass() : null;
  if (answer === 'hang') return;
  if (answer === 'cut') return void res.destroy();
  if (answer !== 'half') return void res.writeHead(answer.status, answer.headers).end(answer.body);
  const { status, headers, body } = original!;
  res.writeHead(status, { ...headers, 'content-length': body.length });
  res.write(body.subarray(0, body.length / 2), () => res.destroy());
}

async function forward(url: string, method: string, { headers }: IncomingMessage, body: Buffer) {
  const { host: _, ...rest } = withoutHops(headers);
  const request = send(url, { method, headers: { ...rest, 'content-length': body.length }, agent: false });
  request.end(body);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const content = Buffer.concat(await answer.toArray());
  return { status: answer.statusCode ?? 502, headers: withoutHops(answer.headers), body: content };
}

/** Headers that belong to one connection. */
const HOPS = new Set(['connection', 'keep-alive', 'transfer-encoding']);

function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOPS.has(name)));
}

export type TcpProxy = Awaited<ReturnType<typeof openTcpProxy>>;

/** A TCP proxy between payers and nodes. A test can route it to another node, cut it or silence it. */
export async function openTcpProxy(first: string) {
  let target = new URL(first);
  const pairs = new Set<[Socket, Socket]>();
  const server = createTcpServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.once('close', () => {
        pairs.delete(pair);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  const cut = () => pairs.forEach(([near]) => near.destroy());
  return {
    url: await listen(server),
    /** Routes new connections to this node. */
    routeTo: (url: string) => void (target = new URL(url)),
    /** Cuts all connections. */
    cut,
    /** Open connections stay open and carry no more bytes, as after a change of network. New connections work. */
    silence() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        // The payer's socket stays open: bytes that it sends are read and dropped.
        far.removeAllListeners('close').destroy();
        near.resume();
      }
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
