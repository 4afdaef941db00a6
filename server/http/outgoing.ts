// Requests that leave the house: a deadline on our clock, a size limit, kept connections, no redirects followed.
import http, { type Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../clock.ts';
import { inSpan, noteInSpan, traceHeaders } from '../trace/span.ts';

/** Hold and make the connections of each scheme. */
export type Agents = { http: Agent; https: Agent };

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
  agents?: Agents | undefined;
  /**
   * Where the request is sent once more, at once, when its kept connection ended before an answer began: mostly the other side
   * had ended it already. Only for what may arrive twice, so never for rails. These keep no connections.
   */
  freshAgents?: Agents;
  /** Ends the request early, as a lost connection. */
  signal?: AbortSignal;
};

export type OutgoingAnswer = { status: number; headers: IncomingHttpHeaders; body: string; isTruncated: boolean };

/** No whole answer came. */
export class OutgoingError extends Error {
  /**
   * `unreachable`, `blocked` (by a guard): no connection was made, so nothing was received (with `freshAgents`: not the second
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

const openAgents: Agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };

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
    const answer = await send({ ...outgoing, headers: { ...outgoing.headers, ...traceHeaders() } }, url);
    noteInSpan({ 'http.response.status_code': answer.status });
    return answer;
  });
}

async function send(outgoing: OutgoingRequest, url: URL): Promise<OutgoingAnswer> {
  const { clock, timeoutMs, freshAgents, signal } = outgoing;
  let request = openRequest(outgoing, url, outgoing.agents ?? openAgents);
  const finished = new AbortController();
  let failure: OutgoingError | null = null;
  let isSecond = false;
  const fail = (code: OutgoingError['code'], cause?: unknown) => {
    failure ??= new OutgoingError(code, cause);
    request.destroy();
  };
  const abort = () => fail('connection', signal?.reason);
  try {
    let answered = awaitAnswer(request);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    void clock
      .wait(timeoutMs, finished.signal)
      .then(() => finished.signal.aborted || fail(isConnecting(request) && !isSecond ? 'unreachable' : 'timeout'));
    request.end(outgoing.body);
    if (freshAgents) {
      answered = answered.catch((error) => {
        if (failure || !isStale(request, error)) throw error;
        isSecond = true;
        request = openRequest(outgoing, url, freshAgents);
        const again = awaitAnswer(request);
        request.end(outgoing.body);
        return again;
      });
    }
    const answer = await readAnswer(await answered, outgoing, fail);
    // A body cut off by us can also end without an error.
    if (failure) throw failure;
    return answer;
  } catch (error) {
    if (failure || error instanceof OutgoingError) throw failure ?? error;
    throw new OutgoingError(isUnreachable(error) ? 'unreachable' : 'connection', error);
  } finally {
    finished.abort(DONE);
    signal?.removeEventListener('abort', abort);
  }
}

function openRequest({ method, headers = {} }: OutgoingRequest, url: URL, agents: Agents): ClientRequest {
  return url.protocol === 'https:'
    ? https.request(url, { method, headers, agent: agents.https })
    : http.request(url, { method, headers, agent: agents.http });
}

function awaitAnswer(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // Stays on: after the answer began, its errors are told to the request once more.
    request.on('error', reject);
  });
}

async function readAnswer(
  answer: IncomingMessage,
  { maxBytes, truncates = false }: OutgoingRequest,
  fail: (code: OutgoingError['code']) => void,
): Promise<OutgoingAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else if (!truncates) fail('too_large');
    else {
      chunks.push(chunk.subarray(0, chunk.length + maxBytes - bytes));
      // Leaving the loop closes the connection.
      break;
    }
  }
  const isTruncated = bytes > maxBytes;
  const whole = Buffer.concat(chunks);
  // A letter of several bytes may have been cut in two: its first half is left out.
  const body = isTruncated ? new StringDecoder('utf8').write(whole) : whole.toString('utf8');
  return { status: answer.statusCode ?? 0, headers: answer.headers, body, isTruncated };
}

/** The connection was in use before, and ended as no connection does over which an answer is on its way. */
function isStale(request: ClientRequest, error: unknown): boolean {
  const { code } = error as { code?: string };
  return request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

/** Its name is being looked up, or its connection made: nothing was written yet, and nothing is once it is destroyed. */
function isConnecting({ socket }: ClientRequest): boolean {
  return socket?.connecting ?? true;
}

/** Errors that only making a connection can end with. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isUnreachable);
  const { syscall } = error as { syscall?: string };
  return syscall === 'connect' || syscall === 'getaddrinfo' || syscall === 'queryA';
}
