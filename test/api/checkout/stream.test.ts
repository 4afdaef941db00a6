// GET /checkout/{clientToken}/events: a snapshot, every change, the end; heartbeats; readers who come back.
import { beforeAll, describe, expect, test } from 'vitest';
import { pollEvents } from '../../../server/changes/poll.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { querySql } from '../../support/database.ts';
import { holdLock } from '../../support/locks.ts';
import { approved, createPushed, declined, notify, NOTIFY_ENV, SOMEBODY, untilSent } from '../../support/notify.ts';
import { create, purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { sendRaw } from '../../support/raw.ts';
import { openStream, type StreamReader } from '../../support/stream.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const openEvents = (token: string, headers: Record<string, string> = {}, query = ''): Promise<StreamReader> =>
  openStream(`${app.url}/checkout/${token}/events${query}`, headers);
const pay = (token: string) => app.call(`/checkout/${token}/pay`, { body: { phoneNumber: SOMEBODY }, token: null });
const untilStatus = (stream: StreamReader, status: string) =>
  stream.untilEvent(({ event, data }) => event === 'session' && data.status === status, `the stream saying ${status}`);
/** What a stream told, in short: each event with the status it carried. */
const tell = (stream: StreamReader) => stream.events.map(({ event, data }) => data.status ?? event);

test('tells a payment’s life as it happens, each event with its id, and ends with it', async () => {
  const { id, clientToken } = await create(app, webframe());
  const stream = await openEvents(clientToken);
  expect(stream.status).toBe(200);
  const first = await untilStatus(stream, 'Pending');
  await pay(clientToken);
  await untilStatus(stream, 'Processing');
  await notify(app, (await untilSent(app, id)).id, declined('CUSTOMER_REFUSED'));
  const refused = await stream.untilEvent(({ data }) => data.failure !== null, 'the refusal');
  await pay(clientToken);
  await until(() => tell(stream).length === 4, 'the second push');
  await notify(app, (await untilSent(app, id)).id, approved());
  await stream.untilEnd();
  expect(tell(stream)).toEqual(['Pending', 'Processing', 'Pending', 'Processing', 'Paid', 'end']);
  const ids = stream.events.slice(0, -1).map((event) => Number(event.id));
  expect(ids).toEqual([1, 2, 3, 4, 5]);
  expect(stream.events.slice(0, -1).map(({ data }) => data.revision)).toEqual(ids);
  expect(refused.data.failure.code).toBe('customer_refused');
  const session = (await app.call(`/checkout/${clientToken}/session`, { token: null })).json;
  expect(Object.keys(first.data).toSorted()).toEqual(
    Object.keys(session)
      .filter((key) => key !== 'texts')
      .toSorted(),
  );
});

test('says how it is to be read: never kept, never buffered, back after a moment', async () => {
  const { clientToken } = await create(app, webframe());
  const stream = await openEvents(clientToken, { origin: 'https://loja.example' });
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'private, no-cache, no-transform',
    'x-accel-buffering': 'no',
    'access-control-allow-origin': '*',
  });
  expect(stream.headers['set-cookie']).toBeUndefined();
  await untilStatus(stream, 'Pending');
  expect(stream.text()).toMatch(/^retry: [12]\d{3}\n\n/);
  stream.close();
});

describe('a reader who comes', () => {
  test('after the end hears it at once', async () => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, approved());
    const stream = await openEvents(payment.clientToken);
    await stream.untilEnd();
    expect(tell(stream)).toEqual(['Paid', 'end']);
  });

  test('back with the end in hand is told to stay away', async () => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, approved());
    const stream = await openEvents(payment.clientToken);
    await stream.untilEnd();
    const known = stream.events.at(-2)?.id ?? '';
    const again = await app.call(`/checkout/${payment.clientToken}/events`, {
      token: null,
      headers: { 'last-event-id': known },
    });
    expect([again.status, again.text, again.headers.get('cache-control')]).toEqual([
      204,
      '',
      expect.stringContaining('no-cache'),
    ]);
    const older = await openEvents(payment.clientToken, { 'last-event-id': String(Number(known) - 1) });
    await older.untilEnd();
    expect(tell(older)).toEqual(['Paid', 'end']);
  });

  test('back is told how things are now, whatever it knew', async () => {
    const { id, clientToken } = await create(app, webframe());
    const before = await openEvents(clientToken);
    const known = await untilStatus(before, 'Pending');
    before.close();
    await pay(clientToken);
    await untilSent(app, id);
    const after = await openEvents(clientToken, { 'last-event-id': known.id ?? '' });
    const now = await untilStatus(after, 'Processing');
    expect(Number(now.id)).toBeGreaterThan(Number(known.id));
    expect(tell(after)).toEqual(['Processing']);
    after.close();
  });

  test.each(['9999', 'x', '-1', "'; drop table payments"])(
    'with an odd Last-Event-ID %j is told all the same',
    async (lastId) => {
      const { clientToken } = await create(app, webframe());
      const stream = await openEvents(clientToken, { 'last-event-id': lastId });
      expect((await untilStatus(stream, 'Pending')).id).toBe('1');
      stream.close();
    },
  );

  test('asking for a language hears reasons in it', async () => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, declined('TIMED_OUT'));
    const told = await Promise.all(
      ['pt', 'en', 'fr'].map(async (lang) => {
        const stream = await openEvents(payment.clientToken, {}, `?lang=${lang}`);
        await stream.untilEnd();
        return stream.events[0]?.data.failure.message;
      }),
    );
    expect(new Set(told).size).toBe(3);
  });

  test('beside others hears the same', async () => {
    const { clientToken, id } = await create(app, purchase(SOMEBODY));
    const streams = await Promise.all([1, 2, 3].map(() => openEvents(clientToken)));
    for (const stream of streams) await untilStatus(stream, 'Processing');
    await notify(app, (await untilSent(app, id)).id, approved());
    for (const stream of streams) await stream.untilEnd();
    expect(streams.map(tell)).toEqual([1, 2, 3].map(() => ['Processing', 'Paid', 'end']));
  });
});

test('a heartbeat comes every 15 seconds of the clock, and nothing else while nothing happens', async () => {
  const { clientToken } = await create(app, webframe());
  const stream = await openEvents(clientToken);
  await untilStatus(stream, 'Pending');
  const beats = () => stream.text().match(/^:\n\n/gm)?.length ?? 0;
  const before = beats();
  await app.clock.advance(15_000);
  await until(() => beats() === before + 1, 'a heartbeat');
  await app.clock.advance(30_000);
  await until(() => beats() === before + 3, 'two more');
  expect(tell(stream)).toEqual(['Pending']);
  stream.close();
});

test('a payment that expires says so', async () => {
  const { id, clientToken } = await create(app, webframe({ metadata: { expiresInMinutes: 5 } }));
  const stream = await openEvents(clientToken);
  await untilStatus(stream, 'Pending');
  await app.clock.advance(5 * 60_000);
  await travelToStatus(app, id, 'Expired');
  await stream.untilEnd();
  expect(tell(stream)).toEqual(['Pending', 'Expired', 'end']);
});

test('what another node did is told within a second of the clock', async () => {
  const twin = await startTestApp({
    env: { ...NOTIFY_ENV, PUBLIC_URL: app.node.core.publicUrl },
    databaseUrl: app.databaseUrl,
    clock: app.clock,
  });
  const { payment, attemptId } = await createPushed(app);
  const stream = await openStream(`${twin.url}/checkout/${payment.clientToken}/events`);
  await untilStatus(stream, 'Processing');
  await notify(app, attemptId, approved());
  await until(async () => (await app.clock.advance(1_000), tell(stream).includes('Paid')), 'the other node telling');
  await stream.untilEnd();
  await twin.stop();
});

test('what another node did between a reader’s look and this node’s first is told too', async () => {
  const { internalId } = await create(app, webframe());
  const told = Promise.withResolvers<number | undefined>();
  const stopping = new AbortController();
  const polling = pollEvents({ ...app.node.core, stopping: stopping.signal }, (topic, hint) => {
    if (topic === `payment:${internalId}`) told.resolve(hint?.revision);
  });
  expect(await told.promise).toBe(
    (await app.sql('select revision from payments where id = $1', [internalId]))[0].revision,
  );
  stopping.abort();
  await polling;
});

test('gone readers are forgotten', async () => {
  const { clientToken } = await create(app, webframe());
  const { streams } = app.node.app;
  await until(() => streams.count() === 0, 'earlier readers being gone');
  const readers = await Promise.all([1, 2, 3, 4, 5].map(() => openEvents(clientToken)));
  expect(streams.count()).toBe(5);
  for (const reader of readers) reader.close();
  await until(() => streams.count() === 0, 'all being forgotten');
});

test('a node that stops tells its readers to come back soon', async () => {
  const leaving = await startTestApp();
  const { clientToken } = await create(leaving, webframe());
  const stream = await openStream(`${leaving.url}/checkout/${clientToken}/events`);
  await untilStatus(stream, 'Pending');
  await leaving.stop();
  await stream.untilEnd();
  expect(stream.text()).toMatch(/\n\nretry: \d+\n\n$/);
  expect(tell(stream)).toEqual(['Pending']);
});

test('HEAD cannot hold a stream open', async () => {
  const { clientToken } = await create(app, webframe());
  const reply = await sendRaw(app.url, `HEAD /checkout/${clientToken}/events`);
  expect(reply.status).toBe(405);
  expect(reply.headers.get('allow')).toBe('GET');
});

test('a database that goes away while a change is read cuts nobody: it is told when that is back', async () => {
  const { id, clientToken } = await create(app, webframe());
  const stream = await openEvents(clientToken);
  await untilStatus(stream, 'Pending');
  await app.sql('update payments set revision = revision + 1 where id = $1', [id]);
  const release = await holdLock(app.databaseUrl, 'lock table payments in access exclusive mode');
  app.node.core.changes.publish(`payment:${id}`);
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query ilike 'select%payments%'`;
  await until(async () => (await querySql(app.databaseUrl, end)).length > 0, 'the read being cut off');
  await release();
  await until(async () => (await app.clock.advance(1_000), tell(stream).length === 2), 'the change being told');
  expect(stream.events.map(({ data }) => data.revision)).toEqual([1, 2]);
});
