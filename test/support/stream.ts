// A reader of server-sent events over plain HTTP.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { until } from './app.ts';

type StreamEvent = { event: string; data: any; id: string | null };

export type StreamReader = Awaited<ReturnType<typeof openStream>>;

/** Opens a stream. Resolves when the response headers arrive. */
export async function openStream(url: string, headers: Record<string, string> = {}) {
  const outgoing = request(url, { headers, agent: false });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const events: StreamEvent[] = [];
  let text = '';
  let isEnded = false;
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    text += chunk;
    events.splice(0, events.length, ...readEvents(text));
  });
  answer.once('end', () => (isEnded = true));
  answer.on('error', () => {});
  outgoing.on('error', () => {});
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    events,
    /** All received text, with comments and reconnect times. */
    text: () => text,
    /** Waits for an event for which `check` returns true. */
    untilEvent: (check: (event: StreamEvent) => boolean, what: string) => until(() => events.find(check), what),
    untilEnd: () => until(() => isEnded, 'the stream ending'),
    close: () => outgoing.destroy(),
  };
}

/** Parses complete events, and skips comments and reconnect times. */
function readEvents(text: string): StreamEvent[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
    const event = fields.get('event');
    if (!event) return [];
    return [{ event, data: JSON.parse(fields.get('data') ?? 'null'), id: fields.get('id') ?? null }];
  });
}
