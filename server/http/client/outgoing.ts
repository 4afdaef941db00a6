// Sends requests to rails and merchants, with a deadline on the node's clock, a size limit and keep-alive connections.
// It follows no redirects.
import type { LookupFunction } from 'node:net';
import type { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import { inSpan, annotateSpan, traceHeaders } from '../../metrics/span.ts';

/** Connections to any number of hosts. Each is opened on demand and kept alive for the next request. */
export type Connections = {
  agent: Dispatcher;
  /** Closes every connection, even those in use. Later requests fail. */
  destroy(): void;
  /** Limits and observes the responses of one rail account's host. */
  watch?: AnswerWatch;
};

/** Limits the share of the node that one host may use. */
export type AnswerWatch = {
  /** Returns the most bytes that the next response may have, at most `maxBytes`. */
  limit(maxBytes: number): number;
  note(call: { bytes: number; tookMs: number; isAnswered: boolean }): void;
};

export type OutgoingRequest = {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string;
  timeoutMs: number;
  maxBytes: number;
  /** True truncates a longer body at `maxBytes` and closes the connection, instead of failing. */
  truncates?: boolean;
  clock: Clock;
  /**
   * The connections, which decide the allowed hosts.
   * Default: every host, because the operator chooses the rails' URLs.
   */
  connections?: Connections | undefined;
  /**
   * New connections for one repeat, if a keep-alive connection ends before the response begins.
   * In most cases the peer had closed the keep-alive connection before the request.
   * Requests to rails must not use this option, because the request may arrive twice.
   */
  freshConnections?: Connections;
  /** Aborts the request like a lost connection. */
  signal?: AbortSignal;
};

/** Headers of a response with lower-case names. Several values of one name are joined by commas. */
export type AnswerHeaders = Record<string, string | undefined>;

export type OutgoingAnswer = { status: number; headers: AnswerHeaders; body: string; isTruncated: boolean };

/** A request that received no complete response. */
export class OutgoingError extends Error {
  /**
   * `unreachable` and `blocked` (by a guard): no connection was made, so the peer received nothing.
   * With `freshConnections`, this holds only for the repeat. After any other code, the peer may have the request.
   */
  readonly code: 'timeout' | 'connection' | 'too_large' | 'unreachable' | 'blocked';
  constructor(code: OutgoingError['code'], cause?: unknown) {
    const origin = (cause as { code?: unknown } | undefined)?.code;
    super(typeof origin === 'string' ? `${code} (${origin})` : code, { cause });
    this.name = 'OutgoingError';
    this.code = code;
  }
}

/** The time for which an idle connection is kept alive, unless the peer closes it earlier. */
const IDLE_MS = 60_000;
/** The longest time to connect, by the machine's clock. After it, the host counts as unreachable. */
const CONNECT_MS = 10_000;

/** The peer of a connection. `host` is a name, or an IP address without brackets. */
export type ConnectionTarget = { isTls: boolean; host: string; port: number };

export type ConnectOptions = {
  lookup?: LookupFunction;
  rejectUnauthorized?: boolean;
  /** True opens one connection per request. */
  isFresh?: boolean;
  /** Returns the error if this peer is refused, or null. */
  refuse?: (target: ConnectionTarget) => Error | null;
};

/** The errors of keep-alive connections: these had received a response before they ended. */
const endsOfKept = new WeakSet<Error>();

const CLOSED = new OutgoingError('connection', { code: 'closed' });

/** Creates a pool of connections. It opens no connection before the first request. */
export function createConnections({ isFresh = false, refuse, ...options }: ConnectOptions = {}): Connections {
  const connect = buildConnector({ ...options, allowH2: false, timeout: CONNECT_MS });
  const agent = new Agent({
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
    // undici's timeouts are off, because `sendRequest` has its own deadline on the node's clock.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { agent, destroy: () => void agent.destroy(CLOSED) };
}

const toAnyHost = createConnections();

/** One error object for all ended requests, because each new error captures a stack. */
const DONE = new Error('the request is over');

/**
 * Sends one request and reads the whole response, with any status.
 * @throws OutgoingError if no complete response arrives in time, or the response is too large
 */
export async function sendRequest(outgoing: OutgoingRequest): Promise<OutgoingAnswer> {
  const { method } = outgoing;
  const url = new URL(outgoing.url);
  // The path and query may contain tokens, so a trace names only the host.
  const values = {
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': Number(url.port) || undefined,
  };
  return inSpan({ name: method, kind: 'client', values }, async () => {
    // Without `Accept-Encoding`, a server may choose any encoding.
    const headers = { 'Accept-Encoding': 'identity', ...outgoing.headers, ...traceHeaders() };
    const answer = await sendWatched({ ...outgoing, headers }, url);
    annotateSpan({ 'http.response.status_code': answer.status });
    return answer;
  });
}

/** Decoders for compressed responses. Some servers compress even if `Accept-Encoding` forbids it. */
const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Sends the request within the limits of its host, and reports the end of the call to the host's `watch`. */
async function sendWatched(outgoing: OutgoingRequest, url: URL): Promise<OutgoingAnswer> {
  const { clock, maxBytes, connections: { watch } = toAnyHost } = outgoing;
  const received = { bytes: 0 };
  if (!watch) return send(outgoing, url, received);
  const startedAt = clock.now().getTime();
  let isAnswered = true;
  try {
    return await send({ ...outgoing, maxBytes: watch.limit(maxBytes) }, url, received);
  } catch (error) {
    isAnswered = !(error instanceof OutgoingError && SILENT.has(error.code));
    throw error;
  } finally {
    watch.note({ ...received, tookMs: clock.now().getTime() - startedAt, isAnswered });
  }
}

const SILENT: ReadonlySet<OutgoingError['code']> = new Set(['timeout', 'connection', 'unreachable']);

/** The number of received bytes, even of an incomplete response. */
type Received = { bytes: number };

async function send(outgoing: OutgoingRequest, url: URL, received: Received): Promise<OutgoingAnswer> {
  const { clock, timeoutMs, connections = toAnyHost, freshConnections, signal } = outgoing;
  if (signal?.aborted) throw new OutgoingError('connection', signal.reason);
  let exchange = beginExchange(outgoing, url, connections, received);
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
      exchange = beginExchange(outgoing, url, freshConnections, received);
      return exchange.answer;
    });
  } catch (error) {
    // UND_ERR_INVALID_ARG is a fault of the request itself, not of the connection.
    const { code } = error as { code?: unknown };
    if (error instanceof OutgoingError || code === 'UND_ERR_INVALID_ARG') throw error;
    // undici's agent refuses requests after it was destroyed.
    if (code === 'UND_ERR_DESTROYED') throw CLOSED;
    throw new OutgoingError(exchange.isSent ? 'connection' : 'unreachable', error);
  } finally {
    finished.abort(DONE);
    signal?.removeEventListener('abort', abort);
  }
}

type Exchange = {
  answer: Promise<OutgoingAnswer>;
  /** True while the request is written to a connection, and after that: the request may arrive. */
  readonly isSent: boolean;
  /** True after the first byte of a response has arrived. */
  isAnswered: boolean;
  /** Closes the connection. A request that was not sent stays unsent. */
  end(error: OutgoingError): void;
};

/** The most informational responses (1xx) before the final response. A host could send them without end. */
const MAX_INFORMATIONAL = 8;

function beginExchange(outgoing: OutgoingRequest, url: URL, connections: Connections, received: Received): Exchange {
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
  /** True for a compressed body that is too long. A compressed body can have empty blocks without end. */
  const isOverlong = () => compressed > 2 * maxBytes;
  const kept = createGrowing(maxBytes);
  let decode: (() => Transform) | undefined;
  let decoder: Transform | undefined;
  const take = (chunk: Buffer) => {
    if (kept.append(chunk)) return;
    decoder?.destroy();
    if (!truncates) return exchange.end(new OutgoingError('too_large'));
    // The decoder drops the first half of a character that the size limit cuts in two.
    resolve({ status, headers: fields, body: new StringDecoder('utf8').write(kept.read()), isTruncated: true });
    sent?.abort(DONE);
  };
  const finish = () => resolve({ status, headers: fields, body: kept.read().toString('utf8'), isTruncated: false });
  connections.agent.dispatch(
    { origin: url.origin, path: url.pathname + url.search, method: method as Dispatcher.HttpMethod, headers, body },
    {
      onRequestStart(controller) {
        // undici may retry a request. This check prevents a second sending, and a sending after the end.
        if (ended || sent) return controller.abort(ended ?? DONE);
        sent = controller;
      },
      onResponseStarted: () => void (exchange.isAnswered = true),
      onResponseStart(_controller, code, named) {
        if (code < 200 && ++informational > MAX_INFORMATIONAL) return exchange.end(new OutgoingError('too_large'));
        status = code;
        for (const [name, value] of Object.entries(named)) fields[name] = [value].flat().join(', ');
        decode = DECODERS[fields['content-encoding']?.trim().toLowerCase() ?? ''];
      },
      onResponseData(_controller, chunk) {
        received.bytes += chunk.length;
        if (!decode) return take(chunk);
        if (decoder?.writableEnded) return;
        // The decoder is created with the first byte, because a response without a body may name an encoding.
        decoder ??= decode()
          .on('data', (plain: Buffer) => {
            // The decoded size counts too, because few compressed bytes can decode to many.
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

/** True if the keep-alive connection ended before any byte of this request's response. */
function isStale({ isSent, isAnswered }: Exchange, error: unknown): boolean {
  const { code } = error as { code?: string };
  const isEnd = code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
  return isSent && !isAnswered && isEnd && endsOfKept.has(error as Error);
}

/**
 * Collects bytes in one growing buffer. A list of chunks would keep up to 64 KiB for each chunk.
 * With a list, a body that arrives byte by byte would take hundreds of times its size.
 */
function createGrowing(maxBytes: number) {
  let [memory, size] = [Buffer.alloc(0), 0];
  return {
    /** Adds a chunk. Returns false if only a part of the chunk fits. */
    append(chunk: Uint8Array): boolean {
      const fitting = Math.min(chunk.length, maxBytes - size);
      if (size + fitting > memory.length) {
        const grown = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(2 * memory.length, size + fitting)));
        memory.copy(grown, 0, 0, size);
        memory = grown;
      }
      memory.set(chunk.subarray(0, fitting), size);
      size += fitting;
      return fitting === chunk.length;
    },
    read: () => memory.subarray(0, size),
  };
}
