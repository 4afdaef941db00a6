// Makes each call of the tour, waits until the gateway is idle, and records the response with placeholders.
import type { CallOptions, Reply, TestApp } from '../../support/app.ts';
import type { Receiver } from '../../support/receiver.ts';
import type { StreamReader } from '../../support/stream.ts';
import { createPlaceholders } from './placeholders.ts';
import { MARK_MS, watchRest, type Rest } from './rest.ts';

export type Headers = Record<string, string | null>;
export type Answered = { method: string; path: string; status: number; headers: Headers; body: any };
export type Received = { method: string; path: string; headers: Headers; body: any };
/** A recorded response, or the requests that the merchant's server received before the next response. */
export type Step = Answered | { requests: Received[] };

export type TourOptions = CallOptions & {
  /** The fields of a form body, instead of a JSON body. */
  form?: Record<string, string>;
  /** The value of the Idempotency-Key header. */
  key?: string;
  prefer?: string;
  accept?: string;
  /** A function that runs after the request is sent and before the response arrives. */
  meanwhile?: () => Promise<unknown>;
};

export type Tour = Omit<Rest, 'pass'> & {
  /** Moves the clock by this time to the next mark, and finishes all work that becomes due. */
  pass(ms?: number): Promise<void>;
  app: TestApp;
  merchant: Receiver;
  /** Objects of one theme that later themes use, by name. */
  made: Record<string, any>;
  /** The token of the second merchant, whose objects differ from the demo merchant's. */
  strangerToken(): Promise<string>;
  /**
   * Makes a call such as `'GET /api/payments'` with the demo merchant's token or `token`, and records the response.
   * @throws if the response has another status than the expected one
   */
  call(target: string, status: number, options?: TourOptions): Promise<Reply>;
  /** Records a response that did not come from `call`. */
  record(answer: Answered): void;
  /** Nine digits that are not replaced by a placeholder. */
  keepDigits(...digits: string[]): void;
  steps: Step[];
};

/** Response headers that depend on the connection or on the time. */
const PASSING = new Set(['connection', 'content-length', 'date', 'host', 'keep-alive', 'transfer-encoding']);
PASSING.add('x-request-id');

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Nearly every response has these header values, so the tour records only other values. */
const USUAL: Record<string, string> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

/** @param merchant the server that receives the demo merchant's callbacks and webhooks */
export function startTour(app: TestApp, merchant: Receiver): Tour {
  const { port } = new URL(app.url);
  const origins = {
    [`http://127.0.0.1:${port}`]: 'http://gateway',
    [`http://localhost:${port}`]: 'http://gateway',
    [`localhost:${port}`]: 'gateway',
    [merchant.url]: 'http://merchant',
  };
  const covers = createPlaceholders(origins, app.clock.now());
  covers.keep('923456789', '923456780', '923456781', '923000001', '923000002', '923000003', '923000009');
  const rest = watchRest(app);
  const steps: Step[] = [];
  const made: Record<string, any> = {};
  let received = 0;

  const record = (step: Step) => void steps.push(covers.json(inOrder(step)) as Step);

  /** Requests of one moment arrive in random order, so the tour sorts them. */
  function recordReceived(): void {
    const fresh = merchant.requests.slice(received).map(({ method, path, headers, body }) => {
      const sent = Object.entries(headers as Headers)
        .filter(([name]) => !PASSING.has(name))
        .map(([name, value]) => [name, name === 'webhook-timestamp' ? '<seconds>' : value]);
      return { method, path, headers: Object.fromEntries(sent), body: coverNow(readJson(body)) };
    });
    received = merchant.requests.length;
    const keyed = fresh.map((one) => ({ one, key: covers.shape(JSON.stringify([one.path, one.body, one.headers])) }));
    keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    if (fresh.length > 0) record({ requests: keyed.map(({ one }) => one) });
  }

  async function follow(happens: Promise<void>): Promise<void> {
    await happens;
    recordReceived();
  }

  return {
    app,
    merchant,
    made,
    steps,
    record,
    keepDigits: covers.keep,
    strangerToken: () => app.token(made['stranger'].clientId, made['stranger'].clientSecret),
    pass: (ms = MARK_MS) => follow(rest.pass(ms)),
    leap: (ms) => follow(rest.leap(ms)),
    async call(target, status, { form, key, prefer, accept, headers = {}, meanwhile, ...options } = {}) {
      const [method = '', path = ''] = target.split(' ');
      const body = form ? new URLSearchParams(form).toString() : options.body;
      const named = { 'idempotency-key': key, prefer, accept, 'content-type': form && FORM_TYPE };
      const sent = Object.entries({ ...named, ...headers }).filter(
        (each): each is [string, string] => each[1] !== undefined,
      );
      const waiting = app.call(path, { ...options, method, body, headers: Object.fromEntries(sent) });
      await meanwhile?.();
      const reply = await waiting;
      if (reply.status !== status)
        throw new Error(`step ${steps.length}, ${target}: ${reply.status} instead of ${status}: ${reply.text}`);
      record({ method, path, status, headers: pickHeaders(reply.headers), body: readBody(reply) });
      // The clock moves before each call, so that creation times differ and lists have a fixed order.
      if (method !== 'GET' && status < 400) await follow(rest.pass(MARK_MS));
      return reply;
    },
  };
}

/** Records a stream. The record has the data of the stream's events with one name. */
export function recordStream(
  { record }: Tour,
  path: string,
  { status, headers, events }: StreamReader,
  name: string,
): void {
  const body = events.filter(({ event }) => event === name).map(({ data }) => data);
  const all = pickHeaders(Object.entries(headers as Record<string, string>));
  record({ method: 'GET', path, status, headers: all, body });
}

/** Sorts events of one moment that the rail or the merchant's server caused, because their order is random. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return sortMoments(value.map(inOrder));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  // The gateway registers a reference while the response is written.
  const isNow = (name: string) => name === 'isRegistered' || (name === 'revision' && 'ppr' in value && !!value.ppr);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isNow(name) ? '<as of now>' : inOrder(one)]),
  );
}

function sortMoments(items: any[]): any[] {
  const momentOf = (item: any): string | undefined => item?.type && (item.occurredAt ?? item.createdAt);
  if (!items.every(momentOf)) return items;
  const rank = ({ type }: { type: string }) => (/^(callback|reference)\./.test(type) ? type : '');
  const moments = [...Map.groupBy(items, momentOf).values()];
  return moments.flatMap((moment) => moment.toSorted((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0)));
}

/** The field says whether the reference was registered when the event was sent, not when the event occurred. */
const coverNow = (body: any) =>
  body.data?.registeredAt === undefined ? body : { ...body, data: { ...body.data, registeredAt: '<as of now>' } };

export function pickHeaders(headers: Iterable<[string, string]>): Headers {
  const all = new Map([...headers].filter(([name]) => !PASSING.has(name)));
  const picked: Headers = {};
  for (const [name, value] of all) if (USUAL[name] !== value) picked[name] = name === 'etag' ? '<etag>' : value;
  for (const name of Object.keys(USUAL)) if (!all.has(name)) picked[name] = null;
  // The remaining quota depends on the speed of the machine, but the name of the quota does not.
  if (picked['ratelimit']) picked['ratelimit'] = picked['ratelimit'].replace(/;[rt]=\d+/g, '');
  return picked;
}

/** Only JSON is parsed. Other tests cover pages, images and documents. */
const readBody = ({ headers, text }: Reply): unknown =>
  /json/.test(headers.get('content-type') ?? '') ? readJson(text) : undefined;

const readJson = (text: string): any => (text ? JSON.parse(text) : undefined);
