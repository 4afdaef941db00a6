// Sends requests to rails and merchants, with a deadline on the node's clock, a size limit and kept connections.
// It follows no redirects.
import type { LookupFunction } from 'node:net';
import type { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import { inSpan, annotateSpan, traceHeaders } from '../../metrics/span.ts';

/** Connections to any number of hosts. Each is opened on demand and kept for the next request. */
export type Connections = {
  agent: Dispatcher;
  /** Ends every connection, also those in use. Later requests fail. */
  destroy(): void;
  /** Bounds and observes the answers of one account's host. */
  watch?: AnswerWatch;
};

/** Keeps one host from taking more of the node than its share. */
export type AnswerWatch = {
  /** The bytes that the next answer may have, at most `maxBytes`. */
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
  /** Truncates a longer body at `maxBytes` and closes the connection, instead of failing. */
  truncates?: boolean;
  clock: Clock;
  /** Decides which hosts may be reached. Default: every host, because the operator chooses the rails' addresses. */
  connections?: Connections | undefined;
  /**
   * Connections for one repeat, if a kept connection ends before the answer begins. They are not kept.
   * In most cases the peer closed the kept connection before the request.
   * Rails' requests must not use them, because the request may arrive twice.
   */
  freshConnections?: Connections;
  /** Ends the request early, as a lost connection. */
  signal?: AbortSignal;
};

/** Lower-case names. Several values of one name are joined by commas. */
export type AnswerHeaders = Record<string, string | undefined>;

export type OutgoingAnswer = { status: number; headers: AnswerHeaders; body: string; isTruncated: boolean };

/** The request has no complete answer. */
export class OutgoingError extends Error {
  /**
   * `unreachable`, `blocked` (by a guard): no connection was made, so the peer received nothing.
   * With `freshConnections`, this holds for the repeat only. After any other code, the peer may have the request.
   */
  readonly code: 'timeout' | 'connection' | 'too_large' | 'unreachable' | 'blocked';
  constructor(code: OutgoingError['code'], cause?: unknown) {
    const origin = (cause as { code?: unknown } | undefined)?.code;
    super(typeof origin === 'string' ? `${code} (${origin})` : code, { cause });
    this.name = 'OutgoingError';
    this.code = code;
  }
}

/** How long an idle connection is kept, unless the peer keeps it for less. */
const IDLE_MS = 60_000;
/** The longest time to connect. After it, the host counts as unreachable. The machine's clock measures it. */
const CONNECT_MS = 10_000;

/** The peer of a connection: `host` is a name or an IP address without brackets. */
export type ConnectionTarget = { isTls: boolean; host: string; port: number };

export type ConnectOptions = {
  lookup?: LookupFunction;
  rejectUnauthorized?: boolean;
  /** Opens one connection per request. */
  isFresh?: boolean;
  /** Returns why this peer is refused, or null. */
  refuse?: (target: ConnectionTarget) => Error | null;
};

/** The errors of connections that had received an answer before they ended. */
const endsOfKept = new WeakSet<Error>();

const CLOSED = new OutgoingError('connection', { code: 'closed' });

/** Opens no connection before the first request. */
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
    // `sendRequest` has its own deadline, on the node's clock.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { agent, destroy: () => void agent.destroy(CLOSED) };
}

const toAnyHost = createConnections();

/** One error for all requests, because each new error captures a stack. */
const DONE = new Error('the request is over');

/**
 * Sends one request and reads the whole answer of any status.
 * @throws OutgoingError if no complete answer arrives in time, or the answer is too large
 */
export async function sendRequest(outgoing: OutgoingRequest): Promise<OutgoingAnswer> {
  const { method } = outgoing;
  const url = new URL(outgoing.url);
  // The path and query may hold tokens, so a trace names the host only.
  const values = {
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': Number(url.port) || undefined,
  };
  return inSpan({ name: method, kind: 'client', values }, async () => {
    // Without `Accept-Encoding` a server may choose any encoding.
    const headers = { 'Accept-Encoding': 'identity', ...outgoing.headers, ...traceHeaders() };
    const answer = await sendWatched({ ...outgoing, headers }, url);
    annotateSpan({ 'http.response.status_code': answer.status });
    return answer;
  });
}

/** Some servers compress even if `Accept-Encoding` forbids it. */
const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Sends the request within the bounds of its host, and reports the end of the call to the watch. */
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

/** The number of received bytes, also of an incomplete answer. */
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
    // UND_ERR_INVALID_ARG reports a fault of the request itself.
    const { code } = error as { code?: unknown };
    if (error instanceof OutgoingError || code === 'UND_ERR_INVALID_ARG') throw error;
    // The agent refuses requests after its end.
    if (code === 'UND_ERR_DESTROYED') throw CLOSED;
    throw new OutgoingError(exchange.isSent ? 'connection' : 'unreachable', error);
  } finally {
    finished.abort(DONE);
    signal?.removeEventListener('abort', abort);
  }
}

type Exchange = {
  answer: Promise<OutgoingAnswer>;
  /** The request is being written to a connection, so it may arrive. */
  readonly isSent: boolean;
  /** True once the first byte of an answer has arrived. */
  isAnswered: boolean;
  /** Closes the connection. A request that is not sent yet stays unsent. */
  end(error: OutgoingError): void;
};

/** Informational answers (1xx) before the answer. A host could send them without end. */
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
  /** A compressed body can have empty blocks without end. */
  const isOverlong = () => compressed > 2 * maxBytes;
  const kept = createGrowing(maxBytes);
  let decode: (() => Transform) | undefined;
  let decoder: Transform | undefined;
  const take = (chunk: Buffer) => {
    if (kept.append(chunk)) return;
    decoder?.destroy();
    if (!truncates) return exchange.end(new OutgoingError('too_large'));
    // The decoder drops the first half of a character that the limit cuts in two.
    resolve({ status, headers: fields, body: new StringDecoder('utf8').write(kept.read()), isTruncated: true });
    sent?.abort(DONE);
  };
  const finish = () => resolve({ status, headers: fields, body: kept.read().toString('utf8'), isTruncated: false });
  connections.agent.dispatch(
    { origin: url.origin, path: url.pathname + url.search, method: method as Dispatcher.HttpMethod, headers, body },
    {
      onRequestStart(controller) {
        // The library may retry a request. This check prevents a second sending, and a sending after the end.
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
        // Created with the first byte, because an answer without a body may name an encoding.
        decoder ??= decode()
          .on('data', (plain: Buffer) => {
            // The decoded size counts too, because few compressed bytes can hold many.
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

/** True if the kept connection ended before any byte of this request's answer. */
function isStale({ isSent, isAnswered }: Exchange, error: unknown): boolean {
  const { code } = error as { code?: string };
  const isEnd = code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
  return isSent && !isAnswered && isEnd && endsOfKept.has(error as Error);
}

/**
 * Collects bytes in one buffer. A list of chunks would keep up to 64 KiB for each chunk.
 * A body that is sent byte by byte would take hundreds of times its size.
 */
function createGrowing(maxBytes: number) {
  let [memory, size] = [Buffer.alloc(0), 0];
  return {
    /** Returns false if only a part of the chunk fitted. */
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
