// Makes one delivery attempt outside of any transaction, and judges the response.
// The attempt may reach only the public internet and, in the sandbox, the sandbox's own page for testing callbacks.
import { StringDecoder } from 'node:string_decoder';
import type { Core } from '../core.ts';
import { parseAnswer } from '../http/json.ts';
import { checkResolves, checkUrl, createGuardedConnections, type GuardOptions } from '../http/client/guard.ts';
import { OutgoingError, sendRequest, type OutgoingAnswer, type OutgoingRequest } from '../http/client/outgoing.ts';
import type { AttemptOutcome, EndpointKind } from './entities.ts';
import type { WebhookRequest } from './message.ts';
import { readRetryAfter, TIMEOUT_MS } from './schedule.ts';

export type Targets = {
  /** Returns the reason why a URL is refused, as one word. Null if the URL is allowed. */
  check(url: string): Promise<string | null>;
  /** Returns the request URL and the connection pool for an endpoint's URL. */
  aim(url: string): Pick<OutgoingRequest, 'url' | 'connections' | 'freshConnections'>;
  close(): void;
};

/**
 * Creates the URL check and the connection pools of endpoints.
 * @param localUrl the URL at which the node reaches itself
 */
export function createTargets({ config, publicUrl }: Pick<Core, 'config' | 'publicUrl'>, localUrl: string): Targets {
  const guard: GuardOptions = { allowLoopback: config.isSandbox && config.CALLBACK_ALLOW_LOOPBACK };
  const connections = createGuardedConnections(guard);
  // Other URLs of the sandbox are refused, because their forms are for people.
  const isOwn = (url: string) => config.isSandbox && url === `${publicUrl}/sandbox/callbacks/hook`;
  return {
    async check(url) {
      if (isOwn(url)) return null;
      return checkUrl(url, guard) ?? (await checkResolves(url, guard));
    },
    aim(url) {
      if (isOwn(url)) return { url: `${localUrl}${url.slice(publicUrl.length)}` };
      return { url, connections: connections.kept, freshConnections: connections.fresh };
    },
    close: () => connections.destroy(),
  };
}

/** The result of a delivery attempt. */
export type Result = {
  outcome: AttemptOutcome;
  /** The HTTP status. Null without a response. */
  status: number | null;
  /** The first 2 KiB of the response body. */
  answer: string | null;
  error: string | null;
  startedAt: Date;
  durationMs: number;
  retryAfterMs: number | null;
};

/** The longest part of a response body that the node reads. */
const MAX_BYTES = 65_536;
const KEPT_BYTES = 2_048;

/** Sends the message and returns the result. It never throws, because a failed call is a result too. */
export async function sendMessage(
  clock: Core['clock'],
  targets: Pick<Targets, 'aim'>,
  kind: EndpointKind,
  message: WebhookRequest,
): Promise<Result> {
  const startedAt = clock.now();
  const began = performance.now();
  const end = (result: Partial<Result> & Pick<Result, 'outcome'>): Result => ({
    status: null,
    answer: null,
    error: null,
    retryAfterMs: null,
    ...result,
    startedAt,
    durationMs: Math.round(performance.now() - began),
  });
  const { url, headers, body } = message;
  try {
    const target = targets.aim(url);
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, truncates: true, clock };
    const answer = await sendRequest({ method: 'POST', headers, body, ...limits, ...target });
    const { status } = answer;
    const retryAfterMs = readRetryAfter(answer.headers['retry-after'], clock.outside());
    return end({ outcome: outcomeOf(kind, answer), status, answer: keptText(answer.body), retryAfterMs });
  } catch (error) {
    if (error instanceof OutgoingError) return end({ outcome: error.code, error: error.message });
    return end({ outcome: 'connection', error: 'failed' });
  }
}

/** Returns the outcome. A webhook is delivered with any 2xx. A callback also needs `Success: true` in the response. */
function outcomeOf(kind: EndpointKind, { status, body }: OutgoingAnswer): AttemptOutcome {
  if (status < 200 || status > 299) return 'status';
  return kind === 'webhook' || saysSuccess(body) ? 'delivered' : 'refused';
}

/** True if `Success` or `success` is true in the body. Any other text, even invalid JSON, does not confirm. */
function saysSuccess(body: string): boolean {
  // Some servers begin the body with a byte order mark.
  const confirmation = parseAnswer(body.replace(/^\u{feff}/u, '')) as { Success?: unknown; success?: unknown } | null;
  return confirmation?.Success === true || confirmation?.success === true;
}

/** Cuts a response body to 2 KiB without splitting a character. Replaces NUL, which PostgreSQL rejects. */
function keptText(body: string): string {
  const text = body.replaceAll('\0', '\u{fffd}');
  const bytes = Buffer.from(text);
  return bytes.length > KEPT_BYTES ? new StringDecoder('utf8').write(bytes.subarray(0, KEPT_BYTES)) : text;
}
