// Sends one API call: adds the token and the idempotency key, and repeats a failed call if that is safe.
import { BalcaoError, readProblem } from './error.ts';

export type ClientOptions = {
  /** Your gateway's URL, such as `https://pay.example`. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** The deadline of each call, including its repeats. Default: 30 s. */
  deadlineMs?: number;
  /** The function to use instead of the platform's `fetch`. */
  fetch?: typeof fetch;
};

export type CallOptions = {
  signal?: AbortSignal;
  deadlineMs?: number;
  /** Your own idempotency key, such as the order number. Default: a new key for each call, kept for its repeats. */
  idempotencyKey?: string;
  /** Maximum time in seconds that the gateway delays a creation's response while the payment is Processing. */
  waitS?: number;
  /** An `ETag` from `etagOf`. The gateway refuses the change with 412 if the resource has changed since then. */
  ifMatch?: string;
};

/** A list endpoint's result: `await` returns one page, and `for await` iterates over the items of all pages. */
export interface Listing<Item, Page> extends PromiseLike<Page>, AsyncIterable<Item> {}

export type Request = {
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** True if two requests have the same effect as one. Then the client repeats a request whose response was lost. */
  isRepeatable: boolean;
};

export type Caller = {
  /** Sends a request. @throws BalcaoError, or the reason of `signal` if it is aborted */
  call(request: Request, options?: CallOptions): Promise<Response>;
  /** Like `call`, but resolves as soon as the response's headers arrive. The body has no deadline. */
  open(request: Request, signal?: AbortSignal): Promise<Response>;
};

/** The client renews a token after this share of the token's lifetime. */
const RENEW_AT = 0.9;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 8_000;
/** The maximum delay of `setTimeout`. A longer delay would end immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Returns the gateway's URL without a trailing slash.
 * Missing settings fail here with a clear message, before the first call.
 * @throws TypeError
 */
function checkOptions({ url, clientId, clientSecret }: ClientOptions): string {
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new TypeError(`url must be the gateway's address, such as https://pay.example, not ${url}`);
  if (!clientId || !clientSecret) throw new TypeError(`${clientId ? 'clientSecret' : 'clientId'} is missing`);
  return url.replace(/\/+$/, '');
}

/** The cache of the access token, which all calls share. */
function createTokens(options: ClientOptions, { base, send, usualMs }: { base: string; send: Send; usualMs: number }) {
  let token: { text: Promise<string>; renewAtMs: number } | null = null;
  /** The error of the last token request. A call throws it if the deadline ends during its wait for a token. */
  let failure: unknown;

  /** Returns the access token. Concurrent calls share one token request, which a single call's signal cannot abort. */
  function findToken(): Promise<string> {
    if (token && Date.now() < token.renewAtMs) return token.text;
    const requested = { text: startRequest(), renewAtMs: Date.now() + usualMs };
    token = requested;
    requested.text.catch(() => forget(requested.text));
    return requested.text;

    async function startRequest(): Promise<string> {
      const beganMs = Date.now();
      const fetchToken = (signal: AbortSignal) => requestToken(send, `${base}/oauth/token`, options, signal);
      const note = (error: unknown) => (failure = error);
      note(undefined);
      const { access_token: text, expires_in: lifeS } = await repeat(fetchToken, true, usualMs, undefined, note);
      requested.renewAtMs = beganMs + lifeS * 1000 * RENEW_AT;
      return text;
    }
  }

  function forget(text: Promise<string>): void {
    if (token?.text === text) token = null;
  }

  return { find: findToken, forget, lastFailure: () => failure };
}

export function createCaller(options: ClientOptions): Caller {
  const { deadlineMs: usualMs = 30_000 } = options;
  const base = checkOptions(options);
  const send = options.fetch ?? ((input: string, init: RequestInit) => fetch(input, init));
  const tokens = createTokens(options, { base, send, usualMs });

  async function fetchOnce(request: Request, signal: AbortSignal, isSecond = false): Promise<Response> {
    const { method, path, body, headers } = request;
    const token = tokens.find();
    const bearer = await unlessAborted(token, signal).catch((error) => {
      // In a Worker, a token request never completes after the end of the incoming request that started it.
      if (!signal.aborted) tokens.forget(token);
      throw (signal.aborted && tokens.lastFailure()) || error;
    });
    const response = await send(base + path, {
      method,
      redirect: 'manual',
      signal,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${bearer}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (response.status === 401) tokens.forget(token);
    if (response.status !== 401 || isSecond) return accept(response);
    // The gateway refused the token, which had no effect. A token may end early, such as after a change of keys.
    await response.body?.cancel();
    return fetchOnce(request, signal, true);
  }

  return {
    call(request, { signal, deadlineMs = usualMs, waitS = 0 } = {}) {
      // The body is read inside the attempt, so that a truncated response causes a repeat within the deadline.
      const fetchWhole = async (within: AbortSignal) => {
        const answer = await fetchOnce(request, within);
        const bytes = await answer.arrayBuffer();
        return new Response(bytes.byteLength > 0 ? bytes : null, answer);
      };
      return repeat(fetchWhole, request.isRepeatable, deadlineMs + waitS * 1000, signal);
    },
    open: (request, signal = new AbortController().signal) => fetchOnce(request, signal),
  };
}

type Send = (input: string, init: RequestInit) => Promise<Response>;
type TokenAnswer = { access_token: string; expires_in: number };

async function requestToken(
  send: Send,
  url: string,
  { clientId, clientSecret }: ClientOptions,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const response = await send(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual', signal });
  return (await accept(response)).json() as Promise<TokenAnswer>;
}

/** Returns the response if its status is 2xx. @throws BalcaoError for another status */
async function accept(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw Object.assign(await readProblem(response), { waitMs: waitOf(response) });
}

/** Reads the wait of a `Retry-After` header, in milliseconds. */
function waitOf({ headers }: Response): number {
  const text = headers.get('retry-after') ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return waitMs > 0 ? waitMs : 0;
}

/** Runs `attempt` until it succeeds, fails with an error that must not be repeated, or the deadline would pass. */
async function repeat<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  isRepeatable: boolean,
  deadlineMs: number,
  signal?: AbortSignal,
  note?: (thrown: unknown) => void,
): Promise<T> {
  const endMs = Date.now() + deadlineMs;
  const deadline = AbortSignal.timeout(Math.min(deadlineMs, LONGEST_TIMER_MS));
  const within = signal ? AbortSignal.any([signal, deadline]) : deadline;
  let last: BalcaoError | undefined;
  for (let nth = 0; ; nth++) {
    signal?.throwIfAborted();
    try {
      return await attempt(within);
    } catch (thrown) {
      note?.(thrown);
      signal?.throwIfAborted();
      const error = explain(thrown, deadline.aborted, last);
      last = error;
      const waitMs = repeatDelayMs(nth, thrown);
      if (!mayRepeat(error, isRepeatable) || Date.now() + waitMs >= endMs) throw error;
      await sleep(waitMs, signal);
    }
  }
}

/** @param last the error of the attempt before, which is the cause if the deadline ends this attempt */
function explain(thrown: unknown, isOver: boolean, last?: BalcaoError): BalcaoError {
  if (thrown instanceof BalcaoError) return thrown;
  // Node's fetch reports the reason of a failure, such as ECONNREFUSED, in the error's cause.
  const why = (thrown as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  if (!isOver)
    return new BalcaoError('connection_failed', `no complete response${why ? ` (${why})` : ''}`, { cause: thrown });
  const before = last?.message ?? why;
  const message = `the deadline passed${before ? ` after: ${before}` : ''}`;
  return new BalcaoError('deadline_exceeded', message, { cause: last ?? thrown });
}

/** A 429 had no effect. After other errors the effect is unknown, so only repeatable requests are repeated. */
function mayRepeat({ code, status }: BalcaoError, isRepeatable: boolean): boolean {
  if (status === 429) return true;
  return isRepeatable && (code === 'connection_failed' || code === 'idempotency_in_progress' || status >= 500);
}

/** The wait before repeat `nth`: exponential backoff with jitter. It is at least the wait of `Retry-After`. */
export function repeatDelayMs(nth: number, thrown?: unknown): number {
  const { waitMs = 0 } = Object(thrown) as { waitMs?: number };
  const ownMs = Math.min(FIRST_WAIT_MS * 2 ** nth, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2);
  return Math.max(ownMs, waitMs * (1 + Math.random() / 5));
}

/** Waits for a time in milliseconds. @throws the signal's reason if the signal is aborted before */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const slept = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return unlessAborted(slept, signal).finally(() => clearTimeout(timer));
}

function unlessAborted<T>(awaited: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return awaited;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    awaited.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
