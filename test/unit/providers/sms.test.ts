// The SMS client: statuses, refusals, delivery reports and replies.
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
/** The expected JSON of the order. */
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
/** A reply contains no time, because the rails' inbox records its arrival. */
const READ_REPLY = { from: '+244923456789', to: 'BALCAO', text: 'PARAR', messageId: ID };

const answer = (body: unknown, status = 200) => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const unknown = (reason: string) => ({ result: 'unknown', reason, occurredAt: null });
const ACCEPTED = { result: 'accepted', reason: null, occurredAt: null };
const REFUSED = { result: 'failed', reason: 'rail_refused', occurredAt: null };

describe('readMessage', () => {
  const read = (status: unknown, reason: unknown = null, decidedAt: unknown = DECIDED_AT) =>
    readMessage({ ...QUEUED, status, reason, decidedAt });

  test.each(['QUEUED', 'SENT'])('returns accepted for the status %s with any reason', (status) => {
    expect(read(status, null, null)).toEqual(ACCEPTED);
    expect(read(status, 'BLOCKED')).toEqual(ACCEPTED);
  });

  test('returns delivered for the status DELIVERED with any reason', () => {
    expect(read('DELIVERED')).toEqual({ result: 'delivered', reason: null, occurredAt: AT });
    expect(read('DELIVERED', 'EXPIRED')).toEqual({ result: 'delivered', reason: null, occurredAt: AT });
  });

  describe.each(['UNDELIVERED', 'REJECTED', 'EXPIRED'])('returns failed for %s', (status) => {
    test.each([
      ['INVALID_NUMBER', 'invalid_number'],
      ['NUMBER_NOT_ACTIVE', 'number_not_active'],
      ['SENDER_NOT_ALLOWED', 'sender_not_allowed'],
      ['BLOCKED', 'blocked'],
      ['EXPIRED', 'expired'],
    ])('with the reason %s as %s', (word, reason) => {
      expect(read(status, word)).toEqual({ result: 'failed', reason, occurredAt: AT });
    });

    test.each(['UNDELIVERABLE', 'blocked', 'constructor', 'SENT', '', null, 7, {}])(
      'with the unknown reason %j',
      (word) => {
        const reason = status === 'EXPIRED' ? 'expired' : 'undeliverable';
        expect(read(status, word)).toEqual({ result: 'failed', reason, occurredAt: AT });
      },
    );
  });

  test.each(['PAUSED', 'delivered', 'constructor', 'ACCEPTED', 'UNKNOWN'])(
    'returns unknown for the status %s',
    (status) => {
      expect(read(status)).toEqual(unknown('status_unknown'));
    },
  );

  test.each([null, '', 7, {}, 'ENTREGUE É', 'x'.repeat(65)])('returns unreadable for the status %j', (status) => {
    expect(read(status)).toEqual(unknown('unreadable'));
  });

  test.each([null, '', 'yesterday', '2026-03-02', '2026-02-30T09:00:00.000Z', '2026-03-02T09:00:01.000', 7])(
    'returns the outcome without a time for the time %j',
    (decidedAt) => {
      expect(read('DELIVERED', null, decidedAt)).toMatchObject({ result: 'delivered', occurredAt: null });
      expect(read('UNDELIVERED', null, decidedAt)).toMatchObject({ result: 'failed', occurredAt: null });
    },
  );

  test('reads a time with the offset of Luanda', () => {
    expect(read('DELIVERED', null, '2026-03-02T10:00:01+01:00').occurredAt).toEqual(AT);
  });
});

describe.each([
  ['readSending', readSending, 202],
  ['readQuery', readQuery, 200],
] as const)('%s', (_what, readAnswer, usual) => {
  const read = (body: unknown, status: number = usual) => readAnswer(answer(body, status), ID);

  test('returns the outcome of the message', () => {
    expect(read(QUEUED)).toEqual(ACCEPTED);
    expect(read({ ...QUEUED, status: 'DELIVERED', decidedAt: DECIDED_AT }, 200)).toMatchObject({ result: 'delivered' });
    expect(read({ ...QUEUED, status: 'REJECTED', reason: 'BLOCKED' }, 200)).toMatchObject({ reason: 'blocked' });
    expect(read({ id: ID, status: 'SENT' })).toEqual(ACCEPTED);
  });

  test.each([
    ['another message', { ...QUEUED, id: OTHER }, 'other_message'],
    ['its id in capitals', { ...QUEUED, id: ID.toUpperCase() }, 'other_message'],
    ['no id', { status: 'SENT' }, 'unreadable'],
    ['no status', { id: ID }, 'unreadable'],
    ['an unknown status', { ...QUEUED, status: 'PAUSED' }, 'status_unknown'],
    ['HTML', '<html>', 'unreadable'],
    ['nothing', '', 'unreadable'],
    ['null', 'null', 'unreadable'],
    ['a list', [QUEUED], 'unreadable'],
    ['60 000 levels', '['.repeat(60_000), 'unreadable'],
  ])('returns unknown for %s', (_what2, body, reason) => {
    expect(read(body)).toEqual(unknown(reason));
  });

  test.each([500, 502, 503, 504, 301, 307, 204, 201, 100])('returns unknown for %i with every body', (status) => {
    expect(read({ ...QUEUED, status: 'DELIVERED' }, status)).toEqual(unknown('rail_error'));
    expect(read({ code: 'UNKNOWN_MESSAGE' }, status)).toEqual(unknown('rail_error'));
  });

  test.each([401, 408, 409, 425, 429])(
    'returns unknown for status %i, which says nothing about the message',
    (status) => {
      expect(read({ code: 'MESSAGE_CHANGED' }, status)).toEqual(unknown('rail_refused'));
    },
  );
});

describe('an HTTP error of the SMS rail', () => {
  test.each([400, 402, 403, 404, 405, 413, 422, 451])('is a final refusal of a new message for status %i', (status) => {
    expect(readSending(answer({ code: 'BAD_REQUEST' }, status), ID)).toEqual(REFUSED);
    expect(readSending(answer('<html>', status), ID)).toEqual(REFUSED);
    expect(readSending(answer({ ...QUEUED, status: 'DELIVERED' }, status), ID)).toEqual(REFUSED);
  });

  test.each([400, 403, 404, 422])('is unknown for a query with status %i', (status) => {
    expect(readQuery(answer({ code: 'BAD_REQUEST' }, status), ID)).toEqual(unknown('rail_refused'));
    expect(readQuery(answer('<html>', status), ID)).toEqual(unknown('rail_refused'));
  });

  test('is not_found only for a query with status 404 and the code UNKNOWN_MESSAGE', () => {
    const unseen = { code: 'UNKNOWN_MESSAGE', message: 'No message has this id.' };
    expect(readQuery(answer(unseen, 404), ID)).toEqual({ result: 'not_found', reason: null, occurredAt: null });
    expect(readQuery(answer(unseen, 410), ID)).toEqual(unknown('rail_refused'));
    expect(readQuery(answer({ code: 'UNKNOWN_PURCHASE' }, 404), ID)).toEqual(unknown('rail_refused'));
    // For a new message this code means a wrong URL, so the message was not sent.
    expect(readSending(answer(unseen, 404), ID)).toEqual(REFUSED);
  });
});

describe('a delivery report', () => {
  const news = (message: unknown, more = {}) =>
    JSON.stringify({ id: 'n-1', type: 'message_status', createdAt: DECIDED_AT, message, ...more });

  test('returns its id, the message and the outcome', () => {
    expect(readSmsNotification(news({ ...QUEUED, status: 'DELIVERED', decidedAt: DECIDED_AT }))).toEqual({
      notificationId: 'n-1',
      about: 'message',
      messageId: ID,
      outcome: { result: 'delivered', reason: null, occurredAt: AT },
    });
    const failed = news({ ...QUEUED, status: 'UNDELIVERED', reason: 'NUMBER_NOT_ACTIVE', decidedAt: DECIDED_AT });
    expect(readSmsNotification(failed)).toMatchObject({ outcome: { result: 'failed', reason: 'number_not_active' } });
  });

  test('returns unknown for an unknown status', () => {
    expect(readSmsNotification(news({ ...QUEUED, status: 'LOST' }))).toMatchObject({
      messageId: ID,
      outcome: unknown('status_unknown'),
    });
  });

  test('keeps every digit of a numeric id', () => {
    const body = news(QUEUED).replace('"n-1"', '900719925474099399');
    expect(readSmsNotification(body)?.notificationId).toBe('900719925474099399');
  });

  test.each([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['an array', '[]'],
    ['60 000 levels', '['.repeat(60_000)],
    ['another type', news(QUEUED, { type: 'purchase' })],
    ['a type of another kind', news(QUEUED, { type: 'message_reply' })],
    ['no id', news(QUEUED, { id: null })],
    ['an id that is too long', news(QUEUED, { id: 'x'.repeat(65) })],
    ['no message', news(null)],
    ['a message without an id', news({ status: 'DELIVERED' })],
    ['an id that is no message of ours', news({ ...QUEUED, id: '4711' })],
  ])('is null with %s', (_what, body) => expect(readSmsNotification(body)).toBeNull());
});

describe('a reply', () => {
  const news = (reply: unknown) => JSON.stringify({ id: 'n-2', type: 'message_reply', createdAt: DECIDED_AT, reply });
  const read = (change: object) => {
    const found = readSmsNotification(news({ ...REPLY, ...change }));
    return found?.about === 'reply' ? found.reply : found;
  };

  test('returns its phone, sender and text', () => {
    expect(readSmsNotification(news(REPLY))).toEqual({ notificationId: 'n-2', about: 'reply', reply: READ_REPLY });
  });

  test.each([null, undefined, '', '4711', 7, {}])('has no message id if the rail sends %j', (messageId) => {
    expect(read({ messageId })).toEqual({ ...READ_REPLY, messageId: null });
  });

  test.each(['923456789', '923 456 789', '244923456789', '00244923456789', '+244 923 456 789'])(
    'has the phone %s in E.164',
    (from) => expect(read({ from })).toEqual(READ_REPLY),
  );

  test('keeps a foreign phone', () => {
    expect(read({ from: '+351912345678' })).toMatchObject({ from: '+351912345678' });
  });

  test.each([
    ['several lines, accents and a flag', 'Não\nquero mais 🇦🇴', 'Não\nquero mais 🇦🇴'],
    ['no characters', '', ''],
    ['characters that PostgreSQL refuses', 'PA\0RAR\ud83d', 'PARAR\ufffd'],
    ['more than 2,000 characters', 'é'.repeat(3_000), 'é'.repeat(2_000)],
  ])('keeps a text with %s', (_what, text, shown) => expect(read({ text })).toEqual({ ...READ_REPLY, text: shown }));

  test('keeps every digit of a numeric text', () => {
    expect(readSmsNotification(news(REPLY).replace('"PARAR"', '900719925474099399'))).toMatchObject({
      reply: { text: '900719925474099399' },
    });
  });

  test.each([
    ['no phone', { from: null }],
    ['an invalid phone', { from: 'Ána' }],
    ['no sender', { to: null }],
    ['no text', { text: null }],
    ['several texts', { text: ['PARAR'] }],
  ])('is null with %s', (_what, change) => expect(read(change)).toBeNull());
});

describe('writeMessage', () => {
  test('keeps the text, and writes equal bytes for equal orders', () => {
    expect(JSON.parse(writeMessage(ORDER))).toEqual(WRITTEN);
    expect(writeMessage(ORDER)).toBe(writeMessage({ ...ORDER }));
    const text = 'Linha 1\n"Linha" 2 🇦🇴 {{x}} \\';
    expect(JSON.parse(writeMessage({ ...ORDER, text })).text).toBe(text);
  });
});

test('examples in docs/rail.md equal the values of this file', () => {
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
