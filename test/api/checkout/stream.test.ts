// GET /checkout/{clientToken}/events: the first snapshot, every change, the end, heartbeats, and reconnects.
import { beforeAll, describe, expect, test } from 'vitest';
import { pollEvents } from '../../../server/changes/poll.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { querySql } from '../../support/database.ts';
import { holdLock } from '../../support/locks.ts';
import {
  approved,
  createPushed,
  declined,
  notify,
  NOTIFY_ENV,
  PENDING_PHONE,
  untilSent,
} from '../../support/notify.ts';
import { create, purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { sendRaw } from '../../support/raw.ts';
import { openStream, type StreamReader } from '../../support/stream.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const openEvents = (token: string, headers: Record<string, string> = {}, query = ''): Promise<StreamReader> =>
  openStream(`${app.url}/checkout/${token}/events${query}`, headers);
const pay = (token: string) =>
  app.call(`/checkout/${token}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
const untilStatus = (stream: StreamReader, status: string) =>
  stream.untilEvent(({ event, data }) => event === 'session' && data.status === status, `the stream saying ${status}`);
/** The status in each event of the stream, and `end`. */
const tell = (stream: StreamReader) => stream.events.map(({ event, data }) => data.status ?? event);

test('the stream sends each status with an event id, and ends with the payment', async () => {
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

test('the stream has headers against caching and buffering, and a retry time of one to two seconds', async () => {
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

describe('a reader of the stream', () => {
  test('receives the end immediately if the payment is final', async () => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, approved());
    const stream = await openEvents(payment.clientToken);
    await stream.untilEnd();
    expect(tell(stream)).toEqual(['Paid', 'end']);
  });

  test('receives 204 if its Last-Event-ID is the last event', async () => {
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

  test('receives the current status after a reconnect', async () => {
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
    'receives the current status for the invalid Last-Event-ID %j',
    async (lastId) => {
      const { clientToken } = await create(app, webframe());
      const stream = await openEvents(clientToken, { 'last-event-id': lastId });
      expect((await untilStatus(stream, 'Pending')).id).toBe('1');
      stream.close();
    },
  );

  test('receives failures of a push in the requested language', async () => {
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

  test('receives the same events as other readers', async () => {
    const { clientToken, id } = await create(app, purchase(PENDING_PHONE));
    const streams = await Promise.all([1, 2, 3].map(() => openEvents(clientToken)));
    for (const stream of streams) await untilStatus(stream, 'Processing');
    await notify(app, (await untilSent(app, id)).id, approved());
    for (const stream of streams) await stream.untilEnd();
    expect(streams.map(tell)).toEqual([1, 2, 3].map(() => ['Processing', 'Paid', 'end']));
  });
});

test('the stream sends a heartbeat every 15 seconds', async () => {
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

test('the stream sends the expiry of a payment', async () => {
  const { id, clientToken } = await create(app, webframe({ metadata: { expiresInMinutes: 5 } }));
  const stream = await openEvents(clientToken);
  await untilStatus(stream, 'Pending');
  await app.clock.advance(5 * 60_000);
  await travelToStatus(app, id, 'Expired');
  await stream.untilEnd();
  expect(tell(stream)).toEqual(['Pending', 'Expired', 'end']);
});

test('the stream sends changes that another node makes, within a second', async () => {
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

test('the first poll of a node publishes the changes that were made before it', async () => {
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

test('a closed connection ends its stream on the node', async () => {
  const { clientToken } = await create(app, webframe());
  const { streams } = app.node.app;
  await until(() => streams.count() === 0, 'earlier readers being gone');
  const readers = await Promise.all([1, 2, 3, 4, 5].map(() => openEvents(clientToken)));
  expect(streams.count()).toBe(5);
  for (const reader of readers) reader.close();
  await until(() => streams.count() === 0, 'all being forgotten');
});

test('a stopping node sends its readers a retry time', async () => {
  const leaving = await startTestApp();
  const { clientToken } = await create(leaving, webframe());
  const stream = await openStream(`${leaving.url}/checkout/${clientToken}/events`);
  await untilStatus(stream, 'Pending');
  await leaving.stop();
  await stream.untilEnd();
  expect(stream.text()).toMatch(/\n\nretry: \d+\n\n$/);
  expect(tell(stream)).toEqual(['Pending']);
});

test('HEAD on the stream returns 405', async () => {
  const { clientToken } = await create(app, webframe());
  const reply = await sendRaw(app.url, `HEAD /checkout/${clientToken}/events`);
  expect(reply.status).toBe(405);
  expect(reply.headers.get('allow')).toBe('GET');
});

test('the stream survives a lost database connection, and sends the missed change afterwards', async () => {
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
  await until(async () => (await app.clock.advance(1_000), tell(stream).length === 2), 'the change');
  expect(stream.events.map(({ data }) => data.revision)).toEqual([1, 2]);
});
