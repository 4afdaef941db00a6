// The HTTP server that all fakes share: requests, injected faults, notifications, and a page with buttons.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFakePage } from './fake-page.ts';

export type FakeRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
  /** `json`: the fields of the body, or an empty object if the body is no JSON object. */
  json: Record<string, any>;
};

/** The fake's answer to a request. A string `body` is sent unchanged, any other value as JSON. */
export type FakeAnswer = { status: number; body?: unknown; headers?: Record<string, string> };

/**
 * An injected fault of one request. Its "effect" is the change that the request makes, for example a new charge.
 * - `drop_before`, `drop_after`: closes the connection before or after the effect.
 * - `error_before`, `error_after`: answers 500 before or after the effect.
 * - `hang`: executes the effect but sends no answer.
 * - `oversize`, `garbage`: executes the effect, then answers more than 64 KiB, or HTML.
 * - a number: answers with this status, without the effect.
 * - a promise: delays the correct answer until it resolves.
 */
export type FakeFault =
  | 'drop_before'
  | 'drop_after'
  | 'error_before'
  | 'error_after'
  | 'hang'
  | 'oversize'
  | 'garbage'
  | number
  | Promise<void>;

/** A row of the fake's page: description, state, and buttons. */
export type FakeRow = { id: string; what: string; state: string; actions: readonly string[] };

export type FakeAccount = { settings: Record<string, unknown>; secrets: Record<string, string> };

/** `id`: the last segment of the URL path, for a route such as `GET /charges/:id`. */
type FakeHandler = (request: FakeRequest, id: string) => FakeAnswer | Promise<FakeAnswer>;

type FakeOptions<Book> = {
  title: string;
  /** `book`: the fake's data, which the cases read and change. */
  book: Book;
  /** Returns the settings and secrets of a rail account at this fake. Only OPG has several dialects. */
  account(url: string, dialect?: string): FakeAccount;
  /** Answers a request before its route, for example one with wrong credentials. Null: the route answers. */
  intercept(request: FakeRequest): FakeAnswer | null;
  /** The provider's API, for example `GET /charges/:id`. A handler changes the fake's data and returns the answer. */
  routes: Readonly<Record<string, FakeHandler>>;
  /** `notFound`: the answer to a request without a route. */
  notFound?: FakeAnswer;
  rows(): FakeRow[];
  act(id: string, action: string): void | Promise<void>;
};

/** A notification that the fake sent. `status` is null without an answer. */
type FakeNotice = { url: string; body: string; status: number | null };

export type Fake<Book = any> = {
  book: Book;
  account(dialect?: string): FakeAccount;
  /** `url`: the fake's base URL, without a slash at the end. */
  url: string;
  /** The connector's requests, oldest first. */
  requests: FakeRequest[];
  notices: FakeNotice[];
  /** `silent`: the number of connector requests that the fake did not answer. */
  silent: number;
  /** Injects a fault into the next `times` requests whose URL path begins with `path`. */
  fault(kind: FakeFault, where?: { method?: string; path?: string; times?: number }): void;
  notify(url: string, body: unknown, headers?: Record<string, string>): Promise<FakeNotice>;
  page(): string;
  act(id: string, action: string): Promise<void>;
  stop(): Promise<void>;
};

export async function startFake<Book>(options: FakeOptions<Book>, port = 0): Promise<Fake<Book>> {
  const faults: { kind: FakeFault; method: string | null; path: string; left: number }[] = [];
  const take = ({ method, path }: FakeRequest) => {
    const fault = faults.find((one) => one.left > 0 && path.startsWith(one.path) && (one.method ?? method) === method);
    if (fault) fault.left--;
    return fault?.kind ?? null;
  };
  const fake: Fake<Book> = {
    book: options.book,
    account: (dialect) => options.account(fake.url, dialect),
    url: '',
    requests: [],
    notices: [],
    silent: 0,
    fault: (
      kind,
      { method = null, path = '/', times = 1 }: { method?: string | null; path?: string; times?: number } = {},
    ) => void faults.push({ kind, method, path, left: times }),
    async notify(url, body, headers = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: text };
      const status = await fetch(url, init).then(
        (answer) => answer.body?.cancel().then(() => answer.status) ?? answer.status,
        () => null,
      );
      const notice = { url, body: text, status };
      fake.notices.push(notice);
      return notice;
    },
    page: () => writeFakePage(options.title, options.rows()),
    act: async (id, action) => options.act(id, action),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((req, res) => {
    void (async () => {
      const request = await readRequest(req);
      if (await answerPeople(fake, request, res)) return;
      fake.requests.push(request);
      const fault = take(request);
      await answerFaulty(fault, () => answer(options, request), req, res);
      if (fault === 'hang') fake.silent++;
    })().catch((error: unknown) => {
      res.writeHead(500).end(String(error));
    });
  });
  // Like the gateway, the server keeps idle connections open, so that they do not close during their next use.
  server.keepAliveTimeout = 75_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

async function readRequest(req: IncomingMessage): Promise<FakeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  const url = new URL(req.url ?? '/', 'http://fake');
  const body = Buffer.concat(chunks).toString('utf8');
  const { pathname: path, searchParams: query } = url;
  return { method: req.method ?? 'GET', path, query, headers: req.headers, body, json: readObject(body) };
}

function readObject(text: string): Record<string, any> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

async function answer<Book>(options: FakeOptions<Book>, request: FakeRequest): Promise<FakeAnswer> {
  const { method, path } = request;
  const [, parent = '', id = ''] = /^(.*)\/([^/]+)$/.exec(path) ?? [];
  const route = options.routes[`${method} ${path}`] ?? options.routes[`${method} ${parent}/:id`];
  return options.intercept(request) ?? (await route?.(request, id)) ?? options.notFound ?? { status: 404 };
}

async function answerFaulty(
  fault: FakeFault | null,
  answer: () => FakeAnswer | Promise<FakeAnswer>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (fault === 'drop_before') return void req.socket.destroy();
  if (fault === 'error_before') return write(res, { status: 500, body: 'fake: 500' });
  if (typeof fault === 'number') return write(res, { status: fault, body: '' });
  const answered = await answer();
  if (fault instanceof Promise) await fault;
  if (fault === 'hang') return;
  if (fault === 'drop_after') return void req.socket.destroy();
  if (fault === 'error_after') return write(res, { status: 500, body: 'fake: 500' });
  if (fault === 'oversize') return write(res, { status: answered.status, body: 'x'.repeat(70_000) });
  write(res, fault === 'garbage' ? { status: answered.status, body: '<html>Bad gateway' } : answered);
}

function write(res: ServerResponse, { status, body, headers = {} }: FakeAnswer): void {
  const isText = typeof body === 'string';
  res.writeHead(status, {
    ...(body !== undefined && { 'Content-Type': isText ? 'text/plain' : 'application/json' }),
    ...headers,
  });
  res.end(body === undefined ? undefined : isText ? body : JSON.stringify(body));
}

/** Serves the fake's page at `/` and its buttons at `/_act`. Returns false for a request of the connector. */
async function answerPeople(fake: Fake, request: FakeRequest, res: ServerResponse): Promise<boolean> {
  if (request.method === 'POST' && request.path === '/_act') {
    const form = new URLSearchParams(request.body);
    await fake.act(form.get('id') ?? '', form.get('action') ?? '');
    res.writeHead(303, { Location: '/' }).end();
    return true;
  }
  if (request.method !== 'GET' || request.path !== '/') return false;
  res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(fake.page());
  return true;
}
