// The endpoint of the demo shop: parses a call, stores the call, and answers by the shop's answer mode.
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';
import type { Clock } from '../../server/clock.ts';
import { readBytes } from '../../server/http/body.ts';
import { equalsSecret } from '../../server/secrets.ts';
import { answerForMode, TOO_MANY_CALLS, isProcessed, WRONG_KEY, type ShopAnswer } from './merchant-answers.ts';
import type { ShopStore } from './merchant-arrivals.ts';
import { readNotice } from './merchant-notices.ts';
import type { ReceivedCall } from './merchant-schema.ts';

export type HookOptions = {
  store: ShopStore;
  /** The `Access-Key` that callbacks to the demo shop must have. */
  accessKey: string;
  clock: Clock;
  stopping: AbortSignal;
};

const MAX_BYTES = 65_536;

/** Maximum number of calls that the shop keeps open. The route is public, so the number must be limited. */
const MAX_WAITING = 100;

const SECRETS = new Set(['access-key', 'authorization', 'cookie', 'proxy-authorization']);

/** Handles `POST /sandbox/callbacks/hook`. Callbacks must have the `Access-Key`, and events must be signed. */
export function receiveCalls({ store, accessKey, clock, stopping }: HookOptions): (ctx: Context) => Promise<void> {
  let waiting = 0;

  return async (ctx) => {
    const { headers } = ctx.req;
    // A public route receives any bytes. Bytes that are not UTF-8 become replacement characters.
    const text = (await readBytes(ctx, MAX_BYTES)).toString('utf8');
    const notice = readNotice(headers, text);
    const { mode, delaySeconds } = await store.readMode();
    const isKeyRight = headers['webhook-id'] === undefined ? isKey(headers, accessKey) : null;
    const isTest = notice.kind === 'test';
    const isProcessedNow = isKeyRight !== false && isProcessed(mode) && !isTest;
    const arrived = describeCall(headers, text, clock);
    const { id: _, ...content } = notice;
    const { id, isRepeat, sale } = await store.keep(
      { ...arrived, ...content, isKeyRight },
      isProcessedNow ? notice : null,
    );
    if (isKeyRight === false) return send(ctx, id, WRONG_KEY);
    const delayMs = mode === 'hang' ? Infinity : mode === 'slow' ? delaySeconds * 1_000 : 0;
    if (delayMs > 0 && waiting >= MAX_WAITING) return send(ctx, id, TOO_MANY_CALLS);
    if (delayMs > 0) await keepWaiting(ctx, delayMs);
    const answer = answerForMode(mode, { isTest, isRepeat, sale });
    if (!answer || ctx.res.destroyed) return dropCaller(ctx, id);
    return send(ctx, id, answer);
  };

  /** Waits until the answer mode's delay ends, the caller disconnects, or the node stops. */
  async function keepWaiting(ctx: Context, delayMs: number): Promise<void> {
    const gone = new AbortController();
    ctx.res.once('close', () => gone.abort());
    if (ctx.res.destroyed) return;
    const over = AbortSignal.any([gone.signal, stopping]);
    waiting++;
    try {
      if (delayMs !== Infinity) await clock.wait(delayMs, over);
      else if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
    } finally {
      waiting--;
    }
  }

  /** Stores the answer before it is sent, so that the page already shows it when the caller has it. */
  async function send(ctx: Context, id: number, answer: ShopAnswer): Promise<void> {
    const { status, body, headers = {} } = answer;
    await store.settle(id, 'answered', { status, body });
    ctx.status = status;
    ctx.set({ 'Cache-Control': 'no-store', ...headers });
    ctx.body = body;
  }

  async function dropCaller(ctx: Context, id: number): Promise<void> {
    await store.settle(id, 'left', null);
    ctx.respond = false;
    ctx.req.socket.destroy();
  }
}

function isKey(headers: IncomingHttpHeaders, accessKey: string): boolean {
  const given = headers['access-key'];
  return typeof given === 'string' && equalsSecret(given, accessKey);
}

type Call = Pick<ReceivedCall, 'receivedAt' | 'delivery' | 'attempt' | 'headers' | 'text'>;

function describeCall(headers: IncomingHttpHeaders, text: string, clock: Clock): Call {
  const textOf = (name: string) => (typeof headers[name] === 'string' ? headers[name] : null);
  const attempt = textOf('balcao-attempt') ?? '';
  const shown = Object.entries(headers).map(([name, value]) => [name, SECRETS.has(name) ? '•••' : String(value)]);
  return {
    receivedAt: clock.now().toISOString(),
    delivery: textOf('balcao-delivery') ?? textOf('webhook-id'),
    attempt: /^\d{1,6}$/.test(attempt) ? Number(attempt) : null,
    headers: Object.fromEntries(shown) as Record<string, string>,
    text,
  };
}
