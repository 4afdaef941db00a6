// GET /api/events/stream sends every event after its commit, resumes after a cursor, and ends with the token.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import {
  actAs,
  openEvents,
  openUnread,
  readEvents,
  readFeed,
  writeEvents,
  type Opening,
} from '../../support/events.ts';
import { create, creepUntil, webframe } from '../../support/payments.ts';
import { readFieldFaults } from '../../support/ppr.ts';
import { sendRaw } from '../../support/raw.ts';
import type { StreamReader } from '../../support/stream.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

let app: TestApp;
/** The app, with calls by a new merchant for each test. */
let who: Awaited<ReturnType<TestApp['addMerchant']>>;
let own: TestApp;
let readers: StreamReader[] = [];
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  who = await app.addMerchant();
  own = actAs(app, who);
});
afterAll(async () => {
  for (const reader of readers) reader.close();
});

/** Opens the merchant's stream. The reader disconnects at the end of the test. */
async function open(opening: Opening = {}, node = app): Promise<StreamReader> {
  const token = opening.token ?? (await node.token(who.clientId, who.secret));
  const reader = await openEvents(node, { ...opening, token });
  readers.push(reader);
  return reader;
}

const untilCount = (reader: StreamReader, count: number) =>
  until(() => reader.events.length >= count, `${count} events in the stream`);
const about = (reader: StreamReader) => reader.events.map(({ data }) => data.details.about);
/** Creates a payment through the API. Its event wakes the readers. */
const happen = () => create(own, webframe());

describe('GET /api/events/stream', () => {
  test('sends server-sent events with headers against caching and buffering, and a retry time', async () => {
    const reader = await open();
    expect(reader.status).toBe(200);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(reader.headers['set-cookie']).toBeUndefined();
    await until(() => /^retry: [12]\d{3}\n\n/.test(reader.text()), 'the hint');
  });

  test('sends each event when it is committed, in the format of the feed, with the cursor as id', async () => {
    await happen();
    const reader = await open();
    await untilCount(reader, 1);
    await happen();
    await untilCount(reader, 2);
    const events = await readEvents(own);
    expect(reader.events.map(({ data }) => data)).toEqual(events);
    expect(reader.events.map(({ id }) => id)).toEqual(events.map(({ cursor }) => cursor));
    expect(reader.events.map(({ event }) => event)).toEqual(['message', 'message']);
  });

  test('sends every event to each of many readers', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => open()));
    for (let nth = 0; nth < 5; nth++) await happen();
    await Promise.all(all.map((reader) => untilCount(reader, 5)));
    const expected = (await readEvents(own)).map(({ id }) => id);
    for (const reader of all) expect(reader.events.map(({ data }) => data.id)).toEqual(expected);
  });

  test('sends no events of other merchants', async () => {
    const other = await app.addMerchant();
    const reader = await open();
    await create(actAs(app, other), webframe());
    const { id } = await happen();
    await untilCount(reader, 1);
    expect(reader.events.map(({ data }) => data.paymentId)).toEqual([id]);
  });

  test('sends a heartbeat while no event occurs', async () => {
    const reader = await open();
    const beats = () =>
      reader
        .text()
        .split('\n\n')
        .filter((block) => block === ':').length;
    await until(() => reader.text().includes('retry'), 'the stream being open');
    await app.clock.advance(15_000);
    await until(() => beats() === 1, 'the first heartbeat');
    await app.clock.advance(15_000);
    await until(() => beats() === 2, 'the second heartbeat');
    expect(reader.events).toEqual([]);
  });
});

describe('GET /api/events/stream from a position', () => {
  test('resumes after Last-Event-ID without loss or repeat', async () => {
    await writeEvents(app, who.merchantId, 120);
    const first = await open();
    await untilCount(first, 120);
    first.close();
    const { id } = first.events[69]!;
    await happen();
    const second = await open({ lastEventId: id ?? '' });
    await untilCount(second, 51);
    await happen();
    await untilCount(second, 52);
    const seen = [...first.events.slice(0, 70), ...second.events].map(({ data }) => data.id);
    expect(seen).toEqual((await readEvents(own)).map((event) => event.id));
  });

  test('resumes after the cursor `after` unless Last-Event-ID is present', async () => {
    await writeEvents(app, who.merchantId, 5);
    const { data } = await readFeed(own);
    const byQuery = await open({ after: data[1].cursor });
    await untilCount(byQuery, 3);
    const byHeader = await open({ after: data[1].cursor, lastEventId: data[3].cursor });
    await untilCount(byHeader, 1);
    expect(byHeader.events.map(({ id }) => id)).toEqual([data[4].cursor]);
  });

  test('starts with new events for after=now', async () => {
    await writeEvents(app, who.merchantId, 600, 'old');
    const reader = await open({ after: 'now' });
    const { id } = await happen();
    await untilCount(reader, 1);
    expect(reader.events[0]?.data.paymentId).toBe(id);
  });

  test('sends all of 2,000 events to a reader that pauses', async () => {
    await writeEvents(app, who.merchantId, 2_000, 'x'.repeat(4_000));
    const slow = await openUnread(app, await app.token(who.clientId, who.secret));
    // The buffers hold only a part of these 8 MB. The fast reader receives all events before the slow reader begins.
    const quick = await openUnread(app, await app.token(who.clientId, who.secret));
    quick.read();
    await quick.untilRead(2_000);
    await happen();
    slow.read();
    const nths = await slow.untilRead(2_001);
    expect(nths).toEqual(Array.from({ length: 2_000 }, (_, nth) => nth + 1));
    await quick.untilRead(2_001);
    slow.close();
    quick.close();
  });
});

describe('GET /api/events/stream with a wrong request', () => {
  test.each(['x', '1', '9'.repeat(16)])('refuses Last-Event-ID %s of an empty feed', async (lastEventId) => {
    const reply = await own.call('/api/events/stream', { headers: { 'last-event-id': lastEventId } });
    expect(reply).toMatchObject({ status: 400, json: { code: 'cursor_invalid' } });
  });

  test('refuses after=x', async () => {
    const reply = await own.call('/api/events/stream?after=x');
    expect([reply.status, readFieldFaults(reply)]).toEqual([400, ['/query/after cursor_invalid']]);
  });

  test.each(['HEAD', 'POST'])('refuses the method %s', async (method) => {
    const bearer = `Authorization: Bearer ${await app.token(who.clientId, who.secret)}`;
    const reply = await sendRaw(app.url, `${method} /api/events/stream`, [bearer, 'Content-Length: 0']);
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('GET');
  });
});

describe('an open event stream', () => {
  test('ends within 30 seconds after its client is revoked', async () => {
    const reader = await open();
    await happen();
    await untilCount(reader, 1);
    await app.sql('update clients set revoked_at = $2 where id = $1', [who.clientId, app.clock.now()]);
    await app.clock.advance(30_000);
    await reader.untilEnd();
  });

  test('ends when its token expires', async () => {
    const reader = await open();
    await happen();
    await untilCount(reader, 1);
    await app.clock.advance(30_000);
    await happen();
    await untilCount(reader, 2);
    // A check of the token that ends after the leap would only be repeated 30 seconds later.
    const nextAt = app.clock.now().getTime() + 30_000;
    await until(() => app.clock.waits().some(({ at }) => at === nextAt), 'the end of the first check');
    app.clock.leap(2 * HOUR_MS);
    await reader.untilEnd();
    expect(reader.events).toHaveLength(2);
  });

  test('stays open during a short outage of the database', async () => {
    const reader = await open();
    await happen();
    await untilCount(reader, 1);
    await app.sql('alter table clients rename to clients_away');
    await app.clock.advance(30_000).finally(() => app.sql('alter table clients_away rename to clients'));
    await happen();
    await untilCount(reader, 2);
  });

  test('ends with a short retry time when its node stops, and its reader resumes at another node', async () => {
    const twin = await app.startTwin();
    const reader = await open({}, twin);
    await happen();
    // A node sends its own events immediately, and those of another node at its next poll.
    await creepUntil(app, () => reader.events.length === 1, 'another node’s event');
    await twin.node.stop();
    await reader.untilEnd();
    expect(reader.text()).toMatch(/retry: \d+\n\n$/);
    const { id } = await happen();
    const next = await open({ lastEventId: reader.events[0]?.id ?? '' });
    await untilCount(next, 1);
    expect(next.events[0]?.data.paymentId).toBe(id);
  });

  test('does not delay the stop of its node if the client reads nothing', async () => {
    const other = await startTestApp();
    const [{ merchant_id: merchantId }] = await other.sql(`select merchant_id from clients where id = 'demo'`);
    await writeEvents(other, merchantId, 1_000, 'x'.repeat(8_000));
    const slow = await openUnread(other, await other.token());
    const idle = await openEvents(other, { after: 'now' });
    await other.sql('update clients set revoked_at = $1', [other.clock.now()]);
    await other.clock.advance(30_000);
    // The end of the idle reader's stream shows that the node has also checked the slow reader's token.
    await idle.untilEnd();
    // The stop does not wait until the slow reader has read the rest.
    const stopped = other.stop();
    slow.close();
    await stopped;
  });

  test('leaves no listener and no timer after its end', async () => {
    await until(() => app.node.app.streams.count() === 0, 'the streams of before being gone');
    const [one, two] = [await open(), await open()];
    await until(() => app.node.app.streams.count() === 2, 'two streams');
    one.close();
    two.close();
    await until(() => app.node.app.streams.count() === 0, 'no stream');
    await happen();
    expect(about(one)).toEqual([]);
  });
});
