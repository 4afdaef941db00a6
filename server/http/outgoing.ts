// Requests that leave the house: a deadline on our clock, a size limit, kept connections, no redirects followed.
import type { LookupFunction } from 'node:net';
import type { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import { rarely } from '../rare.ts';
import { createGrowing } from './bounds/growing.ts';
import { inSpan, noteInSpan, traceHeaders } from '../metrics/span.ts';

/** Made where one is needed, and kept for the next request to the same place. */
export type Connections = {
  open(): Dispatcher;
  /** Ends those in use too, and makes no more. */
  destroy(): void;
  /** Bounds and observes the answers of one account's host. */
  watch?: AnswerWatch;
};

/** Keeps one host from taking more of the node than its share. */
export type AnswerWatch = {
  /** The bytes that the next answer may have, at most `maxBytes`. */
  limit(maxBytes: number): number;
  /** One call has ended. */
  note(call: { bytes: number; tookMs: number; isAnswered: boolean }): void;
};

export type OutgoingRequest = {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string;
  timeoutMs: number;
  /** Of the answer's body. */
  maxBytes: number;
  /** A longer body is cut there and the connection closed, instead of the answer being lost. */
  truncates?: boolean;
  clock: Clock;
  /** Decide who may be reached. Default: anybody, as rails are addresses of the operator's own choosing. */
  connections?: Connections | undefined;
  /**
   * Where the request is sent once more, at once, when its kept connection ended before an answer began: mostly the other side
   * had ended it already. Only for what may arrive twice, so never for rails. These keep none.
   */
  freshConnections?: Connections;
  /** Ends the request early, as a lost connection. */
  signal?: AbortSignal;
};

/** By lower-cased names; several with one name are joined by commas. */
export type AnswerHeaders = Record<string, string | undefined>;

export type OutgoingAnswer = { status: number; headers: AnswerHeaders; body: string; isTruncated: boolean };

/** No whole answer came. */
export class OutgoingError extends Error {
  /**
   * `unreachable`, `blocked` (by a guard): no connection was made, so nothing was received (with `freshConnections`: not the second
   * time); with any other, nobody can tell.
   */
  readonly code: 'timeout' | 'connection' | 'too_large' | 'unreachable' | 'blocked';
  constructor(code: OutgoingError['code'], cause?: unknown) {
    const origin = (cause as { code?: unknown } | undefined)?.code;
    super(typeof origin === 'string' ? `${code} (${origin})` : code, { cause });
    this.name = 'OutgoingError';
    this.code = code;
  }
}

/** No more of the library than this: all of it takes 13 MiB. */
const loadAgent = rarely<typeof Agent>('undici/lib/dispatcher/agent.js');
const loadConnector = rarely<typeof buildConnector>('undici/lib/core/connect.js');

/** An idle connection is kept this long, or as long as the other side says it keeps it, if that is less. */
const IDLE_MS = 60_000;
/** By the machine's clock: whoever has not taken a connection by then is not there. Nobody may wait for it any more. */
const CONNECT_MS = 10_000;

/** One end of a connection to be: `host` is a name or an IP address without brackets. */
export type ConnectionTarget = { isTls: boolean; host: string; port: number };

export type ConnectOptions = {
  lookup?: LookupFunction;
  rejectUnauthorized?: boolean;
  /** Each request has a connection of its own. */
  isFresh?: boolean;
  /** Why no connection is made there. */
  refuse?: (target: ConnectionTarget) => Error | null;
};

/** Of connections that had brought an answer before they ended. */
const endsOfKept = new WeakSet<Error>();

const CLOSED = new OutgoingError('connection', { code: 'closed' });

/** Nothing is opened, nor the library loaded, before the first request. */
export function createConnections({ isFresh = false, refuse, ...options }: ConnectOptions = {}): Connections {
  let agent: Agent | null = null;
  let isClosed = false;
  const create = () => {
    const connect = loadConnector()({ ...options, allowH2: false, timeout: CONNECT_MS });
    return new (loadAgent())({
      connect(target, answer) {
        const isTls = target.protocol === 'https:';
        const port = Number(target.port || (isTls ? 443 : 80));
        const refusal = refuse?.({ isTls, host: target.hostname, port });
        if (refusal) return answer(refusal, null);
        return connect(target, (...made) => {
          const [, socket] = made;
          socket?.on('error', (error) => socket.bytesRead > 0 && endsOfKept.add(error));
          answer(...made);
        });
      },
      allowH2: false,
      pipelining: isFresh ? 0 : 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // The deadline is on our clock.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  };
  return {
    open() {
      if (isClosed) throw CLOSED;
      return (agent ??= create());
    },
    destroy() {
      isClosed = true;
      void agent?.destroy(CLOSED);
    },
  };
}

const toAnybody = createConnections();

/** A reason at hand: making one for each request costs more than the rest of it. */
const DONE = new Error('the request is over');

/**
 * Sends one request and reads the whole answer, whatever its status.
 * @throws OutgoingError when no answer came in time, whole, and small enough
 */
export async function sendRequest(outgoing: OutgoingRequest): Promise<OutgoingAnswer> {
  const { method } = outgoing;
  const url = new URL(outgoing.url);
  // Its path and query may hold tokens and ids of the other side's; the host says whom we ask.
  const values = {
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': Number(url.port) || undefined,
  };
  return inSpan({ name: method, kind: 'client', values }, async () => {
    const answer = await sendWatched(
      { ...outgoing, headers: { ...PLAIN, ...outgoing.headers, ...traceHeaders() } },
      url,
    );
    noteInSpan({ 'http.response.status_code': answer.status });
    return answer;
  });
}

/** Without it any encoding may come. */
const PLAIN = { 'Accept-Encoding': 'identity' };

/** Some servers compress even if `Accept-Encoding` forbids it. */
const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Sends the request within the bounds of its host, and tells the watch how the call ended. */
async function sendWatched(outgoing: OutgoingRequest, url: URL): Promise<OutgoingAnswer> {
  const { clock, maxBytes, connections: { watch } = toAnybody } = outgoing;
  const received = { bytes: 0 };
  if (!watch) return send(outgoing, url, received);
  const startedAt = clock.now().getTime();
  const note = (isAnswered: boolean) =>
    watch.note({ ...received, tookMs: clock.now().getTime() - startedAt, isAnswered });
  try {
    const answer = await send({ ...outgoing, maxBytes: watch.limit(maxBytes) }, url, received);
    note(true);
    return answer;
  } catch (error) {
    note(!(error instanceof OutgoingError && SILENT.has(error.code)));
    throw error;
  }
}

const SILENT: ReadonlySet<OutgoingError['code']> = new Set(['timeout', 'connection', 'unreachable']);

/** Counts the bytes of an answer, also of one that never ends. */
type Received = { bytes: number };

async function send(outgoing: OutgoingRequest, url: URL, received: Received): Promise<OutgoingAnswer> {
  const { clock, timeoutMs, connections = toAnybody, freshConnections, signal } = outgoing;
  if (signal?.aborted) throw new OutgoingError('connection', signal.reason);
  let exchange = beginExchange(outgoing, url, { connections, received });
  let isSecond = false;
  const finished = new AbortController();
  const abort = () => exchange.end(new OutgoingError('connection', signal?.reason));
  try {
    signal?.addEventListener('abort', abort, { once: true });
    void clock.wait(timeoutMs, finished.signal).then(() => {
      if (finished.signal.aborted) return;
      exchange.end(new OutgoingError(exchange.isSent || isSecond ? 'timeout' : 'unreachable'));
    });
    return await exchange.answer.catch((error: unknown) => {
      if (!freshConnections || !isStale(exchange, error)) throw error;
      isSecond = true;
      exchange = beginExchange(outgoing, url, { connections: freshConnections, received });
      return exchange.answer;
    });
  } catch (error) {
    // The last: a request that we wrote wrongly.
    if (error instanceof OutgoingError || (error as { code?: unknown }).code === 'UND_ERR_INVALID_ARG') throw error;
    throw new OutgoingError(exchange.isSent ? 'connection' : 'unreachable', error);
  } finally {
    finished.abort(DONE);
    signal?.removeEventListener('abort', abort);
  }
}

/** A request on its way. */
type Exchange = {
  answer: Promise<OutgoingAnswer>;
  /** Its connection was there, and it is being written: from now on it may arrive. */
  readonly isSent: boolean;
  /** The first byte of an answer came. */
  isAnswered: boolean;
  /** Closes its connection; where it is not sent yet, it never is. */
  end(error: OutgoingError): void;
};

/** Informational answers (1xx) before the answer. A host could send them without end. */
const MAX_INFORMATIONAL = 8;

/** Each header as one text; its values are separated by commas (RFC 9110 §5.3). */
function joinValues(headers: Record<string, string | string[] | undefined>): AnswerHeaders {
  const joined = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(joined);
}

type Line = { connections: Connections; received: Received };

function beginExchange(outgoing: OutgoingRequest, url: URL, { connections, received }: Line): Exchange {
  const { method, headers = {}, body = null, maxBytes, truncates = false } = outgoing;
  const { promise: answer, resolve, reject } = Promise.withResolvers<OutgoingAnswer>();
  let [ended, sent]: [Error | null, Dispatcher.DispatchController | null] = [null, null];
  const exchange: Exchange = {
    answer,
    get isSent() {
      return sent !== null;
    },
    isAnswered: false,
    end(error) {
      ended ??= error;
      reject(error);
      sent?.abort(error);
    },
  };
  const fields: AnswerHeaders = {};
  let [status, informational, compressed] = [0, 0, 0];
  /** Compression can add empty blocks without end, which hold nothing. */
  const isOverlong = () => compressed > 2 * maxBytes;
  const kept = createGrowing(maxBytes);
  let decode: (() => Transform) | undefined;
  let decoder: Transform | undefined;
  const take = (chunk: Buffer) => {
    if (kept.append(chunk)) return;
    decoder?.destroy();
    if (!truncates) return exchange.end(new OutgoingError('too_large'));
    // A letter of several bytes may have been cut in two: its first half is left out.
    resolve({ status, headers: fields, body: new StringDecoder('utf8').write(kept.read()), isTruncated: true });
    sent?.abort(DONE);
  };
  const finish = () => resolve({ status, headers: fields, body: kept.read().toString('utf8'), isTruncated: false });
  connections.open().dispatch(
    { origin: url.origin, path: url.pathname + url.search, method: method as Dispatcher.HttpMethod, headers, body },
    {
      onRequestStart(controller) {
        // Whatever the library holds to be right: nothing is sent twice, and nothing after its end.
        if (ended || sent) return controller.abort(ended ?? DONE);
        sent = controller;
      },
      onResponseStarted: () => void (exchange.isAnswered = true),
      onResponseStart(_controller, code, named) {
        if (code < 200 && ++informational > MAX_INFORMATIONAL) return exchange.end(new OutgoingError('too_large'));
        status = code;
        Object.assign(fields, joinValues(named));
        decode = DECODERS[fields['content-encoding']?.trim().toLowerCase() ?? ''];
      },
      onResponseData(_controller, chunk) {
        received.bytes += chunk.length;
        if (!decode) return take(chunk);
        if (decoder?.writableEnded) return;
        // At the first byte: an answer without a body may name an encoding too.
        decoder ??= decode()
          .on('data', (plain: Buffer) => {
            // Reading costs what the answer holds, and few compressed bytes can hold much.
            received.bytes += plain.length;
            take(plain);
          })
          .on('end', finish)
          .on('error', (error) => exchange.end(new OutgoingError(isOverlong() ? 'too_large' : 'connection', error)));
        decoder.write(chunk);
        compressed += chunk.length;
        if (isOverlong()) decoder.end();
      },
      onResponseEnd: () => void (decoder ? decoder.end() : finish()),
      onResponseError: (_controller, error) => reject(error),
    },
  );
  return exchange;
}

/** The connection was in use before, and ended as no connection does over which an answer is on its way. */
function isStale({ isSent, isAnswered }: Exchange, error: unknown): boolean {
  const { code } = error as { code?: string };
  const isEnd = code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
  return isSent && !isAnswered && isEnd && endsOfKept.has(error as Error);
}
