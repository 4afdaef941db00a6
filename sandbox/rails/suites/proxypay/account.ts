// Cases of ProxyPay accounts: settings, secrets, capabilities, credential tests, hosts and reserved digits.
import assert from 'node:assert/strict';
import { each, exactly, operation, schema } from '../../contract.ts';
import { hostCases, INVALID_URLS, probeCases, wireCases } from '../../faults.ts';
import { API_KEY, ENTITY, type ProxypayFixture } from './fixture.ts';

const settings = schema<ProxypayFixture>('settings')({
  'accept an entity, an exclusive flag and an address': [[{}, { baseUrl: undefined }], ''],
  'refuse an entity of other than 5 digits': [each('entity', ['1234', '123456', 12_345, undefined]), /^entity: \w/],
  'refuse a missing or textual exclusive flag': [each('isExclusive', [undefined, 'yes']), /^isExclusive: \w/],
  'refuse an invalid address': [each('baseUrl', INVALID_URLS), /^baseUrl: \w/],
  'refuse an unknown field': [{ apiKey: API_KEY }, /^: .*apiKey/],
});
const secrets = schema<ProxypayFixture>('secrets')({
  'accept a key': [{}, ''],
  'refuse a key for no header': [each('apiKey', [undefined, '', 'two words', 'a line\r\nX-Other: 1']), /^apiKey: \w/],
  'refuse an unknown field': [{ entity: ENTITY }, /^: .*entity/],
});

const CAPABILITIES = {
  kind: 'ppr',
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
  currencies: ['AOA'],
  amounts: { stepMinor: 1, minMinor: 100, maxMinor: 99_999_999_999 },
};
const connector = operation<ProxypayFixture, boolean>('connector', {
  call: ({ connector: own, account }, isExclusive) => own.capabilities('ppr', { ...account.settings, isExclusive }),
})({
  'allows our own digits in an exclusive entity': [true, exactly({ ...CAPABILITIES, ownDigits: true })],
  'excludes our own digits in a shared entity': [false, exactly({ ...CAPABILITIES, ownDigits: false })],
  'opens one client without a request': {
    act: ({ connector: own, account }) => [own.name, own.kinds, Object.keys(own.open(account))],
    expected: ['proxypay', ['ppr'], ['ppr']],
    wire: [],
  },
});

const probe = operation<ProxypayFixture>('probe', { call: (fixture) => fixture.probe() })({
  'returns ok for a known key': { isLive: true, expected: { result: 'ok' } },
  'returns wrong_secret for an unknown key': {
    isLive: true,
    act: (fixture) => fixture.with({ secrets: { apiKey: 'nobody-has-this-key' } }).probe(),
    expected: { result: 'wrong_secret' },
  },
  'returns wrong_host for 200 without a list': { fault: 200, expected: { result: 'wrong_host' } },
});
const probeFaults = probeCases<ProxypayFixture>(
  { path: '/payments' },
  { 408: 'no_connection', 425: 'no_connection' },
  {
    async call(fixture) {
      const result = await fixture.probe();
      assert.ok(!JSON.stringify(result).includes(API_KEY), 'the answer repeats the key');
      return result;
    },
  },
);

const HOSTS = {
  hosts: ['api.sandbox.proxypay.co.ao', 'api.proxypay.co.ao'] as [string, string],
  settings: { baseUrl: undefined },
};
const hosts = [
  ...hostCases<ProxypayFixture>('registration', (fixture) => fixture.register(), { ...HOSTS, result: 'unknown' }),
  ...hostCases<ProxypayFixture>('probe', (fixture) => fixture.probe(), { ...HOSTS, result: 'wrong_host' }),
];

const reserve = async (fixture: ProxypayFixture, count = 1) => ({ result: await fixture.rail.reserve(count) });
const NONE = { result: null };
const reserved = operation<ProxypayFixture, number>('reserve', {
  call: reserve,
  answer: ({ book }, onlyAnswer) => (book.onlyAnswer = onlyAnswer as never),
})({
  'returns the requested count of different numbers of nine digits': {
    isLive: true,
    async run({ rail }) {
      const numbers = (await rail.reserve(3)) ?? [];
      assert.equal(new Set(numbers).size, 3);
      for (const number of numbers) assert.match(number, /^\d{9}$/);
    },
  },
  'pads a quoted text and a bare integer to nine digits': {
    isUncertain: true,
    steps: [true, false].map((quotesNumbers) => ({
      answer: ({ book }) => (book.style.quotesNumbers = quotesNumbers),
      expected: { result: [quotesNumbers ? '012345001' : '012345008'] },
      wire: ['POST /reference_ids'],
    })),
  },
  async 'returns digits that can be registered, then others'(fixture) {
    const [reference = ''] = (await fixture.rail.reserve(1)) ?? [];
    assert.equal((await fixture.register({ reference })).result, 'active');
    assert.notEqual((await fixture.rail.reserve(1))?.[0], reference);
  },
  'returns null for an answer without a number of nine digits': [
    [
      ...[1_234_567_890, 1.5, { reference_id: 12_345_001 }].map((body) => ({ status: 200, body })),
      { status: 503, body: 12_345_001 },
    ],
    NONE,
  ],
  'returns null for a repeated number, and sends no third request': {
    request: 3,
    answer: { status: 200, body: 12_345_001 },
    expected: NONE,
    wire: ['POST /reference_ids', 'POST /reference_ids'],
  },
});
const reserveFaults = wireCases<ProxypayFixture>('reserve', {
  setUp: ({ rail }) => rail.reserve(1),
  call: (fixture) => reserve(fixture, 2),
  expected: () => NONE,
});

export const accountCases = [settings, secrets, connector, probe, probeFaults, hosts, reserved, reserveFaults].flat();
