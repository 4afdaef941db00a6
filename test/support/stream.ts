// A reader of server-sent events over plain HTTP.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { until } from './app.ts';

type StreamEvent = { event: string; data: any; id: string | null };

export type StreamReader = Awaited<ReturnType<typeof openStream>>;

/** Opens a stream and resolves with its first bytes' headers. */
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
    /** All received text, with comments and hints. */
    text: () => text,
    /** Waits for an event of which `check` is true. */
    untilEvent: (check: (event: StreamEvent) => boolean, what: string) => until(() => events.find(check), what),
    untilEnd: () => until(() => isEnded, 'the stream ending'),
    close: () => outgoing.destroy(),
  };
}

/** Reads complete events and skips comments and hints. */
function readEvents(text: string): StreamEvent[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
    const event = fields.get('event');
    if (!event) return [];
    return [{ event, data: JSON.parse(fields.get('data') ?? 'null'), id: fields.get('id') ?? null }];
  });
}
