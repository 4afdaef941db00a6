// The SMS translator: every status and reason of docs/rail.md read and written, and what nobody can read left unknown.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { SmsOrder } from '../../../server/providers/message.ts';
import {
  readMessage,
  readQuery,
  readSending,
  readSmsNotification,
  writeMessage,
} from '../../../server/providers/sms/client.ts';

const ID = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e08';
const OTHER = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e09';

const ORDER: SmsOrder = {
  messageId: ID,
  sender: 'BALCAO',
  to: '+244923456789',
  text: 'Olá, Ana. A sua encomenda chegou.',
};
/** The order as it goes out. */
const WRITTEN = { id: ID, sender: 'BALCAO', to: '+244923456789', text: ORDER.text };

const QUEUED = {
  id: ID,
  status: 'QUEUED',
  reason: null,
  sender: 'BALCAO',
  to: '+244923456789',
  createdAt: '2026-03-02T09:00:00.000Z',
  decidedAt: null,
};
const DECIDED_AT = '2026-03-02T09:00:01.000Z';
const AT = new Date(DECIDED_AT);

const REPLY = {
  from: '+244923456789',
  to: 'BALCAO',
  text: 'PARAR',
  messageId: ID,
  receivedAt: '2026-03-02T09:05:00.000Z',
};
/** The same read: when it came is for the inbox of the gateway to say. */
const READ_REPLY = { from: '+244923456789', to: 'BALCAO', text: 'PARAR', messageId: ID };

const answer = (body: unknown, status = 200) => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const unknown = (reason: string) => ({ result: 'unknown', reason, occurredAt: null });
const ACCEPTED = { result: 'accepted', reason: null, occurredAt: null };
const REFUSED = { result: 'failed', reason: 'rail_refused', occurredAt: null };

describe('a message read', () => {
  const read = (status: unknown, reason: unknown = null, decidedAt: unknown = DECIDED_AT) =>
    readMessage({ ...QUEUED, status, reason, decidedAt });

  test.each(['QUEUED', 'SENT'])('%s is accepted, whatever else it says', (status) => {
    expect(read(status, null, null)).toEqual(ACCEPTED);
    expect(read(status, 'BLOCKED')).toEqual(ACCEPTED);
  });

  test('DELIVERED is delivered, whatever reason it gives', () => {
    expect(read('DELIVERED')).toEqual({ result: 'delivered', reason: null, occurredAt: AT });
    expect(read('DELIVERED', 'EXPIRED')).toEqual({ result: 'delivered', reason: null, occurredAt: AT });
  });

  describe.each(['UNDELIVERED', 'REJECTED', 'EXPIRED'])('%s has failed', (status) => {
    test.each([
      ['INVALID_NUMBER', 'invalid_number'],
      ['NUMBER_NOT_ACTIVE', 'number_not_active'],
      ['SENDER_NOT_ALLOWED', 'sender_not_allowed'],
      ['BLOCKED', 'blocked'],
      ['EXPIRED', 'expired'],
    ])('by %s: %s', (word, reason) => {
      expect(read(status, word)).toEqual({ result: 'failed', reason, occurredAt: AT });
    });

    test.each(['UNDELIVERABLE', 'blocked', 'constructor', 'SENT', '', null, 7, {}])(
      'by %j: as its status says',
      (word) => {
        const reason = status === 'EXPIRED' ? 'expired' : 'undeliverable';
        expect(read(status, word)).toEqual({ result: 'failed', reason, occurredAt: AT });
      },
    );
  });

  test.each(['PAUSED', 'delivered', 'constructor', 'ACCEPTED', 'UNKNOWN'])('%s leaves it unknown', (status) => {
    expect(read(status)).toEqual(unknown('status_unknown'));
  });

  test.each([null, '', 7, {}, 'ENTREGUE É', 'x'.repeat(65)])('the status %j is unreadable', (status) => {
    expect(read(status)).toEqual(unknown('unreadable'));
  });

  test.each([null, '', 'yesterday', '2026-03-02', '2026-02-30T09:00:00.000Z', '2026-03-02T09:00:01.000', 7])(
    'decided at %j is decided, and nobody knows when',
    (decidedAt) => {
      expect(read('DELIVERED', null, decidedAt)).toMatchObject({ result: 'delivered', occurredAt: null });
      expect(read('UNDELIVERED', null, decidedAt)).toMatchObject({ result: 'failed', occurredAt: null });
    },
  );

  test('a time in Luanda is the same moment', () => {
    expect(read('DELIVERED', null, '2026-03-02T10:00:01+01:00').occurredAt).toEqual(AT);
  });
});

describe.each([
  ['a sending', readSending, 202],
  ['a query', readQuery, 200],
] as const)('%s answered', (_what, readAnswer, usual) => {
  const read = (body: unknown, status: number = usual) => readAnswer(answer(body, status), ID);

  test('with the message is as the message stands', () => {
    expect(read(QUEUED)).toEqual(ACCEPTED);
    expect(read({ ...QUEUED, status: 'DELIVERED', decidedAt: DECIDED_AT }, 200)).toMatchObject({ result: 'delivered' });
    expect(read({ ...QUEUED, status: 'REJECTED', reason: 'BLOCKED' }, 200)).toMatchObject({ reason: 'blocked' });
    expect(read({ id: ID, status: 'SENT' })).toEqual(ACCEPTED);
  });

  test.each([
    ['another message', { ...QUEUED, id: OTHER }, 'other_message'],
    ['its id in other letters', { ...QUEUED, id: ID.toUpperCase() }, 'other_message'],
    ['no id', { status: 'SENT' }, 'unreadable'],
    ['no status', { id: ID }, 'unreadable'],
    ['another word', { ...QUEUED, status: 'PAUSED' }, 'status_unknown'],
    ['garbage', '<html>', 'unreadable'],
    ['nothing', '', 'unreadable'],
    ['null', 'null', 'unreadable'],
    ['a list', [QUEUED], 'unreadable'],
    ['nesting without end', '['.repeat(60_000), 'unreadable'],
  ])('with %s is unknown', (_what2, body, reason) => {
    expect(read(body)).toEqual(unknown(reason));
  });

  test.each([500, 502, 503, 504, 301, 307, 204, 201, 100])('with %i is unknown, whatever it says', (status) => {
    expect(read({ ...QUEUED, status: 'DELIVERED' }, status)).toEqual(unknown('rail_error'));
    expect(read({ code: 'UNKNOWN_MESSAGE' }, status)).toEqual(unknown('rail_error'));
  });

  test.each([401, 408, 409, 425, 429])('with %i is unknown: it is not about the message', (status) => {
    expect(read({ code: 'MESSAGE_CHANGED' }, status)).toEqual(unknown('rail_refused'));
  });
});

describe('a refusal', () => {
  test.each([400, 402, 403, 404, 405, 413, 422, 451])('of a sending by %i: it failed', (status) => {
    expect(readSending(answer({ code: 'BAD_REQUEST' }, status), ID)).toEqual(REFUSED);
    expect(readSending(answer('<html>', status), ID)).toEqual(REFUSED);
    expect(readSending(answer({ ...QUEUED, status: 'DELIVERED' }, status), ID)).toEqual(REFUSED);
  });

  test.each([400, 403, 404, 422])('of a query by %i says nothing of the message', (status) => {
    expect(readQuery(answer({ code: 'BAD_REQUEST' }, status), ID)).toEqual(unknown('rail_refused'));
    expect(readQuery(answer('<html>', status), ID)).toEqual(unknown('rail_refused'));
  });

  test('only the rail’s own word makes a query’s message one that it never saw', () => {
    const unseen = { code: 'UNKNOWN_MESSAGE', message: 'No message has this id.' };
    expect(readQuery(answer(unseen, 404), ID)).toEqual({ result: 'not_found', reason: null, occurredAt: null });
    expect(readQuery(answer(unseen, 410), ID)).toEqual(unknown('rail_refused'));
    expect(readQuery(answer({ code: 'UNKNOWN_PURCHASE' }, 404), ID)).toEqual(unknown('rail_refused'));
    // Our own order cannot be unknown to whom we send it: the address is wrong, and nothing was sent.
    expect(readSending(answer(unseen, 404), ID)).toEqual(REFUSED);
  });
});

describe('a status notification', () => {
  const news = (message: unknown, more = {}) =>
    JSON.stringify({ id: 'n-1', type: 'message_status', createdAt: DECIDED_AT, message, ...more });

  test('names itself, the message, and what became of it', () => {
    expect(readSmsNotification(news({ ...QUEUED, status: 'DELIVERED', decidedAt: DECIDED_AT }))).toEqual({
      notificationId: 'n-1',
      about: 'message',
      messageId: ID,
      outcome: { result: 'delivered', reason: null, occurredAt: AT },
    });
    const failed = news({ ...QUEUED, status: 'UNDELIVERED', reason: 'NUMBER_NOT_ACTIVE', decidedAt: DECIDED_AT });
    expect(readSmsNotification(failed)).toMatchObject({ outcome: { result: 'failed', reason: 'number_not_active' } });
  });

  test('with a status that nobody knows says that nothing is known', () => {
    expect(readSmsNotification(news({ ...QUEUED, status: 'LOST' }))).toMatchObject({
      messageId: ID,
      outcome: unknown('status_unknown'),
    });
  });

  test('an id that comes as a number keeps every digit', () => {
    const body = news(QUEUED).replace('"n-1"', '900719925474099399');
    expect(readSmsNotification(body)?.notificationId).toBe('900719925474099399');
  });

  test.each([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['an array', '[]'],
    ['nesting without end', '['.repeat(60_000)],
    ['another type', news(QUEUED, { type: 'purchase' })],
    ['a type of another kind', news(QUEUED, { type: 'message_reply' })],
    ['no id', news(QUEUED, { id: null })],
    ['an id that is too long', news(QUEUED, { id: 'x'.repeat(65) })],
    ['no message', news(null)],
    ['a message without an id', news({ status: 'DELIVERED' })],
    ['a message whose id is none of ours', news({ ...QUEUED, id: '4711' })],
  ])('%s is none', (_what, body) => expect(readSmsNotification(body)).toBeNull());
});

describe('an answer of somebody', () => {
  const news = (reply: unknown) => JSON.stringify({ id: 'n-2', type: 'message_reply', createdAt: DECIDED_AT, reply });
  const read = (change: object) => {
    const found = readSmsNotification(news({ ...REPLY, ...change }));
    return found?.about === 'reply' ? found.reply : found;
  };

  test('says who answered what to whom', () => {
    expect(readSmsNotification(news(REPLY))).toEqual({ notificationId: 'n-2', about: 'reply', reply: READ_REPLY });
  });

  test.each([null, undefined, '', '4711', 7, {}])('to the message %j is to none that we know', (messageId) => {
    expect(read({ messageId })).toEqual({ ...READ_REPLY, messageId: null });
  });

  test.each(['923456789', '923 456 789', '244923456789', '00244923456789', '+244 923 456 789'])(
    'from %s is from the same phone',
    (from) => expect(read({ from })).toEqual(READ_REPLY),
  );

  test('from a phone elsewhere is told as it is', () => {
    expect(read({ from: '+351912345678' })).toMatchObject({ from: '+351912345678' });
  });

  test.each([
    ['several lines, accents and a flag', 'Não\nquero mais 🇦🇴', 'Não\nquero mais 🇦🇴'],
    ['nothing', '', ''],
    ['what no database keeps', 'PA\0RAR\ud83d', 'PARAR\ufffd'],
    ['very much', 'é'.repeat(3_000), 'é'.repeat(2_000)],
  ])('of %s', (_what, text, shown) => expect(read({ text })).toEqual({ ...READ_REPLY, text: shown }));

  test('a number as its text keeps every digit', () => {
    expect(readSmsNotification(news(REPLY).replace('"PARAR"', '900719925474099399'))).toMatchObject({
      reply: { text: '900719925474099399' },
    });
  });

  test.each([
    ['from nobody', { from: null }],
    ['from what is no phone', { from: 'Ána' }],
    ['to nobody', { to: null }],
    ['without words', { text: null }],
    ['of many texts', { text: ['PARAR'] }],
  ])('%s is none', (_what, change) => expect(read(change)).toBeNull());
});

describe('a message written', () => {
  test('has its text as it is, the same bytes each time', () => {
    expect(JSON.parse(writeMessage(ORDER))).toEqual(WRITTEN);
    expect(writeMessage(ORDER)).toBe(writeMessage({ ...ORDER }));
    const text = 'Linha 1\n"Linha" 2 🇦🇴 {{x}} \\';
    expect(JSON.parse(writeMessage({ ...ORDER, text })).text).toBe(text);
  });
});

test('the examples in docs/rail.md are read as written here', () => {
  const blocks = readFileSync(new URL('../../../docs/rail.md', import.meta.url), 'utf8').split('```');
  const findExample = (word: string) => {
    const block = blocks.find((text, at) => at % 2 === 1 && text.includes(word)) as string;
    return JSON.parse(block.slice(block.indexOf('{\n')));
  };
  expect(findExample('POST {SMS_URL}/v1/messages')).toEqual(WRITTEN);
  expect(findExample('"status": "QUEUED"')).toEqual(QUEUED);
  const news = findExample('"type": "message_reply"');
  expect(news.reply).toEqual(REPLY);
  expect(readSmsNotification(JSON.stringify({ ...news, id: 'n-2' }))).toMatchObject({ reply: READ_REPLY });
});
