// The recorder of a tour: makes each call, lets the gateway come to rest, and keeps the answer without what is random in it.
import type { CallOptions, Reply, TestApp } from '../app.ts';
import type { Receiver } from '../receiver.ts';
import { createPlaceholders } from './placeholders.ts';
import { MARK_MS, watchRest, type Rest } from './rest.ts';

/** What is kept of one step: an answer, what the merchant's server was told meanwhile, or rows. */
export type Kept = { step: string; [field: string]: unknown };

export type TourOptions = CallOptions & {
  /** Sent as a form instead of JSON. */
  form?: Record<string, string>;
  /** What happens while the answer is awaited. */
  meanwhile?: () => Promise<unknown>;
};

export type Tour = Omit<Rest, 'pass'> & {
  /** Lets so much time pass, at least to the next mark: whatever was set off is over then. */
  pass(ms?: number): Promise<void>;
  app: TestApp;
  merchant: Receiver;
  /** What one walk has made and another one uses, by name. */
  made: Record<string, any>;
  /** The second merchant's token, whose things are nobody else's. */
  strangerToken(): Promise<string>;
  /** Makes a call (`'GET /api/payments'`), as the demo merchant unless told otherwise, and keeps what was answered. */
  call(step: string, target: string, options?: TourOptions): Promise<Reply>;
  /** Keeps something that is no answer. */
  keep(step: string, what: Record<string, unknown>): void;
  /** Digits that are no secret, to be kept as they are. */
  keepDigits(...digits: string[]): void;
  /** Text as it is kept. */
  cover(text: string): string;
  kept: Kept[];
  /** Of each call that was not refused: `GET /api/payments`. */
  walked: Set<string>;
};

/** Not kept: how the bytes travelled, and when. */
const PASSING = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id']);

/** Kept only where it is another one: nearly every answer has these. */
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

/** Begins a tour. @param merchant the server that the demo merchant's callbacks and webhooks go to */
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
  const kept: Kept[] = [];
  const names = new Set<string>();
  const walked = new Set<string>();
  const made: Record<string, any> = {};
  let told = 0;

  function keep(step: string, what: Record<string, unknown>): void {
    if (names.has(step)) throw new Error(`there are two steps “${step}”`);
    names.add(step);
    kept.push({ step, ...(covers.json(inOrder(what)) as object) });
  }

  /** What came to the merchant's server since the last step: at once, so in an order of its own. */
  function keepTold(step: string): void {
    const came = merchant.requests.slice(told).map(({ method, path, headers, body }) => {
      const json = readJson(body);
      const { host: _, connection: __, 'content-length': ___, ...said } = headers;
      const seconds = said['webhook-timestamp'] && { 'webhook-timestamp': '<seconds>' };
      return { method, path, headers: { ...said, ...seconds }, body: json ? coverNow(json) : body };
    });
    told = merchant.requests.length;
    if (came.length === 0) return;
    const sorted = came.map((one) => ({ one, by: covers.shape(JSON.stringify([one.path, one.body, one.headers])) }));
    sorted.sort((a, b) => (a.by < b.by ? -1 : a.by > b.by ? 1 : 0));
    const times = [...names].filter((name) => name.startsWith(step)).length;
    keep(times ? `${step}, ${times + 1}` : step, { requests: sorted.map(({ one }) => one) });
  }

  /** Lets something happen, and keeps what the merchant's server is told of it. */
  async function follow(happens: Promise<void>): Promise<void> {
    await happens;
    const [step = 'the beginning'] = kept.at(-1)?.step.split(' › ') ?? [];
    keepTold(`${step} › the merchant is told`);
  }

  return {
    app,
    merchant,
    made,
    kept,
    walked,
    keep,
    keepDigits: covers.keep,
    cover: covers.text,
    strangerToken: () => app.token(made['stranger'].clientId, made['stranger'].clientSecret),
    pass: (ms = MARK_MS) => follow(rest.pass(ms)),
    leap: (ms) => follow(rest.leap(ms)),
    async call(step, target, { form, meanwhile, ...options } = {}) {
      const [method = '', path = ''] = target.split(' ');
      const sent = form && {
        body: new URLSearchParams(form).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...options.headers },
      };
      const waiting = app.call(path, { method, ...options, ...sent });
      await meanwhile?.();
      const reply = await waiting;
      const { status } = reply;
      if (status < 400) walked.add(`${method} ${path.split('?')[0]}`);
      keep(step, {
        method,
        path: coverCursor(path),
        status,
        headers: pickHeaders(reply.headers),
        body: readBody(reply, covers.text),
      });
      // No two things are made at one time, so that lists have one order.
      if (method !== 'GET' && status < 400) await follow(rest.pass(MARK_MS));
      return reply;
    },
  };
}

/** Events and deliveries of one moment: those that the rail or the merchant's server set off come in an order of their own. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return sortMoments(value.map(inOrder));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  // The rail is told of a reference while its page is on its way.
  const isNow = (name: string) => name === 'isRegistered' || (name === 'revision' && 'ppr' in value && !!value.ppr);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isNow(name) ? '<as of now>' : inOrder(one)]),
  );
}

function sortMoments(items: any[]): any[] {
  const momentOf = (item: any): string | undefined => item?.type && (item.occurredAt ?? item.createdAt);
  if (!items.every(momentOf)) return items;
  const place = ({ type }: { type: string }) => (/^(callback|reference)\./.test(type) ? type : '');
  const moments = [...Map.groupBy(items, momentOf).values()];
  return moments.flatMap((moment) =>
    moment.toSorted((a, b) => (place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : 0)),
  );
}

/** Whether the rail knows a reference is told as of now, and not as of the event. */
function coverNow(body: { data?: { registeredAt?: unknown } }): object {
  return body.data?.registeredAt === undefined
    ? body
    : { ...body, data: { ...body.data, registeredAt: '<as of now>' } };
}

const coverCursor = (path: string) => path.replace(/(?<=[?&]after=)(\d+|MT[\w-]{40,})/, '<cursor>');

function pickHeaders(headers: Headers): Record<string, string | null> {
  const all = new Map([...headers].filter(([name]) => !PASSING.has(name)));
  const picked: Record<string, string | null> = {};
  for (const [name, value] of all)
    if (USUAL[name] !== value) picked[name] = name === 'etag' ? '<etag>' : readUsed(name, value);
  for (const name of Object.keys(USUAL)) if (!all.has(name)) picked[name] = null;
  return Object.fromEntries(Object.entries(picked).toSorted());
}

/** How much of a minute's quota is left depends on the machine; whose quota it is does not. */
const readUsed = (name: string, value: string) => (name === 'ratelimit' ? value.replace(/;[rt]=\d+/g, '') : value);

/** JSON as it is; other text by its tags or lines; of pictures and documents only how they begin. */
function readBody({ headers, text }: Reply, cover: Tour['cover']): unknown {
  const type = headers.get('content-type') ?? '';
  if (/^(image\/(?!svg)|application\/pdf)/.test(type)) return `<begins with ${text.slice(1, 4)}>`;
  return readJson(text) ?? cover(text).split(/(?<=>)(?=<)|(?<=\n)/);
}

/** Only where nothing is lost by reading it: spaces, or zeros at a number's end; else undefined. */
function readJson(text: string): any {
  if (!/^[[{]/.test(text)) return undefined;
  const json: unknown = JSON.parse(text);
  return JSON.stringify(json) === text ? json : undefined;
}
