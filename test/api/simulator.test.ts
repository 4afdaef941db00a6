// The simulated rail over HTTP: its protocol, its magic phones, its faults, and what it does after a crash.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { signMessage, verifySignature } from '../../server/http/signature.ts';
import { createGpoRail } from '../../server/providers/gpo/client.ts';
import { readNotification } from '../../server/providers/gpo/notification.ts';
import type { GpoRail, PushOrder } from '../../server/providers/provider.ts';
import { startSimulator, type LoneSimulator } from '../../server/simulator/start.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { freshDatabase } from '../support/database.ts';

const KEY = 'a key for the rail only';
const TIMEOUT_MS = 10_000;
const SOMEBODY = '+244923456789';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let clock: TestClock;
let simulator: LoneSimulator;
let rail: GpoRail;
let gateway: Awaited<ReturnType<typeof startGateway>>;

beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  clock = testClock();
  gateway = await startGateway();
  await boot();
});
afterEach(async () => {
  await call('DELETE', '/faults');
  await simulator.stop();
  gateway.server.close().closeAllConnections();
  await inDatabase('truncate simulator.purchases, simulator.notifications');
});

async function boot() {
  simulator = await startSimulator({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: database.url,
    clock,
    key: KEY,
    notifyUrl: () => gateway.url,
    log: () => {},
  });
  rail = createGpoRail({ url: simulator.url, key: KEY, timeoutMs: TIMEOUT_MS, clock });
}

type Received = { at: number; isSigned: boolean; body: string };

/** The gateway's end: answers 200, or first the statuses put into `refusals`. */
async function startGateway() {
  const received: Received[] = [];
  const refusals: number[] = [];
  const server: Server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray());
    const message = { method: 'POST', path: '/rails/gpo/notifications', body };
    const isSigned = verifySignature(KEY, message, req.headers, clock.now());
    received.push({ at: clock.now().getTime(), isSigned, body: body.toString() });
    res.writeHead(refusals.shift() ?? 200).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/prefix/rails/gpo/notifications`;
  const about = (id: string) => received.filter(({ body }) => readNews(body)?.attemptId === id);
  return { server, url, received, refusals, about };
}

/** A notification about an order. */
function readNews(body: string) {
  const notification = readNotification(body);
  return notification?.about === 'order' ? notification : null;
}

async function inDatabase(sql: string) {
  const client = new Client(database.url);
  await client.connect();
  const { rows } = await client.query(sql).finally(() => client.end());
  return rows;
}

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body);
  const answer = await fetch(simulator.url + path, { method, body: text, headers });
  const content = await answer.text();
  return { status: answer.status, body: content ? JSON.parse(content) : null };
}

function callSigned(method: string, path: string, body?: unknown) {
  const text = body === undefined ? '' : JSON.stringify(body);
  return call(method, path, text || undefined, signMessage(KEY, { method, path, body: text }, clock.now()));
}

function order(phone = SOMEBODY): PushOrder {
  const [attemptId, reference] = [randomUUID(), 'PED-1'];
  const money = { amountMinor: 150_000, currency: 'AOA' };
  const whose = { attemptId, gpoMerchantId: 'M-1', gpoPosId: 'POS-1', reference };
  return { kind: 'purchase', ...whose, phone, ...money, description: 'Café' };
}

const request = (phone = SOMEBODY) => {
  const { attemptId: id, reference, description } = order();
  return { id, merchantId: 'M', terminalId: 'T', reference, phone, amount: '100.00', currency: 'AOA', description };
};

async function bookOf(id: string) {
  const { body } = await call('GET', '/books');
  return body.data.find((row: { id: string }) => row.id === id);
}

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 5_000, interval: 5 });

describe('the protocol', () => {
  test('a purchase is accepted once; its repetition is answered with how it stands', async () => {
    const purchase = request();
    const first = await callSigned('POST', '/v1/purchases', purchase);
    expect(first).toEqual({
      status: 202,
      body: {
        id: purchase.id,
        status: 'PENDING',
        reason: null,
        transactionId: null,
        transactionNumber: null,
        clearingPeriod: null,
        terminalId: 'T',
        amount: '100.00',
        currency: 'AOA',
        phone: SOMEBODY,
        createdAt: '2026-03-02T09:00:00.000Z',
        decidedAt: null,
      },
    });
    expect(await callSigned('POST', '/v1/purchases', purchase)).toEqual({ status: 200, body: first.body });
    expect(await callSigned('GET', `/v1/purchases/${purchase.id}`)).toEqual({ status: 200, body: first.body });
    await call('POST', `/pushes/${purchase.id}/approve`);
    expect(await callSigned('POST', '/v1/purchases', purchase)).toMatchObject({ body: { status: 'APPROVED' } });
    expect(await bookOf(purchase.id)).toMatchObject({ calls: 3, status: 'APPROVED' });
  });

  test('twenty at once with one id are one purchase', async () => {
    const purchase = request();
    const answers = await Promise.all(Array.from({ length: 20 }, () => callSigned('POST', '/v1/purchases', purchase)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 202]);
    expect((await call('GET', '/books')).body.totals).toMatchObject({ purchases: 1, pending: 1 });
  });

  test('an id used for something else is refused, and changes nothing', async () => {
    const purchase = request();
    await callSigned('POST', '/v1/purchases', purchase);
    for (const change of [
      { amount: '100.01' },
      { phone: '+244911111111' },
      { description: null },
      { reference: 'X' },
    ]) {
      const answer = await callSigned('POST', '/v1/purchases', { ...purchase, ...change });
      expect(answer).toMatchObject({ status: 409, body: { code: 'PURCHASE_CHANGED' } });
    }
    expect(await bookOf(purchase.id)).toMatchObject({ amount: '100.00', phone: SOMEBODY, reference: 'PED-1' });
  });

  test('an unknown id is 404, by its code too', async () => {
    const answer = await callSigned('GET', `/v1/purchases/${randomUUID()}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'UNKNOWN_PURCHASE' } });
    expect(await rail.query('purchase', randomUUID())).toMatchObject({ result: 'not_found' });
  });

  test('nothing unsigned, wrongly signed or old is listened to', async () => {
    const purchase = request();
    const body = JSON.stringify(purchase);
    const message = { method: 'POST', path: '/v1/purchases', body };
    const old = new Date(clock.now().getTime() - 301_000);
    for (const headers of [
      {},
      signMessage('another key', message, clock.now()),
      signMessage(KEY, { ...message, path: '/rail/v1/purchases' }, clock.now()),
      signMessage(KEY, { ...message, body: `${body} ` }, clock.now()),
      signMessage(KEY, message, old),
    ]) {
      const answer = await call('POST', '/v1/purchases', purchase, headers);
      expect(answer).toMatchObject({ status: 401, body: { code: 'BAD_SIGNATURE' } });
    }
    expect(await call('GET', `/v1/purchases/${purchase.id}`)).toMatchObject({ status: 401 });
    expect(await bookOf(purchase.id)).toBeUndefined();
  });

  test.each([
    [{ id: 'x' }],
    [{ phone: '923456789' }],
    [{ amount: '100' }],
    [{ amount: '100.005' }],
    [{ amount: '0.00' }],
    [{ amount: 100 }],
    [{ currency: 'kz' }],
    [{ reference: 'A'.repeat(16) }],
    [{ terminalId: '\0' }],
  ])('%j is 400', async (change) => {
    const answer = await callSigned('POST', '/v1/purchases', { ...request(), ...change });
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });

  test('a body too large is 413', async () => {
    expect(await callSigned('POST', '/v1/purchases', 'x'.repeat(70_000))).toMatchObject({ status: 413 });
  });
});

describe('magic phones', () => {
  test.each([
    ['900000000', 1_000, 'approved', null],
    ['900000001', 1_000, 'declined', 'customer_refused'],
    ['900000002', 1_000, 'declined', 'insufficient_funds'],
    ['900000003', 90_000, 'declined', 'timed_out'],
    ['900000005', 10_000, 'approved', null],
    ['900000006', 1_000, 'approved', null],
    ['900000007', 1_000, 'approved', null],
    ['923456789', 90_000, 'declined', 'timed_out'],
  ])('%s: after %i ms %s %s', async (phone, afterMs, result, failureCode) => {
    const asked = order(`+244${phone}`);
    expect(await rail.send(asked)).toMatchObject({ result: 'pending' });
    await clock.advance(afterMs - 1);
    expect(await rail.query('purchase', asked.attemptId)).toMatchObject({ result: 'pending' });
    await clock.advance(1);
    const outcome = await rail.query('purchase', asked.attemptId);
    expect(outcome).toMatchObject({ result, failureCode, occurredAt: clock.now() });
    if (result === 'approved') {
      expect(outcome).toMatchObject({ amountMinor: 150_000, currency: 'AOA', details: { terminalId: 'POS-1' } });
      expect(outcome.providerRef).toMatch(/^\d{18}$/);
    }
    const copies = { '900000006': 3, '900000007': 0 }[phone] ?? 1;
    // Another purchase's notification comes last: by then all of this one's are here.
    await seeNotified(asked.attemptId, copies);
    expect(gateway.about(asked.attemptId).every(({ isSigned }) => isSigned)).toBe(true);
    const told = gateway.about(asked.attemptId).map(({ body }) => readNews(body));
    expect(new Set(told.map((notification) => notification?.notificationId)).size).toBe(copies ? 1 : 0);
    for (const notification of told) expect(notification?.outcome).toEqual(outcome);
  });

  test('900000004 answers 503 and has never heard of it', async () => {
    const asked = order('+244900000004');
    const outcome = await rail.send(asked);
    expect(outcome).toMatchObject({ result: 'unknown', details: { reason: 'rail_error', httpStatus: '503' } });
    expect(await rail.query('purchase', asked.attemptId)).toMatchObject({ result: 'not_found' });
    expect(await bookOf(asked.attemptId)).toBeUndefined();
  });

  test('900000008 is declined in the answer itself', async () => {
    const asked = order('+244900000008');
    expect(await rail.send(asked)).toMatchObject({ result: 'declined', failureCode: 'number_not_active' });
    await seeNotified(asked.attemptId, 1);
  });
});

/** Exactly so many notifications came, and no more were on their way when a later one arrived. */
async function seeNotified(id: string, copies: number) {
  const last = order('+244900000008');
  await rail.send(last);
  await eventually(() => gateway.about(last.attemptId).length).toBe(1);
  await eventually(() => gateway.about(id).length).toBe(copies);
}

describe('people', () => {
  test('a waiting push is on its phone, is approved there once, and stays visible', async () => {
    const asked = order();
    await rail.send(asked);
    expect((await call('GET', '/phones')).body).toEqual({ data: [{ phone: SOMEBODY, waiting: 1 }] });
    const push = { id: asked.attemptId, status: 'PENDING', amount: '1500.00', reference: 'PED-1', description: 'Café' };
    for (const phone of ['923456789', SOMEBODY, '923%20456%20789']) {
      const { body } = await call('GET', `/phones/${phone}/pushes`);
      expect(body.data).toEqual([expect.objectContaining({ ...push, expiresAt: '2026-03-02T09:01:30.000Z' })]);
    }
    await clock.advance(89_999);
    expect(await call('POST', `/pushes/${asked.attemptId}/approve`)).toMatchObject({ status: 200 });
    for (const action of ['approve', 'decline']) {
      expect(await call('POST', `/pushes/${asked.attemptId}/${action}`)).toMatchObject({ status: 409 });
    }
    expect((await call('GET', '/phones')).body).toEqual({ data: [] });
    const { body } = await call('GET', '/phones/923456789/pushes');
    expect(body.data).toMatchObject([{ status: 'APPROVED', decidedAt: '2026-03-02T09:01:29.999Z' }]);
    await seeNotified(asked.attemptId, 1);
  });

  test('a decline carries its reason; pushes come newest first, ten decided ones at most', async () => {
    const ids: string[] = [];
    for (const reason of [undefined, 'LIMIT_EXCEEDED', ...Array<undefined>(10)]) {
      const asked = order();
      await rail.send(asked);
      await clock.advance(1);
      await call('POST', `/pushes/${asked.attemptId}/decline`, reason && { reason });
      ids.unshift(asked.attemptId);
    }
    const waiting = order();
    await rail.send(waiting);
    const { body } = await call('GET', '/phones/923456789/pushes');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([waiting.attemptId, ...ids.slice(0, 10)]);
    expect((await bookOf(ids[11] as string)).reason).toBe('CUSTOMER_REFUSED');
    expect((await bookOf(ids[10] as string)).reason).toBe('LIMIT_EXCEEDED');
    expect(await call('POST', `/pushes/${waiting.attemptId}/decline`, { reason: 'NO_MOOD' })).toMatchObject({
      status: 400,
    });
  });

  test('a push that ran out cannot be approved; an unknown one is 404; a phone that is none is 400', async () => {
    const asked = order();
    await rail.send(asked);
    await clock.advance(90_000);
    expect(await call('POST', `/pushes/${asked.attemptId}/approve`)).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_DECIDED' },
    });
    expect(await call('POST', `/pushes/${randomUUID()}/approve`)).toMatchObject({ status: 404 });
    expect(await call('GET', '/phones/12345/pushes')).toMatchObject({ status: 400 });
  });

  test('approve, decline and time running out at once: one of them wins, and is told once', async () => {
    const orders = Array.from({ length: 12 }, () => order());
    await Promise.all(orders.map((asked) => rail.send(asked)));
    await clock.advance(89_999);
    const race = orders.flatMap(({ attemptId }) => [
      call('POST', `/pushes/${attemptId}/approve`),
      call('POST', `/pushes/${attemptId}/decline`),
    ]);
    await clock.advance(1);
    const answers = (await Promise.all(race)).map(({ status }) => status);
    const { body } = await call('GET', '/books');
    expect(body.totals).toMatchObject({ purchases: 12, pending: 0 });
    const byHand = body.data.filter((row: { reason: string }) => row.reason !== 'TIMED_OUT').length;
    expect(answers.filter((status) => status === 200)).toHaveLength(byHand);
    expect(answers.filter((status) => status === 409)).toHaveLength(24 - byHand);
    await eventually(() => gateway.received.length).toBe(12);
    for (const row of body.data) {
      const told = gateway.about(row.id).map(({ body }) => JSON.parse(body).purchase.status);
      expect(told).toEqual([row.status]);
    }
  });
});

describe('notifications', () => {
  /** How long the rail now waits before it repeats itself; null when it does not. Clear of the lease of an attempt still running. */
  async function nextWaitMs(): Promise<number | null> {
    let waitMs: number | null = 0;
    await eventually(async () => {
      const [row] = await inDatabase('select due_at from simulator.notifications');
      waitMs = row.due_at && row.due_at.getTime() - clock.now().getTime();
      return waitMs !== 20_000 && waitMs !== 0;
    }).toBe(true);
    return waitMs;
  }

  test.each([
    [
      [500, 404, 301, 503],
      [5, 15, 60, 300],
    ],
    [Array<number>(100).fill(500), [5, 15, 60, 300, ...Array<number>(47).fill(1_800)]],
  ])(
    'are repeated until 2xx or for a day, after 5 s, 15 s, a minute, five minutes, then half hours',
    async (refusals, waitsS) => {
      gateway.refusals.push(...refusals);
      await rail.send(order('+244900000008'));
      const waited: number[] = [];
      for (;;) {
        await eventually(() => gateway.received.length).toBe(waited.length + 1);
        const waitMs = await nextWaitMs();
        if (waitMs === null) break;
        waited.push(waitMs / 1000);
        await clock.advance(waitMs);
      }
      expect(waited).toEqual(waitsS);
      expect(new Set(gateway.received.map(({ body }) => body)).size).toBe(1);
      expect(gateway.received.every(({ isSigned }) => isSigned)).toBe(true);
    },
  );

  test('go on after the simulator was stopped, and so do decisions', async () => {
    const [declined, approved] = [order('+244900000008'), order('+244900000000')];
    gateway.refusals.push(500);
    await rail.send(declined);
    await eventually(() => gateway.received.length).toBe(1);
    await rail.send(approved);
    await simulator.stop();
    await clock.advance(600_000);
    await boot();
    await eventually(() => gateway.about(declined.attemptId).length).toBe(2);
    await eventually(() => gateway.about(approved.attemptId).length).toBe(1);
    const outcome = await rail.query('purchase', approved.attemptId);
    expect(outcome).toMatchObject({ result: 'approved', occurredAt: new Date('2026-03-02T09:00:01.000Z') });
  });

  test('and everything else go on after the database dropped its connections', async () => {
    const asked = order('+244900000005');
    await rail.send(asked);
    await inDatabase(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    // Whoever found the database gone waits a moment of the clock before trying again.
    await eventually(async () => {
      await clock.advance(500);
      return gateway.about(asked.attemptId).length;
    }).toBe(1);
    expect(await rail.query('purchase', asked.attemptId)).toMatchObject({ result: 'approved' });
  });

  test('two simulators on one database decide and tell once', async () => {
    const first = simulator;
    await boot();
    const orders = Array.from({ length: 10 }, () => order('+244900000000'));
    await Promise.all(orders.map((asked) => rail.send(asked)));
    await clock.advance(1_000);
    await eventually(() => gateway.received.length).toBe(10);
    await seeNotified(orders[0]?.attemptId ?? '', 1);
    expect(gateway.received).toHaveLength(11);
    const { body } = await call('GET', '/books?reference=PED-1');
    expect(body.totals).toMatchObject({ approved: 10, taken: [{ currency: 'AOA', amount: '15000.00' }] });
    const approved = body.data.filter((row: { status: string }) => row.status === 'APPROVED');
    for (const key of ['transactionId', 'transactionNumber']) {
      expect(new Set(approved.map((row: Record<string, string>) => row[key])).size).toBe(10);
    }
    await first.stop();
  });
});

describe('faults on demand', () => {
  const fault = (on: string, kind: string, more = {}) => call('POST', '/faults', { on, kind, ...more });

  test('are listed, counted down, limited to a phone, cleared', async () => {
    const told = await fault('purchase', 'unavailable', { times: 2, phone: '911 111 111' });
    const listed = { on: 'purchase', kind: 'unavailable', phone: '+244911111111', delayMs: 5000, times: 2 };
    expect(told).toEqual({ status: 201, body: { data: [listed] } });
    expect(await rail.send(order())).toMatchObject({ result: 'pending' });
    expect(await rail.send(order('+244911111111'))).toMatchObject({ result: 'unknown' });
    expect((await call('GET', '/faults')).body.data).toEqual([{ ...listed, times: 1 }]);
    expect(await call('DELETE', '/faults')).toEqual({ status: 204, body: null });
    expect(await rail.send(order('+244911111111'))).toMatchObject({ result: 'pending' });
  });

  test.each([
    { on: 'purchase', kind: 'drop' },
    { on: 'notification', kind: 'hang' },
    { on: 'lunch', kind: 'delay' },
    { on: 'query', kind: 'delay', times: 0 },
    '{',
  ])('%j is 400', async (body) => expect(await call('POST', '/faults', body)).toMatchObject({ status: 400 }));

  test('each happens once, however many ask at once', async () => {
    await fault('purchase', 'unavailable', { times: 3 });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => rail.send(order())));
    expect(outcomes.filter(({ result }) => result === 'unknown')).toHaveLength(3);
  });

  test.each([
    ['unavailable', 'rail_error', false],
    ['reset_before', 'connection', false],
    ['reset_after', 'connection', true],
    ['garbage', 'unreadable', true],
    ['hang', 'timeout', true],
  ])('purchase/%s: %s, recorded: %s, and money only then', async (kind, reason, isRecorded) => {
    await fault('purchase', kind);
    const asked = order('+244900000000');
    const answer = rail.send(asked);
    if (kind === 'hang') {
      await eventually(() => bookOf(asked.attemptId)).toBeTruthy();
      await clock.advance(TIMEOUT_MS);
    }
    expect(await answer).toMatchObject({ result: 'unknown', details: { reason } });
    expect(!!(await bookOf(asked.attemptId))).toBe(isRecorded);
    await clock.advance(1_000);
    expect(await rail.query('purchase', asked.attemptId)).toMatchObject({
      result: isRecorded ? 'approved' : 'not_found',
    });
    expect(await rail.send(asked)).toMatchObject({ result: isRecorded ? 'approved' : 'pending' });
  });

  test('purchase/delay: the answer comes after the notification', async () => {
    await fault('purchase', 'delay', { delayMs: 3_000 });
    const asked = order('+244900000000');
    const answer = rail.send(asked);
    await eventually(() => bookOf(asked.attemptId)).toBeTruthy();
    await clock.advance(1_000);
    await eventually(() => gateway.about(asked.attemptId).length).toBe(1);
    expect(await Promise.race([answer, 'still waiting'])).toBe('still waiting');
    await clock.advance(2_000);
    expect(await answer).toMatchObject({ details: { terminalId: 'POS-1' } });
  });

  test.each([
    ['unavailable', 'rail_error'],
    ['reset_before', 'connection'],
    ['reset_after', 'connection'],
    ['garbage', 'unreadable'],
    ['hang', 'timeout'],
    ['delay', 'timeout'],
  ])('query/%s: %s, and the next one is answered', async (kind, reason) => {
    const asked = order();
    await rail.send(asked);
    await fault('query', kind, { phone: SOMEBODY, delayMs: 2 * TIMEOUT_MS });
    expect(await rail.query('purchase', randomUUID())).toMatchObject({ result: 'not_found' });
    const answer = rail.query('purchase', asked.attemptId);
    if (reason === 'timeout') {
      await eventually(async () => (await call('GET', '/faults')).body.data).toEqual([]);
      await clock.advance(TIMEOUT_MS);
    }
    expect(await answer).toMatchObject({ result: 'unknown', details: { reason } });
    expect(await rail.query('purchase', asked.attemptId)).toMatchObject({ result: 'pending' });
  });

  test.each([
    ['drop', 0],
    ['duplicate', 3],
    ['garbage', 0],
  ])('notification/%s: %i arrive', async (kind, copies) => {
    await fault('notification', kind);
    const asked = order('+244900000008');
    await rail.send(asked);
    await seeNotified(asked.attemptId, copies);
    expect(gateway.received).toHaveLength(kind === 'garbage' ? 2 : copies + 1);
    expect(gateway.received.every(({ isSigned }) => isSigned)).toBe(true);
  });

  test('notification/reorder: it comes after the next one', async () => {
    await fault('notification', 'reorder');
    const [first, second] = [order('+244900000008'), order('+244900000008')];
    await rail.send(first);
    await clock.advance(60_000);
    await rail.send(second);
    await eventually(() => gateway.received.length).toBe(2);
    expect(gateway.received.map(({ body }) => readNews(body)?.attemptId)).toEqual([second.attemptId, first.attemptId]);
  });

  test('notification/delay: it comes later', async () => {
    await fault('notification', 'delay', { delayMs: 20_000 });
    const asked = order('+244900000008');
    await rail.send(asked);
    await clock.advance(19_999);
    await seeNotified(asked.attemptId, 0);
    await clock.advance(1);
    await eventually(() => gateway.about(asked.attemptId).length).toBe(1);
  });

  test('faults outlive a restart; a request left hanging does not hold it up', async () => {
    await fault('purchase', 'hang', { times: 2 });
    const [first, second] = [order(), order()];
    const hanging = rail.send(first);
    await eventually(() => bookOf(first.attemptId)).toBeTruthy();
    await simulator.stop();
    expect(await hanging).toMatchObject({ result: 'unknown', details: { reason: 'connection' } });
    await boot();
    const again = rail.send(second);
    await eventually(() => bookOf(second.attemptId)).toBeTruthy();
    await clock.advance(TIMEOUT_MS);
    expect(await again).toMatchObject({ result: 'unknown', details: { reason: 'timeout' } });
  });
});
