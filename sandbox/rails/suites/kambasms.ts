// The contract of the KambaSMS connector.
import { KAMBASMS } from '../../../server/providers/kambasms/connector.ts';
import { operation } from '../contract.ts';
import { startKambaSms, type KambaBook } from '../kambasms.ts';
import { accepted, createSmsSuite, failed, OTHER_PHONE, PHONE, unknown, SmsFixture } from './sms/fixture.ts';
import { DAY_MS } from '../../../shared/durations.ts';

type F = SmsFixture<KambaBook>;
const SUCCESS = { success: true, message_id: 'm-1', status: 'queued', to: PHONE, segments: 1 };
const success = (changes: object) => ({ status: 200, body: { ...SUCCESS, ...changes } });

const texts = operation<F, string>('message', { call: (fixture, text) => fixture.send({ text }) })({
  'is sent with 160 characters': ['á'.repeat(160), accepted],
  'is failed with a link': {
    isLive: true,
    requests: ['https://balcao.ao/p/1', 'HTTP://X.AO', 'www.loja', 'Wa.me/244923456789', 'loja.ao', 'veja LOJA.CO.AO!'],
    expected: failed('text_not_supported'),
  },
  'is failed with 161 characters or an emoji, without a request': {
    requests: ['a'.repeat(161), ...['🎉', '❤', '❤️', '🇦🇴', '1️⃣', '👍🏾', '☎️'].map((emoji) => `Obrigado ${emoji}`)],
    expected: failed('text_not_supported'),
    wire: [],
  },
  'is sent with a text that only resembles a link or an emoji': {
    isUncertain: true,
    requests: [
      'Sábado às 18.30/19.00: 1.500,00 Kz',
      'Chegou hoje.Com desconto de 10%',
      'Sr./Sra. Neto, ref. 123.456',
      'Balcão® © 2026 ™ #1 * 2',
      'Fim.',
    ],
    expected: accepted,
  },
});

const message = operation<F>('message', {
  call: (fixture) => fixture.send(),
  answer: ({ book }, answer) => (book.instead = answer as never),
})({
  'is failed for +351': { act: (fixture) => fixture.send({ to: '+351912345678' }), expected: failed('rail_refused') },
  'is found by a repeat within 24 hours after a lost answer, and sent again after that': {
    steps: [
      { fault: 'drop_after', expected: unknown('connection', null) },
      { passMs: DAY_MS - 1, act: (fixture) => fixture.repeat(), expected: accepted },
      {
        act: ({ book, requests: [one, other] }) => [book.messages.length, one?.body === other?.body],
        expected: [1, true],
      },
      { passMs: 1, act: (fixture) => fixture.repeat(), expected: accepted },
      { act: ({ book }) => book.messages.length, expected: 2 },
    ],
  },
  'is another message with another key': { steps: [{}, {}, { act: ({ book }) => book.messages.length, expected: 2 }] },
  'is unknown for a key with another text': {
    isUncertain: true,
    answer: (fixture) => fixture.send(),
    act: (fixture) => fixture.send({ messageId: fixture.order.messageId, text: 'Outro texto' }),
    expected: unknown('rail_refused'),
  },
  'is unknown for 202 with an id, by which a query finds it': {
    steps: [
      {
        answer: ({ book }) => (book.takesOn = 'with_id'),
        expected: ({ book }) => unknown('taken_on', book.messages[0]!.id),
      },
      { act: (fixture) => fixture.query(), expected: accepted },
    ],
  },
  'is unknown for 202 without an id, and sent once by a repeat': {
    steps: [
      { answer: ({ book }) => (book.takesOn = 'without_id'), expected: unknown('taken_on', null) },
      { act: (fixture) => fixture.repeat(), expected: unknown('taken_on', null) },
      { act: ({ book }) => book.messages.length, expected: 1 },
    ],
  },
  'is unknown for 204': { fault: 204, expected: { result: 'unknown' } },
  'is unknown for 200 without success': [
    [
      ...[false, 'yes', undefined].map((value) => success({ success: value })),
      ...['[]', 'null'].map((body) => ({ status: 200, body })),
    ],
    unknown('unreadable'),
  ],
  'is unknown if it failed': [
    success({ status: 'failed' }),
    unknown('status_contradicts', 'm-1'),
    { isUncertain: true },
  ],
  'is accepted for a success without a number': [success({ to: undefined }), accepted],
  'is accepted with an unknown status': [success({ status: 'em_trânsito' }), accepted, { isUncertain: true }],
});

const liveOf = (fixture: F) => fixture.with({ environment: 'live' });
const live = operation<F>('live account')({
  'is without accepted messages and has a wrong secret while its key is for tests': {
    isUncertain: true,
    steps: [true, false].map((isTestKey) => ({
      answer: ({ book }) => (book.isTestKey = isTestKey),
      act: async (fixture) => [await liveOf(fixture).send(), await liveOf(fixture).probe()],
      expected: isTestKey ? [unknown('simulated'), { result: 'wrong_secret' }] : [accepted, { result: 'ok' }],
    })),
  },
});

const STATES = {
  accepted: ['sent', 'PENDING', 'Processing'],
  delivered: ['delivered', 'DELIVERED'],
  undeliverable: ['failed', 'undelivered'],
  rejected: ['rejected'],
  expired: ['expired'],
};
/** Adds other messages of the same KambaSMS account to the fake. */
const addOthers = ({ book }: F, count: number, text = 'Outra mensagem') => {
  for (let nth = 1; nth <= count; nth++)
    book.messages.push({
      ...book.messages[0]!,
      id: String(740_000_000_000_000_000n + BigInt(nth)),
      text,
      state: 'failed',
    });
};
const deliver = (change: (fixture: F) => unknown = () => {}) => ({
  answer(fixture: F) {
    fixture.message.state = 'delivered';
    change(fixture);
  },
  expected: { result: 'delivered' },
});

const query = operation<F>('query', {
  setUp: (fixture) => fixture.send(),
  call: (fixture) => fixture.query(),
  answer: (fixture, changes) => Object.assign(fixture.message, changes),
})({
  'reads one page of a hundred, without a key': {
    expected: ({ railMessageId }) => ({ ...accepted, railMessageId }),
    wire: ['GET /messages'],
    sent: { query: { limit: '100', page: '1' }, headers: { 'idempotency-key': undefined } },
  },
  'reads every known state in any case': {
    isUncertain: true,
    outcomes: Object.entries(STATES).flatMap(([result, states]) => {
      const isFailed = result !== 'accepted' && result !== 'delivered';
      const expected = isFailed ? { result: 'failed', reason: result } : { result, reason: null };
      return states.map((state) => [{ state }, expected] as const);
    }),
  },
  'returns unknown with the id for an unknown state': [
    ['entregue', 'blocked', 'error', '', 'delivered ✓', 'toString'].map((state) => ({ state })),
    ({ railMessageId }) => unknown('status_unknown', railMessageId),
  ],
  'reads a list whose ids are called `id`': { isUncertain: true, ...deliver(({ book }) => (book.idName = 'id')) },
  'reads a list called `data`': { isUncertain: true, ...deliver(({ book }) => (book.listName = 'data')) },
  'reads a list without a name': { isUncertain: true, ...deliver(({ book }) => (book.listName = null)) },
  'reads a list beyond 64 KiB': deliver((fixture) => addOthers(fixture, 99, 'Ç'.repeat(1_000))),
  'finds the message anywhere in the list': {
    steps: [
      deliver((fixture) => addOthers(fixture, 5)),
      { answer: ({ book }) => book.messages.reverse(), expected: { result: 'delivered' } },
    ],
  },
  'ignores the times of the rail': deliver(({ message }) => (message.at = new Date(0))),
  'returns unknown for a message beyond the last hundred': {
    answer: (fixture) => addOthers(fixture, 100),
    expected: ({ railMessageId }) => unknown('not_listed', railMessageId),
  },
  'returns unknown for a message that is listed twice': {
    answer: ({ book, message }) => book.messages.push({ ...message, state: 'delivered' }),
    expected: unknown('several'),
  },
  'returns unknown for our id with another number': [{ to: OTHER_PHONE, state: 'delivered' }, unknown('other_message')],
});

const blind = operation<F>('query', {
  call: (fixture, railMessageId) => fixture.query({ railMessageId, sentAt: fixture.now }),
})({
  'returns unknown for an unknown id': { isLive: true, request: 'no-such-message', expected: unknown('not_listed') },
  'returns unknown without an id or request': { request: null, expected: unknown('rail_id_missing'), wire: [] },
});

export const kambasmsSuite = createSmsSuite<KambaBook>({
  connector: KAMBASMS,
  start: startKambaSms,
  variables: ['KAMBASMS_API_KEY', 'KAMBASMS_SENDER', 'KAMBASMS_BASE_URL'],
  host: 'api.kambasms.ao',
  capabilities: { idempotent: true, maxChars: 160, links: false, emoji: false },
  paths: { probe: 'GET /credits/balance', send: 'POST /messages/send', query: '/messages' },
  write: ({ messageId, to, text, sender }) => ({
    headers: { 'x-api-key': 'kamba-test-key', 'idempotency-key': messageId, 'content-type': 'application/json' },
    body: { to, text, sender_id: sender },
  }),
  success,
  successTo: (to) => success({ to }),
  idName: 'message_id',
  error: { success: false, error: 'x' },
  cases: [...texts, ...message, ...live, ...query, ...blind],
});
