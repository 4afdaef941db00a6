// One call: its token, its key, and the repeats that are safe, all within one deadline.
import { BalcaoError, readProblem } from './error.ts';

export type ClientOptions = {
  /** Of your gateway, such as `https://pay.example`. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** For each call with all its repeats; 30 s unless you say otherwise. */
  deadlineMs?: number;
  /** In place of the platform's `fetch`. */
  fetch?: typeof fetch;
};

export type CallOptions = {
  signal?: AbortSignal;
  deadlineMs?: number;
  /** Yours, such as the order's number; else each call has a new one, kept over its repeats. */
  idempotencyKey?: string;
  /** Holds the answer of a creation until the payment is no longer Processing, at most so long. */
  waitS?: number;
};

/** Awaited it is one page; `for await` goes through all that there are. */
export interface Listing<Item, Page> extends PromiseLike<Page>, AsyncIterable<Item> {}

export type Request = {
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The same request twice is the same as once, so that a lost answer is asked for again. */
  isRepeatable: boolean;
};

export type Caller = {
  /** @throws BalcaoError; whatever `signal` says when it is aborted */
  call(request: Request, options?: CallOptions): Promise<Response>;
  /** As `call`, until the answer begins: what follows has no deadline. */
  open(request: Request, signal?: AbortSignal): Promise<Response>;
};

/** A token is renewed when this much of its life is over. */
const RENEW_AT = 0.9;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 8_000;
/** A longer one goes off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The origin. With settings that a deployment forgot no call can succeed, and each would report it later and otherwise.
 * @throws TypeError
 */
function checkOptions({ url, clientId, clientSecret }: ClientOptions): string {
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new TypeError(`url must be the gateway's address, such as https://pay.example, not ${url}`);
  if (!clientId || !clientSecret) throw new TypeError(`${clientId ? 'clientSecret' : 'clientId'} is missing`);
  return url.replace(/\/+$/, '');
}

/** All callers share one token. */
function createTokens(options: ClientOptions, { base, send, usualMs }: { base: string; send: Send; usualMs: number }) {
  let token: { text: Promise<string>; renewAtMs: number } | null = null;
  /** A call whose deadline ends while it waits for a token throws this failure. */
  let failure: unknown;

  /** All callers share one request for a token; no caller's own signal ends it for the others. */
  function findToken(): Promise<string> {
    if (token && Date.now() < token.renewAtMs) return token.text;
    const asked = { text: askToken(), renewAtMs: Date.now() + usualMs };
    token = asked;
    asked.text.catch(() => forget(asked.text));
    return asked.text;

    async function askToken(): Promise<string> {
      const beganMs = Date.now();
      const fetchToken = (signal: AbortSignal) => requestToken(send, `${base}/oauth/token`, options, signal);
      const note = (error: unknown) => (failure = error);
      note(undefined);
      const { access_token: text, expires_in: lifeS } = await repeat(fetchToken, true, usualMs, undefined, note);
      asked.renewAtMs = beganMs + lifeS * 1000 * RENEW_AT;
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

  async function fetchOnce({ method, path, body, headers }: Request, signal: AbortSignal): Promise<Response> {
    const asked = tokens.find();
    const bearer = await unlessAborted(asked, signal).catch((error) => {
      // In a Worker it never comes once the request that asked for it has ended.
      if (!signal.aborted) tokens.forget(asked);
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
    // The next call takes a new one.
    if (response.status === 401) tokens.forget(asked);
    return accept(response);
  }

  return {
    call(request, { signal, deadlineMs = usualMs, waitS = 0 } = {}) {
      // Read here, so that an answer that breaks off is asked for again, and within the deadline.
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

/** @throws BalcaoError of what is no success */
async function accept(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw Object.assign(await readProblem(response), { waitMs: waitOf(response) });
}

/** How long an answer asks to wait, in milliseconds. */
function waitOf({ headers }: Response): number {
  const text = headers.get('retry-after') ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return waitMs > 0 ? waitMs : 0;
}

/** Runs `attempt` until it is answered, refused for good, or the deadline would pass. */
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
  for (let nth = 0; ; nth++) {
    signal?.throwIfAborted();
    try {
      return await attempt(within);
    } catch (thrown) {
      note?.(thrown);
      signal?.throwIfAborted();
      const error = explain(thrown, deadline.aborted);
      const waitMs = jitter(nth, thrown);
      if (!mayRepeat(error, isRepeatable) || Date.now() + waitMs >= endMs) throw error;
      await sleep(waitMs, signal);
    }
  }
}

function explain(thrown: unknown, isOver: boolean): BalcaoError {
  if (thrown instanceof BalcaoError) return thrown;
  const [code, message] = isOver
    ? (['deadline_exceeded', 'the deadline passed before the answer'] as const)
    : (['connection_failed', 'the gateway gave no whole answer'] as const);
  // Node's fetch has the reason, such as ECONNREFUSED, in its cause.
  const why = (thrown as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return new BalcaoError(code, why ? `${message} (${why})` : message, { cause: thrown });
}

/** 429 was not taken up at all; after the others it is not known, so that only what may come twice is sent twice. */
function mayRepeat({ code, status }: BalcaoError, isRepeatable: boolean): boolean {
  if (status === 429) return true;
  return isRepeatable && (code === 'connection_failed' || code === 'idempotency_in_progress' || status >= 500);
}

/** Never earlier than asked, not all at once, and less often each time, whatever was asked. */
export function jitter(nth: number, thrown?: unknown): number {
  const { waitMs = 0 } = Object(thrown) as { waitMs?: number };
  const ownMs = Math.min(FIRST_WAIT_MS * 2 ** nth, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2);
  return Math.max(ownMs, waitMs * (1 + Math.random() / 5));
}

/** @throws the signal's reason */
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
