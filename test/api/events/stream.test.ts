// GET /api/events/stream: every event as it is committed, to whoever comes back too; how it is read, and when it ends.
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
import { faultsOf } from '../../support/ppr.ts';
import { sendRaw } from '../../support/raw.ts';
import type { StreamReader } from '../../support/stream.ts';

const HOUR_MS = 3_600_000;

let app: TestApp;
/** A merchant of each test's own, and the app called as it. */
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

/** A reader of the merchant's stream; gone with the test. */
async function open(opening: Opening = {}, node = app): Promise<StreamReader> {
  const token = opening.token ?? (await node.token(who.clientId, who.secret));
  const reader = await openEvents(node, { ...opening, token });
  readers.push(reader);
  return reader;
}

const untilCount = (reader: StreamReader, count: number) =>
  until(() => reader.events.length >= count, `${count} events in the stream`, 60_000);
const about = (reader: StreamReader) => reader.events.map(({ data }) => data.details.about);
/** Sends what a reader shall be woken for: an event of the API's own. */
const happen = () => create(own, webframe());

describe('is read', () => {
  test('as server-sent events, never kept, never buffered, with a hint to come back', async () => {
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

  test('each event as the feed shows it, its cursor as its id, the moment it is committed', async () => {
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

  test('by many at once, each with every event', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => open()));
    for (let nth = 0; nth < 5; nth++) await happen();
    await Promise.all(all.map((reader) => untilCount(reader, 5)));
    const expected = (await readEvents(own)).map(({ id }) => id);
    for (const reader of all) expect(reader.events.map(({ data }) => data.id)).toEqual(expected);
  });

  test('with nobody else’s events', async () => {
    const other = await app.addMerchant();
    const reader = await open();
    await create(actAs(app, other), webframe());
    const { id } = await happen();
    await untilCount(reader, 1);
    expect(reader.events.map(({ data }) => data.paymentId)).toEqual([id]);
  });

  test('with a heartbeat while nothing happens', async () => {
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

describe('goes on', () => {
  test('where a reader was, without loss or repeat', async () => {
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

  test('after a cursor of the feed, and Last-Event-ID comes before it', async () => {
    await writeEvents(app, who.merchantId, 5);
    const { data } = await readFeed(own);
    const byQuery = await open({ after: data[1].cursor });
    await untilCount(byQuery, 3);
    const byHeader = await open({ after: data[1].cursor, lastEventId: data[3].cursor });
    await untilCount(byHeader, 1);
    expect(byHeader.events.map(({ id }) => id)).toEqual([data[4].cursor]);
  });

  test('from now', async () => {
    await writeEvents(app, who.merchantId, 600, 'old');
    const reader = await open({ after: 'now' });
    const { id } = await happen();
    await untilCount(reader, 1);
    expect(reader.events[0]?.data.paymentId).toBe(id);
  });

  test('through 2,000 events for a reader who does not read for a while', async () => {
    await writeEvents(app, who.merchantId, 2_000, 'x'.repeat(4_000));
    const slow = await openUnread(app, await app.token(who.clientId, who.secret));
    // What lies between takes a part of these 8 MB; somebody else has all of them by the time this one begins to read.
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

describe('refuses', () => {
  test.each(['x', '-1', '1.5', '1', '9'.repeat(15), '9'.repeat(16)])(
    'Last-Event-ID %s of a feed without events',
    async (lastEventId) => {
      const reply = await own.call('/api/events/stream', { headers: { 'last-event-id': lastEventId } });
      expect(reply).toMatchObject({ status: 400, json: { code: 'cursor_invalid' } });
    },
  );

  test('after=x', async () => {
    const reply = await own.call('/api/events/stream?after=x');
    expect([reply.status, faultsOf(reply)]).toEqual([400, ['/query/after cursor_invalid']]);
  });

  test('nobody, and who may not read payments', async () => {
    expect((await own.call('/api/events/stream', { token: null })).status).toBe(401);
    const token = await app.token(who.clientId, who.secret, 'merchant:read');
    expect((await own.call('/api/events/stream', { token })).status).toBe(403);
  });

  test.each(['HEAD', 'POST', 'PUT', 'DELETE'])('%s', async (method) => {
    const bearer = `Authorization: Bearer ${await app.token(who.clientId, who.secret)}`;
    const reply = await sendRaw(app.url, `${method} /api/events/stream`, [bearer, 'Content-Length: 0']);
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('GET');
  });
});

describe('ends', () => {
  test('when its client is revoked, within 30 seconds', async () => {
    const reader = await open();
    await happen();
    await untilCount(reader, 1);
    await app.sql('update clients set revoked_at = $2 where id = $1', [who.clientId, app.clock.now()]);
    await app.clock.advance(30_000);
    await reader.untilEnd();
  });

  test('when its token does', async () => {
    const reader = await open();
    await happen();
    await untilCount(reader, 1);
    await app.clock.advance(30_000);
    await happen();
    await untilCount(reader, 2);
    app.clock.leap(2 * HOUR_MS);
    await reader.untilEnd();
    expect(reader.events).toHaveLength(2);
  });

  test('not while the database is away for a moment', async () => {
    const reader = await open();
    await happen();
    await untilCount(reader, 1);
    await app.sql('alter table clients rename to clients_away');
    await app.clock.advance(30_000).finally(() => app.sql('alter table clients_away rename to clients'));
    await happen();
    await untilCount(reader, 2);
  });

  test('with the node, with a hint to come back soon; its reader goes on elsewhere', async () => {
    const twin = await app.startTwin();
    const reader = await open({}, twin);
    await happen();
    // Not at once, as its own; another node's events are seen when it looks next.
    await creepUntil(app, () => reader.events.length === 1, 'another node’s event');
    await twin.node.stop();
    await reader.untilEnd();
    expect(reader.text()).toMatch(/retry: \d+\n\n$/);
    const { id } = await happen();
    const next = await open({ lastEventId: reader.events[0]?.id ?? '' });
    await untilCount(next, 1);
    expect(next.events[0]?.data.paymentId).toBe(id);
  });

  test('a node with a stream that ended unread stops all the same', async () => {
    const other = await startTestApp();
    const [{ merchant_id: merchantId }] = await other.sql(`select merchant_id from clients where id = 'demo'`);
    await writeEvents(other, merchantId, 1_000, 'x'.repeat(8_000));
    const slow = await openUnread(other, await other.token());
    const idle = await openEvents(other, { after: 'now' });
    await other.sql('update clients set revoked_at = $1', [other.clock.now()]);
    await other.clock.advance(30_000);
    // The one that reads is told of its end; the other was looked at before it.
    await idle.untilEnd();
    // Nobody waits for it to read what is left.
    const stopped = other.stop();
    slow.close();
    await stopped;
  });

  test('and leaves nothing behind', async () => {
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
