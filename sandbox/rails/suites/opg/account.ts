// Cases of OPG accounts: settings, secrets, capabilities, hosts, and the test of the access token.
import assert from 'node:assert/strict';
import { each, exactly, operation, schema } from '../../contract.ts';
import { hostCases, INVALID_URLS, probeCases } from '../../faults.ts';
import { PUSH_CAPABILITIES } from '../../orders.ts';
import { DIALECTS, type OpgFixture } from './fixture.ts';

const dialects = DIALECTS;
const NO_NUMBERS = [0, -1, 1.5, 2 ** 60, '', '0', '000', '12a', ' 1', '1234567890123456', null, undefined];

const settings = schema<OpgFixture>('settings')({
  'accept a terminal as an integer or as digits': [each('posId', [1, 111, '111', '000111', '123456789012345']), ''],
  'refuse any other terminal': [each('posId', NO_NUMBERS), 'posId: must be an integer above 0, or its digits'],
  'refuse an unknown dialect and list both': [{ dialect: 'emis' }, /^dialect: .*"proxypay".*"vpos"[^\n]*$/],
  'refuse an unknown field by its name': [{ entity: '11333' }, /"entity"/],
  'accept an http or https base address': [
    each('baseUrl', ['https://api.gpo.positiva.co.ao/', 'http://127.0.0.1:4000/opg/v1']),
    '',
  ],
  'refuse any other base address': [each('baseUrl', INVALID_URLS), /^baseUrl: must be /],
});

const secrets = schema<OpgFixture>('secrets')({
  'accept a token that a header can carry': [{ token: 'eyJhbGciOi.J9-_~+/=' }, ''],
  'refuse any other token': [each('token', ['', 'a b', 'a\r\nX: y', 'sessão', 'x'.repeat(2_049)]), /^token: must be /],
  'refuse an account without a token': [{ token: undefined }, /^token: /],
  'refuse an unknown field by its name': [{ password: 'p' }, /"password"/],
  'and settings have a description for each field': ({ connector }) => {
    for (const schema of [connector.settings, connector.secrets]) {
      const { shape } = schema as unknown as { shape: Record<string, { description?: string }> };
      assert.ok(Object.keys(shape).length > 0);
      for (const [name, { description = '' }] of Object.entries(shape)) assert.ok(description.length > 20, name);
    }
  },
});

const REPEAT = { query: 'rail_id', repeat: 'never', refund: 'whole' };
const CAPABILITIES = { ...PUSH_CAPABILITIES, ...REPEAT, wallets: [], qrContent: 'text' };

const connector = operation<OpgFixture>('connector')({
  'declares pushes in kwanzas, queried by the id of the rail, sent once, and codes with a link of one dialect': {
    act: ({ connector, account }, dialect) => connector.capabilities('gpo', { ...account.settings, dialect }),
    steps: [
      { request: 'proxypay', expected: exactly({ ...CAPABILITIES, qr: 'single', deeplink: true }) },
      { request: 'vpos', expected: exactly({ ...CAPABILITIES, qr: 'none', deeplink: false }) },
    ],
  },
  'opens a client of pushes and a client of refunds': {
    act: ({ connector, clients }) => [connector.name, connector.kinds, Object.keys(clients), connector.keyOf],
    expected: ['opg', ['gpo'], ['gpo', 'refunds'], undefined],
  },
});

const HOSTS = {
  proxypay: ['api.sandbox.proxypay.co.ao', 'api.proxypay.co.ao'],
  vpos: ['api.vpos.ao', 'api.vpos.ao'],
} as const;

const hosts = DIALECTS.flatMap((dialect) => {
  const options = { dialects: [dialect], hosts: HOSTS[dialect], settings: { baseUrl: undefined } };
  return [
    ...hostCases<OpgFixture>('push', (fixture) => fixture.push(), { ...options, result: 'unknown' }),
    ...hostCases<OpgFixture>('probe', (fixture) => fixture.probe(), { ...options, result: 'wrong_host' }),
  ];
});

const probe = operation<OpgFixture>('probe', { dialects, call: (fixture) => fixture.probe() })({
  'returns ok if its impossible id is not found': { isUncertain: true, isLive: true, expected: { result: 'ok' } },
  'is one GET': { wire: ['GET /transactions/balcao-probe'] },
  'returns wrong_host for an answer of 200': { fault: 200, expected: { result: 'wrong_host' } },
  'returns wrong_secret for another token and does not show it': {
    answer: ({ book }) => (book.token = 'the next one'),
    expected: { result: 'wrong_secret', detail: /^(?!.*token-of-the-fake).*$/ },
  },
  'ignores a slash at the end of the base address': {
    act: (fixture) => fixture.with({ settings: { baseUrl: `${String(fixture.account.settings.baseUrl)}/` } }).push(),
    expected: { result: 'pending' },
  },
});

export const accountCases = [
  settings,
  secrets,
  connector,
  hosts,
  probe,
  probeCases<OpgFixture>({}, { 404: 'ok', garbage: 'ok' }, { dialects }),
].flat();
