// The simulated rail's messages: taken on once and for all, delivered or not, told, read in the inbox and answered.
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SmsOrder, SmsRail } from '../../server/providers/provider.ts';
import { createSmsRail } from '../../server/providers/sms/client.ts';
import { readSmsNotification } from '../../server/providers/sms/notification.ts';
import { testClock } from '../support/clock.ts';
import { messageOrder, SMS_KEY, startMessageRail, type MessageRail } from '../support/messages.ts';
import { startReceiver } from '../support/rail.ts';

const clock = testClock();
let gateway: Awaited<ReturnType<typeof startReceiver>>;
let phones: MessageRail;
let rail: SmsRail;

beforeAll(async () => {
  gateway = await startReceiver();
  phones = await startMessageRail({ gatewayUrl: () => gateway.url, clock });
  rail = phones.rail;
});
afterAll(async () => {
  await phones.stop();
  gateway.stop();
});
beforeEach(async () => {
  await phones.call('/faults', {}, 'DELETE');
});

const ACCEPTED = { result: 'accepted', reason: null, occurredAt: null };
const NOT_FOUND = { result: 'not_found', reason: null, occurredAt: null };
const unknown = (reason: string) => ({ result: 'unknown', reason, occurredAt: null });

/** A message that the rail took on. */
async function send(more: Partial<SmsOrder> = {}): Promise<SmsOrder> {
  const order = messageOrder(more);
  expect(await rail.send(order)).toEqual(ACCEPTED);
  return order;
}

/** What the gateway was told of a message, in order. */
function tellingsOf({ messageId }: SmsOrder) {
  const told = gateway.bodies.map((body) => readSmsNotification(body));
  return told.flatMap((news) => (news?.about === 'message' && news.messageId === messageId ? [news] : []));
}

/** What the gateway was told that people answered from a phone. */
function answersFrom({ to }: SmsOrder) {
  const told = gateway.bodies.map((body) => readSmsNotification(body));
  return told.flatMap((news) => (news?.about === 'reply' && news.reply.from === to ? [news] : []));
}

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 5_000, interval: 5 });

const later = (ms: number) => new Date(clock.now().getTime() + ms);

describe('a message', () => {
  test('is taken on once, and its repetition is answered with how it stands', async () => {
    const order = await send();
    expect(await rail.send(order)).toEqual(ACCEPTED);
    expect(await rail.query(order.messageId)).toEqual(ACCEPTED);
    const at = clock.now();
    const [book] = await phones.books(order.messageId);
    expect(book).toEqual({
      id: order.messageId,
      status: 'QUEUED',
      reason: null,
      sender: 'BALCAO',
      to: order.to,
      text: order.text,
      createdAt: at.toISOString(),
      decidedAt: null,
      calls: 2,
      notifications: 0,
      notified: 0,
    });
    expect(await phones.books(order.to)).toEqual([book]);
    await clock.advance(1_000);
    await eventually(() => tellingsOf(order).length).toBe(1);
    expect(await rail.send(order)).toEqual({ result: 'delivered', reason: null, occurredAt: clock.now() });
    expect(await phones.books(order.messageId)).toMatchObject([{ status: 'DELIVERED', calls: 3 }]);
  });

  test.each<[string, Partial<SmsOrder>]>([
    ['another text', { text: 'Outra' }],
    ['another sender', { sender: 'LOJA' }],
    ['another phone', { to: '+244923456789' }],
  ])('with an id that is taken and %s leaves everything open, and changes nothing', async (_what, change) => {
    const order = await send();
    expect(await rail.send({ ...order, ...change })).toEqual(unknown('rail_refused'));
    expect(await phones.books(order.messageId)).toMatchObject([
      { text: order.text, sender: order.sender, to: order.to },
    ]);
    expect(await letters(order.messageId)).toHaveLength(1);
  });

  test('the same one twenty times at once is sent once', async () => {
    const order = messageOrder();
    const results = await Promise.all(Array.from({ length: 20 }, () => rail.send(order)));
    expect(results).toEqual(Array.from({ length: 20 }, () => ACCEPTED));
    expect(await phones.books(order.to)).toMatchObject([{ id: order.messageId, calls: 20 }]);
    expect(await letters(order.messageId)).toHaveLength(1);
    await clock.advance(1_000);
    await eventually(() => tellingsOf(order).length).toBe(1);
  });

  test('that nobody sent is not found', async () => {
    expect(await rail.query(randomUUID())).toEqual(NOT_FOUND);
    expect(await rail.query('x/../y?z')).toEqual(NOT_FOUND);
  });

  test.each<[string, Partial<SmsOrder>]>([
    ['an id that is none', { messageId: 'x' }],
    ['no text', { text: '' }],
    ['a text of more than ten parts', { text: 'x'.repeat(1_531) }],
    ['a sender of twelve letters', { sender: 'ABCDEFGHIJKL' }],
    ['a sender with a space', { sender: 'LOJA DA' }],
    ['a phone as people write it', { to: '923456789' }],
    ['a phone of another country', { to: '+351912345678' }],
  ])('with %s is refused, and nothing was sent', async (_what, change) => {
    const order = messageOrder(change);
    expect(await rail.send(order)).toEqual({ result: 'failed', reason: 'rail_refused', occurredAt: null });
    expect(await phones.books(order.messageId)).toEqual([]);
  });

  test('of ten parts, with line breaks and a flag, arrives as it was written', async () => {
    const text = `${'é'.repeat(1_520)}\n"{}"🇦🇴`;
    const order = await send({ text });
    expect(await phones.books(order.messageId)).toMatchObject([{ text }]);
    expect(await letters(order.messageId)).toMatchObject([{ text }]);
  });

  test('with another key, or without one, is nothing', async () => {
    const stranger = createSmsRail({ url: phones.url, key: `${SMS_KEY}!`, timeoutMs: 20_000, clock });
    const order = messageOrder();
    expect(await stranger.send(order)).toEqual(unknown('rail_refused'));
    expect(await stranger.query(order.messageId)).toEqual(unknown('rail_refused'));
    expect(await phones.call('/v1/messages', {})).toMatchObject({ status: 401, body: { code: 'BAD_SIGNATURE' } });
    expect(await rail.query(order.messageId)).toEqual(NOT_FOUND);
  });
});

describe('a magic phone', () => {
  const magic = (digit: number) => messageOrder({ to: `+24490000000${digit}` });

  test('900000000 and any other: delivered after 1 s', async () => {
    const orders = [magic(0), messageOrder()];
    for (const order of orders) expect(await rail.send(order)).toEqual(ACCEPTED);
    const at = later(1_000);
    await clock.advance(999);
    for (const { messageId } of orders) expect(await rail.query(messageId)).toEqual(ACCEPTED);
    await clock.advance(1);
    for (const order of orders) {
      const outcome = { result: 'delivered', reason: null, occurredAt: at };
      expect(await rail.query(order.messageId)).toEqual(outcome);
      await eventually(() => tellingsOf(order)).toMatchObject([{ messageId: order.messageId, outcome }]);
    }
  });

  test('900000001: refused in the answer, told to nobody, and never in the inbox', async () => {
    const order = magic(1);
    const refused = { result: 'failed', reason: 'blocked', occurredAt: clock.now() };
    expect(await rail.send(order)).toEqual(refused);
    expect(await rail.send(order)).toEqual(refused);
    expect(await rail.query(order.messageId)).toEqual(refused);
    expect(await phones.books(order.messageId)).toMatchObject([
      { status: 'REJECTED', reason: 'BLOCKED', calls: 2, notifications: 0 },
    ]);
    expect(await letters(order.messageId)).toEqual([]);
  });

  test.each([
    [2, 'undeliverable', 'UNDELIVERABLE'],
    [8, 'number_not_active', 'NUMBER_NOT_ACTIVE'],
  ])('90000000%i: not delivered, after 1 s: %s', async (digit, reason, word) => {
    const order = magic(digit);
    expect(await rail.send(order)).toEqual(ACCEPTED);
    const outcome = { result: 'failed', reason, occurredAt: later(1_000) };
    await clock.advance(1_000);
    await eventually(() => tellingsOf(order)).toMatchObject([{ outcome }]);
    expect(await rail.query(order.messageId)).toEqual(outcome);
    expect(await phones.books(order.messageId)).toMatchObject([{ status: 'UNDELIVERED', reason: word }]);
  });

  test('900000003: stays sent, and nobody ever hears of it', async () => {
    const order = magic(3);
    expect(await rail.send(order)).toEqual(ACCEPTED);
    clock.leap(30 * 86_400_000);
    expect(await rail.query(order.messageId)).toEqual(ACCEPTED);
    expect(await phones.books(order.messageId)).toMatchObject([{ status: 'SENT', decidedAt: null, notifications: 0 }]);
    expect(await letters(order.messageId)).toHaveLength(1);
  });

  test('900000004: 503 however often, and nothing happened', async () => {
    const order = magic(4);
    for (let calls = 2; calls > 0; calls--) expect(await rail.send(order)).toEqual(unknown('rail_error'));
    expect(await rail.query(order.messageId)).toEqual(NOT_FOUND);
    expect(await phones.books(order.messageId)).toEqual([]);
    expect(await letters(order.messageId)).toEqual([]);
  });

  test('900000005: delivered after 10 s', async () => {
    const order = magic(5);
    expect(await rail.send(order)).toEqual(ACCEPTED);
    const occurredAt = later(10_000);
    await clock.advance(9_999);
    expect(await rail.query(order.messageId)).toEqual(ACCEPTED);
    await clock.advance(1);
    await eventually(() => tellingsOf(order)).toMatchObject([{ outcome: { result: 'delivered', occurredAt } }]);
  });

  test('900000006: told three times, with one id', async () => {
    const order = magic(6);
    expect(await rail.send(order)).toEqual(ACCEPTED);
    await clock.advance(1_000);
    await eventually(() => tellingsOf(order).length).toBe(3);
    expect(new Set(tellingsOf(order).map(({ notificationId }) => notificationId)).size).toBe(1);
    await eventually(() => phones.books(order.messageId)).toMatchObject([{ notifications: 3, notified: 3 }]);
  });

  test('900000007: delivered, the report lost; what its owner answers is told', async () => {
    const order = magic(7);
    expect(await rail.send(order)).toEqual(ACCEPTED);
    await clock.advance(1_000);
    expect(await rail.query(order.messageId)).toMatchObject({ result: 'delivered' });
    await phones.call(`/messages/${order.messageId}/reply`, { text: 'PARAR' });
    await eventually(() => answersFrom(order).length).toBe(1);
    expect(tellingsOf(order)).toEqual([]);
    expect(await phones.books(order.messageId)).toMatchObject([{ status: 'DELIVERED', notifications: 0 }]);
  });
});

describe('an answer', () => {
  test('is told with the message it is about, or without', async () => {
    const order = await send({ sender: 'LOJA' });
    const path = `/messages/${order.messageId}/reply`;
    const first = await phones.call(path, { text: 'Parar, por favor\n🙏' });
    expect(first).toEqual({ status: 202, body: { id: expect.any(String) } });
    const reply = { from: order.to, to: 'LOJA', text: 'Parar, por favor\n🙏', messageId: order.messageId };
    const told = { notificationId: first.body.id, about: 'reply', reply };
    await eventually(() => answersFrom(order)).toEqual([told]);
    const second = await phones.call(`${path}?bare=1`, { text: 'STOP' });
    const bare = { ...told, notificationId: second.body.id, reply: { ...reply, text: 'STOP', messageId: null } };
    await eventually(() => answersFrom(order)).toEqual([told, bare]);
    expect(gateway.bodies.filter((body) => body.includes(order.to)).map((body) => JSON.parse(body))).toMatchObject([
      { type: 'message_reply', createdAt: clock.now().toISOString(), reply: { receivedAt: clock.now().toISOString() } },
      { type: 'message_reply' },
    ]);
    // Answers are no reports of the message.
    expect(await phones.books(order.messageId)).toMatchObject([{ notifications: 0 }]);
  });

  test('to what nobody got is not found; without words it is none', async () => {
    const rejected = messageOrder({ to: '+244900000001' });
    await rail.send(rejected);
    for (const id of [rejected.messageId, randomUUID(), 'x']) {
      const reply = await phones.call(`/messages/${id}/reply`, { text: 'PARAR' });
      expect(reply).toMatchObject({ status: 404, body: { code: 'UNKNOWN_MESSAGE' } });
    }
    const { messageId } = await send();
    for (const body of [{}, { text: '' }, { text: 7 }, { text: 'x'.repeat(1_531) }]) {
      expect(await phones.call(`/messages/${messageId}/reply`, body)).toMatchObject({ status: 400 });
    }
  });
});

describe('after a crash', () => {
  test('what came due while it was away is delivered then, with the time it was due', async () => {
    const order = await send();
    const occurredAt = later(1_000);
    const delivered = phones.restart();
    clock.leap(60_000);
    await delivered;
    await eventually(() => tellingsOf(order)).toMatchObject([{ outcome: { result: 'delivered', occurredAt } }]);
  });

  test('hundreds that are due at once are all delivered, each told once', async () => {
    const orders = Array.from({ length: 250 }, () => messageOrder());
    const ids = new Set(orders.map(({ messageId }) => messageId));
    await Promise.all(orders.map((order) => rail.send(order)));
    await clock.advance(1_000);
    const told = () => {
      const all = gateway.bodies.map((body) => readSmsNotification(body));
      return all.flatMap((news) => (news?.about === 'message' && ids.has(news.messageId) ? [news.messageId] : []));
    };
    await eventually(() => told().length).toBe(250);
    expect(new Set(told())).toEqual(ids);
    const books = await phones.books();
    const own = books.filter(({ id }) => ids.has(id));
    expect(own.map(({ status }) => status)).toEqual(Array.from({ length: 250 }, () => 'DELIVERED'));
  });
});

describe('faults', () => {
  const REQUEST_FAULTS: [string, string, boolean][] = [
    ['unavailable', 'rail_error', false],
    ['reset_before', 'connection', false],
    ['reset_after', 'connection', true],
    ['garbage', 'unreadable', true],
    ['hang', 'timeout', true],
    ['delay', 'timeout', true],
  ];

  test.each(REQUEST_FAULTS)(
    'sms_send/%s: %s, taken on: %s; the same order again sends once',
    async (kind, reason, isTaken) => {
      const order = messageOrder();
      await phones.orderFault({ on: 'sms_send', kind, delayMs: 30_000, phone: order.to });
      expect(await rail.send(messageOrder())).toEqual(ACCEPTED);
      const outcome = rail.send(order);
      if (reason === 'timeout') {
        await eventually(async () => (await phones.books(order.messageId)).length).toBe(1);
        await clock.advance(20_000);
      }
      expect(await outcome).toEqual(unknown(reason));
      expect((await rail.query(order.messageId)).result === 'not_found').toBe(!isTaken);
      expect((await rail.send(order)).result).toBe(reason === 'timeout' ? 'delivered' : 'accepted');
      expect(await phones.books(order.messageId)).toMatchObject([{ calls: isTaken ? 2 : 1 }]);
      expect(await letters(order.messageId)).toHaveLength(1);
    },
  );

  test.each(['unavailable', 'reset_before', 'reset_after', 'garbage'])('sms_query, once: %s', async (kind) => {
    const { messageId, to } = await send();
    await phones.orderFault({ on: 'sms_query', kind, phone: to });
    expect(await rail.query(randomUUID())).toEqual(NOT_FOUND);
    expect(await rail.query(messageId)).toMatchObject({ result: 'unknown', reason: expect.any(String) });
    expect(await rail.query(messageId)).toEqual(ACCEPTED);
  });

  test('a notification is dropped, sent three times, delayed, garbled or overtaken', async () => {
    const kinds = ['drop', 'duplicate', 'delay', 'garbage', 'reorder'] as const;
    const orders = new Map<string, SmsOrder>();
    for (const kind of kinds) {
      const order = await send();
      orders.set(kind, order);
      await phones.orderFault({ on: 'sms_notification', kind, delayMs: 60_000, phone: order.to });
    }
    const tellings = (kind: (typeof kinds)[number]) => tellingsOf(orders.get(kind) as SmsOrder);
    const isGarbage = (body: string) => body.startsWith('<html>');
    await clock.advance(1_000);
    await eventually(() => tellings('duplicate').length).toBe(3);
    expect(new Set(tellings('duplicate').map(({ notificationId }) => notificationId)).size).toBe(1);
    await eventually(() => tellings('reorder').length).toBe(1);
    await eventually(() => gateway.bodies.filter(isGarbage).length).toBe(1);
    await clock.advance(59_999);
    expect(tellings('delay')).toEqual([]);
    await clock.advance(1);
    await eventually(() => tellings('delay').length).toBe(1);
    for (const kind of ['drop', 'garbage'] as const) expect(tellings(kind)).toEqual([]);
    expect(await phones.call('/faults')).toMatchObject({ body: { data: [] } });
  });
});

test('a simulator of one rail knows nothing of the others', async () => {
  for (const path of ['/phones', '/v1/payments', '/v1/terminals/x']) {
    expect((await phones.call(path)).status, path).toBe(404);
  }
});

/** What the inbox holds of a message. */
async function letters(id: string): Promise<{ recipient: string; subject: string; text: string }[]> {
  const client = new Client({ connectionString: phones.databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    `select recipient, subject, text from simulator.inbox where kind = 'sms' and id = $1`,
    [id],
  );
  await client.end();
  return rows;
}
