// A merchant's events as they happen, over one connection after another, so that none is missed and none is taken for done too early.
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CommandError } from './command.ts';
import { awayError, refusalOf, type Gateway } from './gateway.ts';

const event = z.object({
  id: z.string(),
  type: z.string(),
  paymentId: z.string().nullable(),
  status: z.string().nullable(),
  details: z.looseObject({ transactionId: z.string().nullish(), posId: z.string().nullish() }),
  data: z.looseObject({ currency: z.string().optional(), paymentMethod: z.string().optional() }).nullable(),
  cursor: z.string(),
});

/** What the commands read of an event. */
export type FeedEvent = z.output<typeof event>;

export const eventPage = z.object({ data: z.array(event), next: z.string() });

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 10_000;
/** The gateway says something every 15 s. */
const SILENCE_MS = 45_000;
const MAX_REFUSAL = 10_000;

export type Following = {
  gateway: Gateway;
  /** The cursor to begin after. */
  after: string;
  stop: AbortSignal;
  /** Called with one event at a time. Where it throws a temporary CommandError, the event comes again. */
  take(event: FeedEvent): Promise<void>;
  /** The connection is lost. */
  onLost(why: string, waitMs: number): void;
  /** It is there again. */
  onBack(): void;
};

/** Resolves when it is stopped. @throws CommandError when the gateway says no for good */
export async function followEvents({ gateway, after, stop, take, onLost, onBack }: Following): Promise<void> {
  let cursor = after;
  let failures = 0;
  while (!stop.aborted) {
    const renewal = new AbortController();
    try {
      const messages = await openStream(gateway, cursor, AbortSignal.any([stop, renewal.signal]), renewal);
      if (failures > 0) onBack();
      failures = 0;
      for await (const message of messages) {
        const told = readEvent(message);
        await take(told);
        cursor = told.cursor;
      }
      throw new CommandError('the gateway ended the stream', { isTemporary: true });
    } catch (error) {
      if (stop.aborted) return;
      if (renewal.signal.aborted) continue;
      if (!(error instanceof CommandError) || !error.isTemporary) throw error;
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** failures++, MAX_WAIT_MS);
      onLost(error.message, waitMs);
      await sleep(waitMs, undefined, { signal: stop }).catch(() => {});
    }
  }
}

function readEvent({ data }: StreamMessage): FeedEvent {
  const parsed = event.safeParse(JSON.parse(data));
  if (parsed.success) return parsed.data;
  throw new CommandError('The gateway tells events in a form that this version does not know.');
}

/** One connection; `renewal` ends it before its token does. */
async function openStream(
  gateway: Gateway,
  cursor: string,
  signal: AbortSignal,
  renewal: AbortController,
): Promise<AsyncIterable<StreamMessage>> {
  const token = await gateway.takeToken();
  const timer = setTimeout(() => {
    gateway.forgetToken();
    renewal.abort();
  }, token.renewAtMs - performance.now());
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const answer = await requestStream(gateway, token.value, cursor, signal).catch((error: unknown) => {
    clearTimeout(timer);
    throw error;
  });
  return readStream(gateway.url, answer, () => clearTimeout(timer));
}

async function requestStream(
  { url, forgetToken }: Gateway,
  token: string,
  cursor: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? https : http;
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', 'Last-Event-ID': cursor };
  const path = '/api/events/stream';
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url + path, { headers, signal, agent: false });
    outgoing.setTimeout(SILENCE_MS, () => outgoing.destroy(new Error('it has gone silent')));
    outgoing.once('response', resolve);
    outgoing.on('error', (error) => reject(awayError(url, error.message)));
    outgoing.end();
  });
  answer.setEncoding('utf8');
  if (answer.statusCode === 200) return answer;
  let body = '';
  for await (const chunk of answer as AsyncIterable<string>) if (body.length < MAX_REFUSAL) body += chunk;
  // Taken back, or signed with a key that is gone: whether the credentials still stand, the next token tells.
  if (answer.statusCode === 401) {
    forgetToken();
    throw new CommandError('the token is refused', { isTemporary: true });
  }
  throw refusalOf(answer.statusCode ?? 0, body, `GET ${path}`);
}

/** What breaks while it is read is a lost connection. */
async function* readStream(url: string, answer: IncomingMessage, onEnd: () => void): AsyncGenerator<StreamMessage> {
  const messages = readMessages(answer as AsyncIterable<string>);
  try {
    for (;;) {
      const next = await messages.next().catch((error: unknown) => {
        throw awayError(url, error instanceof Error ? error.message : 'lost');
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    onEnd();
    answer.destroy();
  }
}

/** One message; `id` is the last one told, which may be an earlier message's. */
export type StreamMessage = { event: string; data: string; id: string | null };

/** The messages of a stream, however its text is cut; one that is not whole at the end is none. */
export async function* readMessages(chunks: AsyncIterable<string>): AsyncGenerator<StreamMessage> {
  let rest = '';
  let id: string | null = null;
  let fields = { event: '', data: [] as string[] };
  for await (const chunk of chunks) {
    // A carriage return at the end may be the first half of a line end.
    const [, whole = '', begun = ''] = /^([^]*(?:\r\n|\n|\r(?=[^\n])))?([^]*)$/.exec(rest + chunk) ?? [];
    rest = begun;
    for (const line of splitLines(whole)) {
      if (line === '') {
        if (fields.data.length > 0) yield { event: fields.event || 'message', data: fields.data.join('\n'), id };
        fields = { event: '', data: [] };
        continue;
      }
      const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (name === 'data') fields.data.push(value);
      else if (name === 'event') fields.event = value;
      else if (name === 'id' && !value.includes('\0')) id = value;
    }
  }
}

/** Whole lines, without their ends. */
function splitLines(text: string): string[] {
  return text === '' ? [] : text.replace(/(\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/);
}
