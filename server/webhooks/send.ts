// Where merchants may be called (the public internet, and in the sandbox its own page for trying callbacks), and one attempt: the call
// outside of any transaction, and what its answer means (decisions §13).
import { StringDecoder } from 'node:string_decoder';
import type { Core } from '../core.ts';
import { parseAnswer } from '../http/json.ts';
import { checkResolves, checkUrl, createGuardedConnections, type GuardOptions } from '../http/client/guard.ts';
import { OutgoingError, sendRequest, type OutgoingAnswer, type OutgoingRequest } from '../http/client/outgoing.ts';
import type { AttemptOutcome, EndpointKind } from './entities.ts';
import type { WebhookRequest } from './message.ts';
import { readRetryAfter, TIMEOUT_MS } from './schedule.ts';

export type Targets = {
  /** Why a URL is refused, in a word; null: it may be called. */
  check(url: string): Promise<string | null>;
  /** What a request to the URL needs: its address, and the connections that it may use. */
  aim(url: string): Pick<OutgoingRequest, 'url' | 'connections' | 'freshConnections'>;
  close(): void;
};

/** @param localUrl this node, as it reaches itself */
export function createTargets({ config, publicUrl }: Pick<Core, 'config' | 'publicUrl'>, localUrl: string): Targets {
  const guard: GuardOptions = { allowLoopback: config.isSandbox && config.CALLBACK_ALLOW_LOOPBACK };
  const connections = createGuardedConnections(guard);
  // Nothing else there: what the page's forms do is not for machines.
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

/** How an attempt ended. */
export type Result = {
  outcome: AttemptOutcome;
  /** HTTP status; null where no answer came. */
  status: number | null;
  /** Its first 2 KiB. */
  answer: string | null;
  error: string | null;
  startedAt: Date;
  durationMs: number;
  retryAfterMs: number | null;
};

/** An answer is read this far. */
const MAX_BYTES = 65_536;
const KEPT_BYTES = 2_048;

/** Makes the call; it never throws. */
export async function sendMessage(
  clock: Core['clock'],
  targets: Pick<Targets, 'aim'>,
  kind: EndpointKind,
  message: WebhookRequest,
): Promise<Result> {
  const startedAt = clock.now();
  const began = performance.now();
  const end = (told: Partial<Result> & Pick<Result, 'outcome'>): Result => ({
    status: null,
    answer: null,
    error: null,
    retryAfterMs: null,
    ...told,
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
    return end({ outcome: judge(kind, answer), status, answer: keep(answer.body), retryAfterMs });
  } catch (error) {
    if (error instanceof OutgoingError) return end({ outcome: error.code, error: error.message });
    return end({ outcome: 'connection', error: 'failed' });
  }
}

/** Told means 2xx; of a callback the merchant also says so in the body. */
function judge(kind: EndpointKind, { status, body }: OutgoingAnswer): AttemptOutcome {
  if (status < 200 || status > 299) return 'status';
  return kind === 'webhook' || saysSuccess(body) ? 'delivered' : 'refused';
}

/** `Success` or `success` is true; anything else, garbage too, is not a confirmation. */
function saysSuccess(body: string): boolean {
  // Some servers begin with a byte order mark.
  const said = parseAnswer(body.replace(/^\u{feff}/u, '')) as { Success?: unknown; success?: unknown } | null;
  return said?.Success === true || said?.success === true;
}

/** As text that the database takes: without NUL, and with no letter cut in two. */
function keep(body: string): string {
  const text = body.replaceAll('\0', '\u{fffd}');
  const bytes = Buffer.from(text);
  return bytes.length > KEPT_BYTES ? new StringDecoder('utf8').write(bytes.subarray(0, KEPT_BYTES)) : text;
}
