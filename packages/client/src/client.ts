// `new Balcao(…)`: a method for each operation of the table, and what takes more than one call.
import {
  createCaller,
  jitter,
  sleep,
  type CallOptions,
  type Caller,
  type ClientOptions,
  type Listing,
} from './call.ts';
import { OPERATIONS, type Api, type FeedEvent, type Payment } from './contract.ts';
import { BalcaoError } from './error.ts';
import { readMessages } from './sse.ts';

/** What a client has beside the operations. */
export type Beyond = {
  payments: {
    /**
     * The payment once it is paid; of one that was refused and is paid by reference instead, the one in its place.
     * @throws BalcaoError payment_ended when nothing more is expected of it, deadline_exceeded (5 minutes unless you say otherwise)
     */
    waitUntilPaid(paymentId: string, options?: Pick<CallOptions, 'signal' | 'deadlineMs'>): Promise<Payment>;
  };
  events: {
    /**
     * Every event as it is committed, without end: a lost connection is taken up where it was. Keep each event's `cursor`
     * with your work, and start from it.
     */
    stream(from?: { after?: string; signal?: AbortSignal }): AsyncGenerator<FeedEvent, void>;
  };
};

/** A merchant's client, for servers: it knows the secret. */
export interface Balcao extends Omit<Api, 'payments' | 'events'> {
  payments: Api['payments'] & Beyond['payments'];
  events: Omit<Api['events'], 'stream'> & Beyond['events'];
}

/** Its methods are made of the table. */
class Client {
  declare payments: Balcao['payments'];
  declare events: Balcao['events'];

  constructor(options: ClientOptions) {
    const caller = createCaller(options);
    const groups = Object.entries(OPERATIONS).map(([group, operations]) => {
      const [begin = '', ...rest] = operations.split(' ');
      const methods: Record<string, unknown> = {};
      for (let nth = 0; nth < rest.length; nth += 2) methods[rest[nth]!] = bind(caller, begin, rest[nth + 1]!);
      return [group, methods];
    });
    Object.assign(this, Object.fromEntries(groups));
    this.payments.waitUntilPaid = (paymentId, wait) => waitUntilPaid(this.payments.get, paymentId, wait);
    this.events.stream = (from) => streamEvents(caller, from);
  }
}

export const Balcao = Client as new (options: ClientOptions) => Balcao;

type Query = Record<string, unknown>;

const METHODS: Record<string, string> = { G: 'GET', P: 'POST', U: 'PUT', D: 'DELETE' };
const PLACES: Record<string, string> = { l: 'page', n: 'pageNumber', f: 'after' };

/** The method of one entry of the table. */
function bind(caller: Caller, begin: string, operation: string) {
  const [end = '', flags = ''] = operation.slice(1).split(':');
  const method = METHODS[operation[0]!]!;
  const takes = (flag: string) => flags.includes(flag);
  const place = PLACES[flags.at(-1) ?? ''];
  return (...given: unknown[]) => {
    const path = (begin + end).replace(/\{\}/g, () => segment(given.shift()));
    const body = takes('b') ? given.shift() : undefined;
    const query = takes('q') ? ((given.shift() ?? {}) as Query) : {};
    const options = (given.shift() ?? {}) as CallOptions;
    const headers = {
      ...(takes('k') && { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() }),
      ...(takes('p') && { prefer: `return=representation${options.waitS ? `, wait=${options.waitS}` : ''}` }),
    };
    const isRepeatable = method !== 'POST' || takes('k');
    const ask = async (changed: Query = {}): Promise<any> => {
      const asked = path + search({ ...query, ...changed });
      return readAnswer(await caller.call({ method, path: asked, body, headers, isRepeatable }, options));
    };
    return place ? list(ask, query, place) : ask();
  };
}

/** @throws TypeError when there is none: the path would lead elsewhere */
function segment(id: unknown): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError('an id is missing');
  return encodeURIComponent(id);
}

function search(query: Query): string {
  const named = Object.entries(query).flatMap(([name, value]) =>
    value && typeof value === 'object'
      ? Object.entries(value).map(([key, each]) => [`${name}.${key}`, String(each)])
      : value === undefined || value === null
        ? []
        : [[name, String(value)]],
  );
  const text = String(new URLSearchParams(named));
  return text && `?${text}`;
}

async function readAnswer(response: Response): Promise<unknown> {
  // A page is a proxy's.
  if (isOf(response, /json|html/)) return response.json().catch((cause) => refuseAnswer(response, cause));
  return response.body ? new Uint8Array(await response.arrayBuffer()) : undefined;
}

const isOf = ({ headers }: Response, type: RegExp) => type.test(String(headers.get('content-type')));

function refuseAnswer({ status }: Response, cause?: unknown): never {
  throw new BalcaoError('unexpected_answer', 'not of a gateway', { status, cause });
}

/** Nothing is asked before somebody awaits it or goes through it. */
function list(ask: (changed?: Query) => Promise<any>, query: Query, place: string): Listing<unknown, unknown> {
  return {
    // oxlint-disable-next-line no-thenable -- that is what it is
    then: (resolve, reject) => ask().then(resolve, reject),
    async *[Symbol.asyncIterator]() {
      let at: unknown = query[place];
      do {
        const { data, next, totalPages } = await ask({ [place]: at });
        yield* data;
        const nth = Number(at ?? 1);
        at = data.length === 0 ? null : place === 'after' ? next : nth < totalPages ? nth + 1 : null;
      } while (at);
    },
  };
}

const FINAL = new Set(['Failed', 'Canceled', 'Expired', 'Captured']);
const LOOK_MS = 1_000;
const LOOK_AT_LEAST_EACH_MS = 5_000;

async function waitUntilPaid(
  get: Api['payments']['get'],
  paymentId: string,
  { signal, deadlineMs = 300_000 }: Pick<CallOptions, 'signal' | 'deadlineMs'> = {},
): Promise<Payment> {
  const endMs = Date.now() + deadlineMs;
  for (let id = paymentId, nth = 0; ; nth++) {
    const leftMs = endMs - Date.now();
    if (leftMs <= 0) throw new BalcaoError('deadline_exceeded', `payment ${id} is not paid yet`);
    const payment = await get(id, { ...(signal && { signal }), deadlineMs: leftMs });
    const { status, replacedBy } = payment as Payment & { replacedBy?: string | null };
    if (status === 'Paid') return payment;
    if (replacedBy) {
      id = replacedBy;
      continue;
    }
    if (FINAL.has(status))
      throw new BalcaoError('payment_ended', `payment ${id} is ${status}`, { problem: { payment } });
    await sleep(Math.min(LOOK_MS * 1.2 ** nth, LOOK_AT_LEAST_EACH_MS, leftMs), signal);
  }
}

/** The gateway says something each 15 s: whoever hears nothing so long has lost it. */
const SILENT_MS = 45_000;

async function* streamEvents(
  caller: Caller,
  { after = '0', signal }: { after?: string; signal?: AbortSignal } = {},
): AsyncGenerator<FeedEvent, void> {
  for (let nth = 0; ; nth++) {
    signal?.throwIfAborted();
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENT_MS);
    const hear = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MS);
    };
    let ended: unknown;
    try {
      const within = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
      const path = `/api/events/stream${search({ after })}`;
      const headers = { accept: 'text/event-stream' };
      const response = await caller.open({ method: 'GET', path, headers, isRepeatable: true }, within);
      if (!isOf(response, /event-stream/)) refuseAnswer(response);
      for await (const { id, data } of readMessages(response, hear)) {
        nth = 0;
        yield JSON.parse(data);
        if (id) after = id;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SyntaxError) throw error;
      // A token that ended with the stream is taken anew once; a second refusal is one.
      const passing = [429, 0, nth === 0 && 401];
      if (error instanceof BalcaoError && error.status < 500 && !passing.includes(error.status)) throw error;
      ended = error;
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
    await sleep(jitter(nth, ended), signal);
  }
}
