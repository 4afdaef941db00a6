// The fixture of all SMS connectors, and the cases that they share.
import assert from 'node:assert/strict';
import type { Clock } from '../../../../server/clock.ts';
import type { Connector } from '../../../../server/providers/connector.ts';
import type { SmsOrder, SmsOutcome, SmsQuery } from '../../../../server/providers/message.ts';
import { createSuite, each, exactly, operation, schema, type ContractCase } from '../../contract.ts';
import type { Fake, FakeAnswer } from '../../fake.ts';
import { hostCases, INVALID_URLS, probeCases, wireCases } from '../../faults.ts';
import { Fixture } from '../../fixture.ts';
import type { SmsBook } from '../../sms-fake.ts';

export const SENDER = 'LOJAILHA';
export const PHONE = '+244923456789';
export const OTHER_PHONE = '+244999888777';

let orders = 0;

export class SmsFixture<Book extends SmsBook = any> extends Fixture<Book> {
  order: SmsOrder = makeOrder();
  sentAt: Date | null = null;
  railMessageId: string | null = null;

  /** Sends a new SMS. Later calls of `query` query this message. */
  send(changes: Partial<SmsOrder> = {}): Promise<SmsOutcome> {
    this.order = makeOrder(changes);
    return this.repeat();
  }

  /** Sends the same SMS again. */
  async repeat(): Promise<SmsOutcome> {
    this.sentAt = this.now;
    const outcome = await this.clients.sms.send(this.order);
    this.railMessageId = outcome.railMessageId ?? null;
    return outcome;
  }

  query(changes: Partial<SmsQuery> = {}): Promise<SmsOutcome> {
    const { order, railMessageId, sentAt } = this;
    const { messageId, to, text } = order;
    return this.clients.sms.query({ messageId, to, text, railMessageId, sentAt, ...changes });
  }

  /** Returns the fake's last message. */
  get message(): Book['messages'][number] {
    const message = this.book.messages.at(-1);
    assert.ok(message, 'the fake has no message');
    return message;
  }
}

export function makeOrder(changes: Partial<SmsOrder> = {}): SmsOrder {
  const messageId = `0197f1f0-aaaa-7000-8000-${String(++orders).padStart(12, '0')}`;
  return { messageId, to: PHONE, sender: SENDER, text: 'A sua encomenda 20418 está pronta.', ...changes };
}

export const unknown = (reason: string, railMessageId?: string | null) => ({
  result: 'unknown',
  reason,
  occurredAt: null,
  ...(railMessageId !== undefined && { railMessageId }),
});
export const failed = (reason: string) => exactly({ result: 'failed', reason, occurredAt: null });
export const accepted = { result: 'accepted', reason: null, occurredAt: null };
const firstId = ({ book }: SmsFixture) => book.messages[0]!.id;

type Provider<Book extends SmsBook> = {
  connector: Connector;
  start(options: { clock: Clock }): Promise<Fake<Book>>;
  /** Environment variables with the API key, the sender name and the base URL. */
  variables: readonly [key: string, sender: string, baseUrl: string];
  host: string;
  capabilities: object;
  /** The API paths of a credential test, a message and a query. */
  paths: { probe: string; send: string; query: string };
  /** Returns the HTTP headers and body that the connector should send for an order. */
  write(order: SmsOrder): { headers: object; body: object };
  /** Creates a successful answer of the fake with these fields and this phone number. */
  success(changes: object): FakeAnswer;
  successTo(phone: unknown): FakeAnswer;
  /** `idName`: the field with the message's id in a provider's answer. */
  idName: string;
  /** `error`: an error answer in the API's own format. */
  error: object;
  cases: ContractCase<any>[];
};

/** Creates the contract of one SMS connector from the shared cases and its own cases. */
export function createSmsSuite<Book extends SmsBook>(provider: Provider<Book>) {
  const { connector, start, variables, cases } = provider;
  const [key, sender, baseUrl] = variables;
  const shared = [accountCases, messageCases, answerCases, queryCases].flatMap((write) => write(provider));
  return createSuite<SmsFixture<any>>({
    connector,
    Fixture: SmsFixture,
    start,
    live: { [key]: 'secrets.apiKey', [sender]: 'settings.sender', [baseUrl]: 'settings.baseUrl?' },
    cases: [...shared, ...cases],
  });
}

const SENDER_RULE = /^sender: .*1 to 11 letters and digits, one letter at least/;

const settings = schema<SmsFixture>('settings')({
  'accept a sender of 1 to 11 letters and digits': [each('sender', ['A', SENDER, '2020Loja', 'Abcdefghijk']), ''],
  'refuse other senders': [each('sender', ['', '2020', '20202020', 'Loja Ilha', 'Lojá', 'Abcdefghijkl']), SENDER_RULE],
  'refuse a sender that is no text': [each('sender', [7, undefined]), /^sender: /],
  'refuse an unknown field': [{ entity: '00999' }, /entity/],
  'accept an address of http or https': [each('baseUrl', ['https://api.rail.ao', 'http://127.0.0.1:4400/v1']), ''],
  'refuse an address with another scheme, a query, a fragment or a user': [each('baseUrl', INVALID_URLS), /^baseUrl: /],
});
const secrets = schema<SmsFixture>('secrets')({
  'accept a key': [{ apiKey: 'key-of-a-rail' }, ''],
  'refuse a key that no header can carry': [
    each('apiKey', ['', 'short', 'with space in it', 'line\nx-admin: true', 'chavé-secreta', null]),
    /^apiKey: /,
  ],
  'refuse an unknown field': [{ password: 'x' }, /password/],
});

function accountCases({ connector, host, capabilities, paths }: Provider<any>) {
  const declared = operation<SmsFixture>('connector')({
    'declares its texts, its repeats and no notifications': {
      isLive: true,
      act: ({ account }) => connector.capabilities('sms', account.settings),
      expected: exactly({ kind: 'sms', reports: 'poll', replies: false, ...capabilities }),
    },
    'opens a client of messages only': {
      isLive: true,
      act: ({ account }) => [connector.kinds, Object.keys(connector.open(account))],
      expected: [['sms'], ['sms']],
    },
    'refuses and reads no notification': {
      isUncertain: true,
      act: (fixture, body: string) => [fixture.verify({ authorization: 'any' }, body), fixture.read(body)],
      requests: ['{"message_id":"1","status":"delivered"}', '', 'null', '[]', 'x'.repeat(65_536)],
      expected: ['refused', []],
    },
  });
  const probe = operation<SmsFixture>('probe', { call: (fixture) => fixture.probe() })({
    'returns ok for the right key': { isLive: true, expected: { result: 'ok' } },
    'returns wrong_secret for another key': {
      isLive: true,
      act: (fixture) => fixture.with({ secrets: { apiKey: 'not-the-key-at-all' } }).probe(),
      expected: { result: 'wrong_secret' },
    },
    'is one harmless request': { steps: [{ wire: [paths.probe] }, { act: ({ book }) => book.messages, expected: [] }] },
    'returns not_allowed for 402': { fault: 402, expected: { result: 'not_allowed', detail: /^[A-Z].*\.$/ } },
    async 'adds its path to that of the base address'(fixture) {
      for (const end of ['', '/']) {
        const baseUrl = `${fixture.fake.url}/v9${end}`;
        assert.equal((await fixture.with({ settings: { baseUrl } }).probe()).result, 'wrong_host');
        assert.equal(fixture.fake.requests.at(-1)?.path, `/v9${paths.probe.split(' ')[1]}`);
      }
    },
  });
  const there = { hosts: [host, host], settings: { baseUrl: undefined } } as const;
  return [
    ...settings,
    ...secrets,
    ...declared,
    ...probe,
    ...probeCases<SmsFixture>(),
    ...hostCases<SmsFixture>('probe', (fixture) => fixture.probe(), { ...there, result: 'wrong_host' }),
    ...hostCases<SmsFixture>('message', (fixture) => fixture.send(), { ...there, result: 'unknown' }),
  ];
}

function messageCases({ paths, write }: Provider<any>) {
  const message = operation<SmsFixture>('message', { call: (fixture, changes) => fixture.send(changes) })({
    'is one request with its number, text, sender and key': {
      wire: [paths.send],
      sent: ({ order }) => ({ headers: write(order).headers, body: exactly(write(order).body) }),
    },
    'is accepted with its id': { expected: (fixture) => exactly({ ...accepted, railMessageId: firstId(fixture) }) },
    'keeps every digit of an id that is an integer or a text': {
      steps: (['integer', 'text'] as const).map((numbers) => ({
        answer: ({ book }) => (book.numbers = numbers),
        expected: ({ message: { id } }) => ({ railMessageId: id }),
      })),
    },
    'has the sender of the order, and every letter and sign of its text': {
      answer: ({ book }) => book.senders.push('OUTRALOJA'),
      request: { sender: 'OUTRALOJA', text: 'Olá João, à espera: 1.500,00 Kz "já pagos" \\ € ©' },
      expected: accepted,
      sent: { text: /Olá João, à espera: 1\.500,00 Kz \\"já pagos\\" \\\\ € ©.*"OUTRALOJA"|"OUTRALOJA".*Olá João/ },
    },
    'is failed for an unapproved sender': { request: { sender: 'DESCONHECID' }, expected: failed('rail_refused') },
    'is unknown after a redirect, which is not followed': {
      answer: ({ book, fake }) => (book.instead = { status: 307, body: {}, headers: { Location: `${fake.url}/x` } }),
      expected: unknown('rail_error'),
      wire: [paths.send],
    },
  });
  const faults = wireCases<SmsFixture>('message', {
    call: (fixture) => fixture.send(),
    countEffects: ({ book }) => book.messages.length,
    expected: (reason) => unknown(reason),
    after: ({ railMessageId }) => assert.equal(railMessageId, null),
  });
  return [...message, ...faults];
}

function answerCases({ success, successTo, idName, error }: Provider<any>) {
  const instead = ({ book }: SmsFixture, answer: object) => (book.instead = answer as FakeAnswer);
  return operation<SmsFixture>('message', { call: (fixture) => fixture.send(), answer: instead })({
    'is failed without credit': [{ status: 402, body: error }, failed('no_credit'), { isUncertain: true }],
    'is unknown for a 4xx outside the API’s form': [
      ['<html>400 Bad Request</html>', 'x', '17', 'null'].map((body) => ({ status: 400, body })),
      unknown('rail_refused'),
    ],
    'is unknown for a status that is not about the message, with a body': [
      [401, 403, 404, 405, 408, 409, 425, 429, 301, 302, 500, 502, 503, 504].map((status) => ({ status, body: error })),
      { result: 'unknown' },
    ],
    'is unknown without a readable id': [
      [undefined, 'x'.repeat(65), { id: 1 }].map((id) => success({ [idName]: id })),
      unknown('unreadable'),
    ],
    'is unknown for another number': [successTo(OTHER_PHONE), unknown('other_message', 'm-1')],
    'is accepted for every spelling of its number': [
      ['244923456789', '923 456 789', 923456789, PHONE].map(successTo),
      { result: 'accepted' },
      { isUncertain: true },
    ],
    'is accepted with any count of parts': [
      [0, -1, 1.5, 'two', null, 1e9, undefined].map((count) => success({ segments: count, parts: count })),
      accepted,
    ],
  });
}

function queryCases({ paths }: Provider<any>) {
  const query = operation<SmsFixture>('query', { setUp: (f) => f.send(), call: (f, changes) => f.query(changes) })({
    'finds an id beyond a double, and not its neighbour': {
      steps: (['integer', 'text'] as const).map((numbers) => ({
        answer(fixture) {
          const { book, message } = fixture;
          // As JavaScript numbers, the ids of both messages would be equal.
          book.messages = [message, { ...message, id: message.id.replace(/1$/, '2'), state: 'DELIVERED' }];
          book.numbers = numbers;
          fixture.railMessageId = message.id;
          book.messages.reverse();
        },
        expected: accepted,
      })),
    },
  });
  const faults = wireCases<SmsFixture>('query', {
    setUp: (fixture) => fixture.send(),
    call: (fixture) => fixture.query(),
    where: { path: paths.query },
    expected: (reason) => unknown(reason),
    // Lists of messages may be larger than other answers.
    instead: { oversize: 'unreadable' },
    after: async (fixture) => assert.equal((await fixture.query()).result, 'accepted'),
  });
  return [...query, ...faults];
}
