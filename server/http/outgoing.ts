// Requests that leave the house: a deadline on our clock, a size limit, kept connections, no redirects followed.
import http, { type Agent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Clock } from '../clock.ts';

export type OutgoingRequest = {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string;
  timeoutMs: number;
  /** Of the answer's body. */
  maxBytes: number;
  clock: Clock;
  /** Decides who may be reached. Default: anybody, as rails are addresses of the operator's own choosing. */
  agent?: Agent;
  /** Ends the request early, as a lost connection. */
  signal?: AbortSignal;
};

export type OutgoingAnswer = { status: number; headers: IncomingHttpHeaders; body: string };

/** No whole answer came. */
export class OutgoingError extends Error {
  /** `unreachable`: no connection was made, so nothing was received; with any other, nobody can tell. */
  readonly code: 'timeout' | 'connection' | 'too_large' | 'unreachable';
  constructor(code: OutgoingError['code'], cause?: unknown) {
    const origin = (cause as { code?: unknown } | undefined)?.code;
    super(typeof origin === 'string' ? `${code} (${origin})` : code, { cause });
    this.name = 'OutgoingError';
    this.code = code;
  }
}

const http1 = { request: http.request, agent: new http.Agent({ keepAlive: true }) };
const tls = { request: https.request, agent: new https.Agent({ keepAlive: true }) };

/**
 * Sends one request and reads the whole answer, whatever its status.
 * @throws OutgoingError when no answer came in time, whole, and small enough
 */
export async function sendRequest(outgoing: OutgoingRequest): Promise<OutgoingAnswer> {
  const { clock, timeoutMs, maxBytes, signal } = outgoing;
  const url = new URL(outgoing.url);
  const transport = url.protocol === 'https:' ? tls : http1;
  const request = transport.request(url, {
    method: outgoing.method,
    headers: outgoing.headers ?? {},
    agent: outgoing.agent ?? transport.agent,
  });
  const finished = new AbortController();
  let failure: OutgoingError | null = null;
  const fail = (code: OutgoingError['code'], cause?: unknown) => {
    failure ??= new OutgoingError(code, cause);
    request.destroy();
  };
  const abort = () => fail('connection', signal?.reason);
  try {
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      // Stays on: after the answer began, its errors are told to the request once more.
      request.on('error', reject);
    });
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    void clock.wait(timeoutMs, finished.signal).then(() => finished.signal.aborted || fail('timeout'));
    request.end(outgoing.body);
    const answer = await answered;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) fail('too_large');
      else chunks.push(chunk);
    }
    // A body cut off by us can also end without an error.
    if (failure) throw failure;
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    throw failure ?? new OutgoingError(isUnreachable(error) ? 'unreachable' : 'connection', error);
  } finally {
    finished.abort();
    signal?.removeEventListener('abort', abort);
  }
}

/** Errors that only making a connection can end with. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isUnreachable);
  const { code, syscall } = error as { code?: string; syscall?: string };
  return syscall === 'getaddrinfo' || (syscall === 'connect' && code !== 'ETIMEDOUT');
}
