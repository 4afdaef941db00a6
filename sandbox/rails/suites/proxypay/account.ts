// Cases of accounts: settings, secrets, capabilities, probes, hosts and reserved numbers.
import assert from 'node:assert/strict';
import { cases, exactly } from '../../contract.ts';
import { hostCases, INVALID_URLS, probeCases, wireCases } from '../../faults.ts';
import { API_KEY, ENTITY, type ProxypayFixture } from './fixture.ts';

const settings = cases<ProxypayFixture, object>(
  'settings',
  { call: (fixture, change) => fixture.findFaults('settings', change) },
  [
    {
      name: 'accept an entity, an exclusive flag and an address',
      requests: [{}, { baseUrl: undefined }],
      expected: '',
    },
    {
      name: 'refuse an entity that is not a text of five digits',
      requests: ['1234', '123456', 12_345, undefined].map((entity) => ({ entity })),
      expected: /^entity: \w/,
    },
    {
      name: 'refuse a missing or textual exclusive flag',
      requests: [{ isExclusive: undefined }, { isExclusive: 'yes' }],
      expected: /^isExclusive: \w/,
    },
    {
      name: 'refuse an invalid address',
      requests: INVALID_URLS.map((baseUrl) => ({ baseUrl })),
      expected: /^baseUrl: \w/,
    },
    { name: 'refuse an unknown field', request: { apiKey: API_KEY }, expected: /^: .*apiKey/ },
  ],
);

const secrets = cases<ProxypayFixture, object>(
  'secrets',
  { call: (fixture, change) => fixture.findFaults('secrets', change) },
  [
    { name: 'accept a key', requests: [{}], expected: '' },
    {
      name: 'refuse a key that no header can carry',
      requests: [undefined, '', 'two words', 'a line\r\nX-Other: 1'].map((apiKey) => ({ apiKey })),
      expected: /^apiKey: \w/,
    },
    { name: 'refuse an unknown field', request: { entity: ENTITY }, expected: /^: .*entity/ },
  ],
);

const capabilities = cases<ProxypayFixture, boolean>(
  'capabilities',
  {
    call: ({ connector, account }, isExclusive) => connector.capabilities('ppr', { ...account.settings, isExclusive }),
  },
  [
    ...[true, false].map((isExclusive) => ({
      name: `${isExclusive ? 'allow' : 'exclude'} our own digits for ${isExclusive ? 'an exclusive' : 'a shared'} entity`,
      request: isExclusive,
      expected: exactly({
        kind: 'ppr',
        ownDigits: isExclusive,
        withdraw: true,
        reopens: true,
        openAmount: true,
        repeated: true,
        expiry: 'day',
        feed: 'queue',
        query: false,
        refund: 'none',
        refundRepeat: false,
        bulk: 1,
        amounts: { stepMinor: 1, minMinor: 100, maxMinor: 99_999_999_999 },
        currencies: ['AOA'],
      }),
    })),
    {
      name: 'have one kind and one client, and cost no request',
      run({ connector, account, calls }) {
        assert.deepEqual([connector.name, connector.kinds], ['proxypay', ['ppr']]);
        assert.deepEqual(Object.keys(connector.open(account)), ['ppr']);
        assert.deepEqual(calls, []);
      },
    },
    {
      name: 'have amounts that are written exactly',
      async run(fixture) {
        for (const amountMinor of [100, 99_999_999_999]) await fixture.register({ amountMinor });
        const written = fixture.requests.map(({ body }) => JSON.parse(body).amount);
        assert.deepEqual(written, ['1.00', '999999999.99']);
      },
    },
  ],
);

const probes = [
  ...cases<ProxypayFixture>('probe', { call: (fixture) => fixture.probe() }, [
    {
      name: 'returns ok and reads the queue once',
      isLive: true,
      async run(fixture) {
        assert.deepEqual(await fixture.probe(), { result: 'ok' });
        if (fixture.server) assert.deepEqual(fixture.calls, ['GET /payments']);
      },
    },
    {
      name: 'returns wrong_secret for an unknown key',
      isLive: true,
      call: (fixture) => fixture.with({ secrets: { apiKey: 'nobody-has-this-key' } }).probe(),
      expected: { result: 'wrong_secret' },
    },
    { name: 'returns wrong_host for 200 without a list', fault: 200, expected: { result: 'wrong_host' } },
  ]),
  ...probeCases<ProxypayFixture>(
    {},
    {},
    {
      async call(fixture) {
        const probe = await fixture.probe();
        assert.ok(!JSON.stringify(probe).includes(API_KEY), 'the key is repeated');
        return probe;
      },
    },
  ),
];

const HOSTS: [string, string] = ['api.sandbox.proxypay.co.ao', 'api.proxypay.co.ao'];
const hosts = [
  ...hostCases<ProxypayFixture>('registration', (fixture) => fixture.register(), {
    hosts: HOSTS,
    settings: { baseUrl: undefined },
  }),
  ...hostCases<ProxypayFixture>('probe', (fixture) => fixture.probe(), {
    hosts: HOSTS,
    settings: { baseUrl: undefined },
  }),
];

const reserve = async (fixture: ProxypayFixture, count = 1) => ({ result: await fixture.rail.reserve(count) });
const NONE = { result: null };

const reserved = [
  ...cases<ProxypayFixture, number>('reserve', { call: reserve }, [
    {
      name: 'returns as many different numbers of nine digits',
      isLive: true,
      async run({ rail }) {
        const numbers = (await rail.reserve(3)) ?? [];
        assert.equal(new Set(numbers).size, 3);
        for (const number of numbers) assert.match(number, /^\d{9}$/);
      },
    },
    ...[false, true].map((quotesNumbers) => ({
      name: `pads ${quotesNumbers ? 'a quoted text' : 'a bare integer'} to nine digits`,
      isUncertain: true,
      answer: ({ book }: ProxypayFixture) => (book.style.quotesNumbers = quotesNumbers),
      expected: { result: ['012345001'] },
      wire: ['POST /reference_ids'],
    })),
    {
      name: 'returns digits that can be registered, and other digits after that',
      async run(fixture) {
        const [reference = ''] = (await fixture.rail.reserve(1)) ?? [];
        assert.equal((await fixture.register({ reference })).result, 'active');
        assert.notEqual((await fixture.rail.reserve(1))?.[0], reference);
      },
    },
    {
      name: 'returns null for an answer without a number of nine digits',
      answers: [
        { status: 200, body: 1_234_567_890 },
        { status: 200, body: 1.5 },
        { status: 200, body: { reference_id: 12_345_001 } },
        { status: 503, body: 12_345_001 },
      ].map(
        (onlyAnswer) =>
          ({ book }: ProxypayFixture) =>
            (book.onlyAnswer = onlyAnswer),
      ),
      expected: NONE,
    },
    {
      name: 'returns null for a repeated number, and sends no third request',
      request: 3,
      answer: ({ book }: ProxypayFixture) => (book.onlyAnswer = { status: 200, body: 12_345_001 }),
      expected: NONE,
      wire: ['POST /reference_ids', 'POST /reference_ids'],
    },
  ]),
  ...wireCases<ProxypayFixture>('reserve', {
    setUp: ({ rail }) => rail.reserve(1),
    call: (fixture) => reserve(fixture, 2),
    expected: () => NONE,
  }),
];

export const accountCases = [...settings, ...secrets, ...capabilities, ...probes, ...hosts, ...reserved];
