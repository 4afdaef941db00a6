// The contract of the Ombala connector, which also serves GoSMS.
import assert from 'node:assert/strict';
import { OMBALA } from '../../../server/providers/ombala/connector.ts';
import { operation } from '../contract.ts';
import { wireCases } from '../faults.ts';
import { until } from '../fixture.ts';
import { startOmbala, type OmbalaBook, type OmbalaMessage } from '../ombala.ts';
import { accepted, createSmsSuite, failed, OTHER_PHONE, PHONE, unknown, SmsFixture } from './sms/fixture.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';

type F = SmsFixture<OmbalaBook>;
const SENT = { id: 'm-1', parts: 1, recipients: [{ phone_number: PHONE, message_status: 'PENDING' }] };
const success = (changes: object) => ({ status: 201, body: { ...SENT, ...changes } });
const recipient = (changes: object) => success({ recipients: [{ ...SENT.recipients[0], ...changes }] });
const errors = (value: unknown) => ({ status: 400, body: { errors: value } });

const DELIVERED = { result: 'delivered', reason: null, occurredAt: null };
const REFUSED = { result: 'failed', reason: 'undeliverable' };

const message = operation<F>('message', {
  call: (fixture, changes) => fixture.send(changes),
  answer: ({ book }, answer) => (book.instead = answer as never),
})({
  'is sent whole with links and emoji and in several parts': {
    requests: ['Olá! Pague em https://balcao.ao/p/1 🎉', 'Á'.repeat(459)].map((text) => ({ text })),
    expected: accepted,
    sent: ({ order: { text } }) => ({ body: { message: text } }),
  },
  'is sent twice by a repeat': {
    steps: [{}, { act: (fixture) => fixture.repeat() }, { act: ({ book }) => book.messages.length, expected: 2 }],
  },
  'has the state of its recipient': {
    isUncertain: true,
    outcomes: Object.entries({ PENDING: accepted, ENTREGUE: accepted, '': accepted, DELIVERED, REFUSED }).map(
      ([message_status, outcome]) => [recipient({ message_status }), { ...outcome, railMessageId: 'm-1' }],
    ),
  },
  'is accepted without recipients': [success({ recipients: undefined }), accepted],
  'is unknown for an unreadable id': [[null, '', 'id\n'].map((id) => success({ id })), unknown('unreadable', null)],
  'is failed with the code of a refusal': {
    outcomes: [
      [errors({ code: 'INVALID_PHONE' }), failed('rail_refused_invalid_phone')],
      [errors({ code: 1003, message: 'x' }), failed('rail_refused_1003')],
      [errors({ code: 'not a code!' }), failed('rail_refused')],
    ],
  },
  'is failed for a foreign phone': { request: { to: '+351912345678' }, expected: failed('rail_refused_invalid_phone') },
  'is unknown for a 400 without a list or object of errors': [
    [{ status: 400, body: {} }, { status: 400, body: [] }, errors('x'), errors(null)],
    { result: 'unknown' },
  ],
});

/** Adds messages to the same phone number. By default each message has a different text. */
function addOthers({ book, now }: F, count: number, changes: Partial<OmbalaMessage> = {}): void {
  for (let nth = 1; nth <= count; nth++) {
    const id = String(850_000_000_000_000_000n + BigInt(book.messages.length));
    const content = `Código: ${10_000 + nth}`;
    book.messages.push({ id, to: PHONE, from: 'LOJAILHA', content, state: 'DELIVERED', parts: 1, at: now, ...changes });
  }
}
/** Sends a message whose answer is lost, before or after the fake received the message. */
const lose = async (fixture: F, isTaken = true) => {
  fixture.fake.fault(isTaken ? 'drop_after' : 'drop_before', { method: 'POST' });
  assert.equal((await fixture.send()).result, 'unknown');
};
const follow = (fixture: F) => fixture.query({ railMessageId: fixture.message.id });
/** Runs a case for both queries: by phone number, text and time, and by Ombala's id. */
const both = async (fixture: F) => [await fixture.query(), await follow(fixture)];
const listed = (fixture: F) =>
  fixture.requests.filter(({ method }) => method === 'GET').map(({ path, query }) => `${path}?${String(query)}`);
const LIST = '/messages/recipient?phone_number=';
const uncertain = unknown('not_certain');
const notFound = { result: 'not_found', reason: null, railMessageId: null, occurredAt: null };
const change = (changes: Partial<OmbalaBook>) => (fixture: F) => Object.assign(fixture.book, changes);

const query = operation<F>('query of a message whose answer was lost', {
  setUp: (fixture) => lose(fixture),
  call: (fixture) => fixture.query(),
})({
  'finds it by number, text and time': {
    steps: [
      { expected: ({ message: { id } }) => ({ ...accepted, railMessageId: id }) },
      { act: listed, expected: [`${LIST}%2B244923456789`] },
    ],
  },
  'returns unknown until it is listed': {
    steps: [
      { answer: change({ delayMs: 4 * MINUTE_MS }), expected: unknown('not_listed', null) },
      { passMs: 4 * MINUTE_MS, expected: accepted },
    ],
  },
  'finds it in every form of the number and of the list': {
    isUncertain: true,
    act: both,
    steps: (
      [
        ...(['e164', 'digits', 'national'] as const).map((phones) => ({ phones })),
        ...(['messages', null] as const).map((listName) => ({ listName })),
        ...(['twice', 'reversed'] as const).map((listing) => ({ listing })),
      ] satisfies Partial<OmbalaBook>[]
    ).map((changes) => ({ passMs: 6 * MINUTE_MS, answer: change(changes), expected: [accepted, accepted] })),
  },
  'finds it by its id although text and time differ': {
    answer: (fixture) => {
      Object.assign(fixture.message, { content: '', at: new Date(0), state: 'DELIVERED' });
      fixture.railMessageId = fixture.message.id;
      fixture.book.zone = '';
      addOthers(fixture, 3, { content: fixture.order.text });
    },
    expected: DELIVERED,
  },
  'reads every state, and returns unknown with the id for another': {
    isUncertain: true,
    act: both,
    steps: Object.entries({
      PENDING: accepted,
      DELIVERED,
      delivered: DELIVERED,
      REFUSED,
      ...Object.fromEntries(['EXPIRED', '', 'entregue ✓'].map((state) => [state, unknown('status_unknown')])),
    }).map(([state, outcome]) => ({
      answer: ({ message: one }: F) => (one.state = state),
      expected: ({ message: { id } }: F) => [1, 2].map(() => ({ ...outcome, railMessageId: id })),
    })),
  },
  'returns unknown for our id with another number': {
    answer: ({ book, message: one }) => {
      book.listsEverybody = true;
      one.to = OTHER_PHONE;
    },
    act: follow,
    expected: { result: 'unknown' },
  },
  async 'reads every page, and stops at an id'(fixture) {
    fixture.book.messages = [];
    addOthers(fixture, 35);
    await lose(fixture);
    const { id: railMessageId } = fixture.message;
    addOthers(fixture, 25);
    const pages = ['', '&page=1', '&page=2', '&page=3'].map((page) => `${LIST}%2B244923456789${page}`);
    assert.equal((await fixture.query({ railMessageId })).result, 'accepted');
    assert.deepEqual(listed(fixture), pages.slice(0, 2));
    fixture.fake.requests.length = 0;
    assert.equal((await fixture.query()).result, 'accepted');
    assert.deepEqual(listed(fixture), pages);
  },
  'returns unknown for two that match': {
    answer: (fixture) => addOthers(fixture, 1, { content: fixture.order.text }),
    expected: unknown('several'),
  },
  'returns unknown for one id with two states': {
    answer: ({ book, message: one }) => book.messages.push({ ...one, state: 'DELIVERED' }),
    act: both,
    expected: [unknown('several'), unknown('several')],
  },
});

/** Sets up the state ten minutes after a message that the fake stored with changed data. */
const late = (changes: Partial<OmbalaBook>) => async (fixture: F) => {
  Object.assign(fixture.book, { messages: [], ...changes });
  await lose(fixture);
  await fixture.pass(10 * MINUTE_MS);
};
const doubt = operation<F, unknown, Partial<OmbalaBook>>('query ten minutes after a lost answer', {
  call: (fixture) => fixture.query(),
  answer: (fixture, changes) => late(changes)(fixture),
})({
  'allows for a clock of the rail that is 60 seconds slow': [{ skewMs: -60_000 }, accepted],
  'returns unknown beyond that': [[-60_001, -5 * MINUTE_MS, -61 * MINUTE_MS].map((skewMs) => ({ skewMs })), uncertain],
  'allows for a clock that is an hour fast': [{ skewMs: HOUR_MS }, accepted],
  'returns unknown without a valid zone': [[{ zone: '' }, { zone: '+01:00' }], uncertain, { isUncertain: true }],
  'returns unknown for a text that the rail changed or cut': [
    (
      [
        (text) => text.normalize('NFKD').replace(/\p{M}/gu, ''),
        (text) => text.replace(/[^\x20-\x7e]/g, '?'),
        (text) => text.toUpperCase(),
        (text) => `${text.slice(0, 12)}…`,
        (text) => `${text}\nEnviado por Ombala`,
        (text) => ` ${text.replaceAll(' ', '  ')} `,
        () => '',
      ] satisfies OmbalaBook['keep'][]
    ).map((keep) => ({ keep })),
    uncertain,
    { isUncertain: true },
  ],
  'finds a text with decomposed accents': [{ keep: (text: string) => text.normalize('NFD') }, accepted],
  'returns unknown for an entry without a text': [{ contentName: null }, uncertain, { isUncertain: true }],
  'reads a text called `message`': [{ contentName: 'message' }, accepted, { isUncertain: true }],
});

const MISSING = {
  /** Six minutes after a message that never arrived, which is longer than the listing delay. */
  async setUp(fixture: F) {
    await lose(fixture, false);
    await fixture.pass(6 * MINUTE_MS);
  },
  call: (fixture: F) => fixture.query(),
};
const missing = operation<F>(
  'query of a message that never arrived',
  MISSING,
)({
  'returns not_found after it searched every form of the number': {
    isUncertain: true,
    steps: [
      { expected: notFound },
      { act: listed, expected: ['%2B244923456789', '244923456789', '923456789'].map((form) => `${LIST}${form}`) },
    ],
  },
  'ignores other texts, other numbers, and the same text of three hours before': {
    answer: (fixture) => {
      const { text: content } = fixture.order;
      addOthers(fixture, 3);
      addOthers(fixture, 1, { to: OTHER_PHONE, content });
      addOthers(fixture, 1, { content, at: new Date(fixture.now.getTime() - 3 * HOUR_MS) });
    },
    expected: notFound,
  },
  'returns unknown by its id ten days later': {
    passMs: 10 * DAY_MS,
    act: (fixture) => fixture.query({ railMessageId: '840000000000000001' }),
    expected: unknown('not_listed', '840000000000000001'),
  },
  'returns unknown for a number with 102 other messages': {
    answer: (fixture) => addOthers(fixture, 101),
    expected: unknown('list_too_long'),
  },
  'returns not_found for a short list without page numbers, and unknown for a full page': {
    isUncertain: true,
    steps: [
      { answer: (fixture) => (addOthers(fixture, 19), (fixture.book.paging = 'untold')), expected: notFound },
      { answer: (fixture) => addOthers(fixture, 1), expected: { result: 'unknown' } },
    ],
  },
  'returns unknown for a list that repeats its first page': {
    answer: (fixture) => (addOthers(fixture, 30), (fixture.book.paging = 'stuck')),
    expected: { result: 'unknown' },
  },
  async 'returns unknown for a fault on a later page'(fixture) {
    addOthers(fixture, 21);
    const before = fixture.calls.length;
    const later = fixture.query();
    await until(() => fixture.calls.length > before);
    fixture.fake.fault('error_before');
    assert.equal((await later).result, 'unknown');
    assert.equal((await fixture.query()).result, 'not_found');
  },
  'returns unknown for the 404 of every form': {
    isUncertain: true,
    answer: ({ fake }) => fake.fault(404, { path: '/messages/recipient', times: 3 }),
    expected: { result: 'unknown' },
  },
  async 'takes no longer than one call for all pages and forms'(fixture) {
    const { clock } = fixture.account;
    const start = fixture.now.getTime();
    const querySlowly = async (stepMs: number) => {
      let readings = 0;
      const waits: number[] = [];
      const now = () => new Date(start + readings++ * stepMs);
      const wait: typeof clock.wait = (ms, signal) => (waits.push(ms), clock.wait(ms, signal));
      const before = fixture.calls.length;
      const slow = fixture.with({ clock: { ...clock, now, wait } });
      const { reason } = await slow.query({ sentAt: new Date(start - MINUTE_MS) });
      return { reason, waits, count: fixture.calls.length - before };
    };
    assert.deepEqual(await querySlowly(3_000), { reason: 'not_listed', waits: [7_000, 4_000, 1_000], count: 3 });
    assert.deepEqual(await querySlowly(6_000), { reason: 'timeout', waits: [4_000], count: 1 });
  },
});

const missingFaults = wireCases<F>('query of a message that never arrived', {
  ...MISSING,
  expected: () => ({ result: 'unknown' }),
  after: async (fixture) => assert.equal((await fixture.query()).result, 'not_found'),
});

const others = operation<F>('query', { call: (fixture) => fixture.query() })({
  'returns unknown for five minutes, then not_found': {
    isUncertain: true,
    steps: [
      { act: (fixture) => lose(fixture, false) },
      { expected: unknown('not_listed') },
      { passMs: 5 * MINUTE_MS, expected: unknown('not_listed') },
      { passMs: 1, expected: notFound },
    ],
  },
  'returns not_found for a message that was never sent': {
    isUncertain: true,
    isLive: true,
    act: ({ clients, now, order }) => {
      const about = { messageId: order.messageId, to: '+244900000000', text: `Nunca enviada: ${order.messageId}` };
      return clients.sms.query({ ...about, railMessageId: null, sentAt: new Date(now.getTime() - 10 * MINUTE_MS) });
    },
    expected: notFound,
  },
  'returns unknown without a time of sending and without a request': { expected: unknown('sent_at_missing'), wire: [] },
});

export const ombalaSuite = createSmsSuite<OmbalaBook>({
  connector: OMBALA,
  start: startOmbala,
  variables: ['OMBALA_TOKEN', 'OMBALA_SENDER', 'OMBALA_BASE_URL'],
  host: 'api.useombala.ao',
  capabilities: { idempotent: false, maxChars: null, links: true, emoji: true },
  paths: { probe: 'GET /messages', send: 'POST /messages', query: '/messages/recipient' },
  write: ({ to, text, sender }) => ({
    headers: { authorization: 'Token ombala-token-1' },
    body: { message: text, from: sender, to },
  }),
  success,
  successTo: (phone_number) => recipient({ phone_number }),
  idName: 'id',
  error: { errors: { code: 'X' } },
  cases: [...message, ...query, ...doubt, ...missing, ...missingFaults, ...others],
});
