// The event feed and its stream as a merchant's server reads them.
import { once } from 'node:events';
import { connect } from 'node:net';
import { until, type TestApp } from './app.ts';
import { openStream, type StreamReader } from './stream.ts';

type FeedPage = { data: any[]; next: string };

/** Returns the same app, whose calls use the API client of another merchant. Its tokens never expire. */
export function actAs(app: TestApp, { clientId, secret }: { clientId: string; secret: string }): TestApp {
  return {
    ...app,
    call: async (path, options = {}) => app.call(path, { token: await app.token(clientId, secret), ...options }),
  };
}

type Asking = { after?: string | undefined; limit?: number };

/** Reads one page of the feed. @throws if the request is refused */
export async function readFeed(app: TestApp, { after, limit }: Asking = {}): Promise<FeedPage> {
  const query = new URLSearchParams({ ...(after !== undefined && { after }), ...(limit && { limit: String(limit) }) });
  const { status, text, json } = await app.call(`/api/events?${query}`);
  if (status !== 200) throw new Error(`no feed: ${status} ${text}`);
  return json;
}

/** Reads all events after the cursor, page by page; without a cursor, from the first event. */
export async function readEvents(app: TestApp, { after, limit = 500 }: Asking = {}): Promise<any[]> {
  const events: any[] = [];
  for (let cursor = after; ;) {
    const { data, next } = await readFeed(app, { after: cursor, limit });
    if (data.length === 0) return events;
    events.push(...data);
    cursor = next;
  }
}

/** The events of one payment, oldest first. */
export async function readEventsOf(app: TestApp, paymentId: string): Promise<any[]> {
  return (await readEvents(app)).filter((event) => event.paymentId === paymentId);
}

export type Opening = { token?: string; after?: string; lastEventId?: string };

/** Opens the stream, by default as the demo merchant. */
export async function openEvents(app: TestApp, { token, after, lastEventId }: Opening = {}): Promise<StreamReader> {
  return openStream(`${app.url}/api/events/stream${after === undefined ? '' : `?after=${after}`}`, {
    authorization: `Bearer ${token ?? (await app.token())}`,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  });
}

/** Writes events without a payment, one millisecond apart. */
export async function writeEvents(app: TestApp, merchantId: string, count: number, about = 'x'): Promise<void> {
  await app.sql(
    `insert into events (id, merchant_id, type, occurred_at, details)
     select gen_random_uuid(), $1, 'terminal.open', $2::timestamptz, jsonb_build_object('nth', n, 'about', $4::text)
     from generate_series(1, $3::int) n order by n`,
    [merchantId, app.clock.now(), count, about],
  );
}

/** A reader that has opened the stream and does not read yet. */
export async function openUnread(app: TestApp, token: string) {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1').pause();
  socket.on('error', () => {});
  await once(socket, 'connect');
  const before = app.node.app.streams.count();
  socket.write(`GET /api/events/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await until(() => app.node.app.streams.count() > before, 'the stream being open');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  return {
    read: () => void socket.resume(),
    /** Waits for `count` messages, and returns the numbers that `writeEvents` gave to their events. */
    async untilRead(wanted: number) {
      const isRead = () => countMessages(Buffer.concat(chunks)) >= wanted;
      await until(isRead, `${wanted} events being read`);
      const text = Buffer.concat(chunks).toString();
      return [...text.matchAll(/"nth":(\d+)/g)].map(([, nth]) => Number(nth));
    },
    close: () => void socket.destroy(),
  };
}

function countMessages(bytes: Buffer): number {
  return bytes.toString('latin1').split('event: message').length - 1;
}
