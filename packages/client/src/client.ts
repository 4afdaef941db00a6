// `new Balcao(…)`: a method for each operation of the contract, and methods that need several calls.
import {
  createCaller,
  repeatDelayMs,
  sleep,
  type CallOptions,
  type Caller,
  type ClientOptions,
  type Listing,
} from './call.ts';
import { OPERATIONS, type Api, type FeedEvent, type Payment } from './contract.ts';
import { BalcaoError } from './error.ts';
import { readMessages } from './sse.ts';

/** Methods of the client that are not operations of the API. */
export type ClientExtras = {
  payments: {
    /**
     * Polls until the payment is paid, and returns it.
     * If a payment by reference replaces the payment, the method waits for the replacement and returns it.
     * @throws BalcaoError payment_ended if the payment gets another final status
     * @throws BalcaoError deadline_exceeded when the deadline has passed (default: 5 minutes)
     */
    waitUntilPaid(paymentId: string, options?: Pick<CallOptions, 'signal' | 'deadlineMs'>): Promise<Payment>;
  };
  events: {
    /**
     * Yields every committed event, without end. After a broken stream it continues after the last event.
     * Store each event's `cursor` together with your work, and pass the cursor as `after` when you start again.
     */
    stream(from?: { after?: string; signal?: AbortSignal }): AsyncGenerator<FeedEvent, void>;
  };
};

/** A merchant's API client. Use it only on servers, because it contains the client secret. */
export interface Balcao extends Omit<Api, 'payments' | 'events'> {
  payments: Api['payments'] & ClientExtras['payments'];
  events: Omit<Api['events'], 'stream'> & ClientExtras['events'];
  /** Returns the `ETag` of an object that a call of this client returned, for the option `ifMatch` of a change. */
  etagOf(result: object): string | null;
}

/** The constructor creates the methods from the table of operations. */
class Client {
  declare payments: Balcao['payments'];
  declare events: Balcao['events'];
  declare etagOf: Balcao['etagOf'];

  constructor(options: ClientOptions) {
    const caller = createCaller(options);
    const etags = new WeakMap<object, string>();
    const groups = Object.entries(OPERATIONS).map(([group, operations]) => {
      const [begin = '', ...rest] = operations.split(' ');
      const methods: Record<string, unknown> = {};
      for (let nth = 0; nth < rest.length; nth += 2) methods[rest[nth]!] = bind(caller, etags, begin, rest[nth + 1]!);
      return [group, methods];
    });
    Object.assign(this, Object.fromEntries(groups));
    this.payments.waitUntilPaid = (paymentId, wait) => waitUntilPaid(this.payments.get, paymentId, wait);
    this.events.stream = (from) => streamEvents(caller, from);
    this.etagOf = (result) => etags.get(result) ?? null;
  }
}

export const Balcao = Client as new (options: ClientOptions) => Balcao;

type Query = Record<string, unknown>;

const METHODS: Record<string, string> = { G: 'GET', P: 'POST', U: 'PUT', D: 'DELETE' };
const PAGE_PARAMETERS: Record<string, string> = { l: 'page', n: 'pageNumber', f: 'after' };

/** Creates the client's method for one operation. The comment at `OPERATIONS` describes the entry's form. */
function bind(caller: Caller, etags: WeakMap<object, string>, begin: string, operation: string) {
  const [end = '', flags = ''] = operation.slice(1).split(':');
  const method = METHODS[operation[0]!]!;
  const takes = (flag: string) => flags.includes(flag);
  const pageParameter = PAGE_PARAMETERS[flags.at(-1) ?? ''];
  return (...args: unknown[]) => {
    const path = (begin + end).replace(/\{\}/g, () => segment(args.shift()));
    const body = takes('b') ? args.shift() : undefined;
    const query = takes('q') ? ((args.shift() ?? {}) as Query) : {};
    const options = (args.shift() ?? {}) as CallOptions;
    const headers = {
      // An empty key counts as no key, because a repeat without a key would be a second payment.
      ...(takes('k') && { 'idempotency-key': options.idempotencyKey || crypto.randomUUID() }),
      ...(takes('p') && { prefer: `return=representation${options.waitS ? `, wait=${options.waitS}` : ''}` }),
      ...(options.ifMatch && { 'if-match': options.ifMatch }),
    };
    const isRepeatable = method !== 'POST' || takes('k');
    const send = async (changed: Query = {}): Promise<any> => {
      const pathAndQuery = path + search({ ...query, ...changed });
      const response = await caller.call({ method, path: pathAndQuery, body, headers, isRepeatable }, options);
      const result = await readAnswer(response);
      const etag = response.headers.get('etag');
      if (etag && typeof result === 'object' && result) etags.set(result, etag);
      return result;
    };
    return pageParameter ? list(send, query, pageParameter) : send();
  };
}

/** Writes an id as a path segment. @throws TypeError for an empty id, `.` or `..`, which would change the path */
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
  // HTML comes from a proxy, not from the gateway. Parsing it as JSON therefore throws an error.
  if (isOf(response, /json|html/)) return response.json().catch((cause) => refuseAnswer(response, cause));
  return response.body ? new Uint8Array(await response.arrayBuffer()) : undefined;
}

const isOf = ({ headers }: Response, type: RegExp) => type.test(String(headers.get('content-type')));

function refuseAnswer({ status }: Response, cause?: unknown): never {
  throw new BalcaoError('unexpected_answer', 'the response is not from a gateway', { status, cause });
}

/** A list sends its first request when the caller awaits or iterates it. */
function list(send: (changed?: Query) => Promise<any>, query: Query, parameter: string): Listing<unknown, unknown> {
  return {
    // oxlint-disable-next-line no-thenable -- a Listing is a PromiseLike by design
    then: (resolve, reject) => send().then(resolve, reject),
    async *[Symbol.asyncIterator]() {
      let at: unknown = query[parameter];
      do {
        const { data, next, totalPages } = await send({ [parameter]: at });
        yield* data;
        const nth = Number(at ?? 1);
        at = data.length === 0 ? null : parameter === 'after' ? next : nth < totalPages ? nth + 1 : null;
      } while (at);
    },
  };
}

const FINAL = new Set(['Failed', 'Canceled', 'Expired', 'Captured']);
const FIRST_POLL_MS = 1_000;
const LONGEST_POLL_MS = 5_000;

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
    await sleep(Math.min(FIRST_POLL_MS * 1.2 ** nth, LONGEST_POLL_MS, leftMs), signal);
  }
}

/** The gateway sends a heartbeat every 15 s. After 45 s without data the client treats the stream as lost. */
const SILENT_MS = 45_000;

async function* streamEvents(
  caller: Caller,
  { after = '0', signal }: { after?: string; signal?: AbortSignal } = {},
): AsyncGenerator<FeedEvent, void> {
  for (let nth = 0; ; nth++) {
    signal?.throwIfAborted();
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENT_MS);
    const restartTimer = () => {
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
      for await (const { id, data } of readMessages(response, restartTimer)) {
        nth = 0;
        yield JSON.parse(data);
        if (id) after = id;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SyntaxError) throw error;
      if (error instanceof BalcaoError && error.status < 500 && ![429, 0].includes(error.status)) throw error;
      ended = error;
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
    await sleep(repeatDelayMs(nth, ended), signal);
  }
}
