// Cases of AppyPay accounts: settings, secrets, capabilities, tokens, hosts, and the credential test.
import { HOUR_MS } from '../../../../shared/durations.ts';
import assert from 'node:assert/strict';
import { each, exactly, match, operation, schema } from '../../contract.ts';
import { hostCases, INVALID_URLS, probeCases, wireCases } from '../../faults.ts';
import { CLOSED_PORT } from '../../fixture.ts';
import { PUSH_CAPABILITIES, REFUSED_TOKEN, unknown } from '../../orders.ts';
import { TOKENS, type AppyPayFixture } from './fixture.ts';

const KEY = 'b1edb3ed-2c3f-4b0c-8c2e-58b3a9f4f8c1';
const [GPO, REF, UMM] = ['GPO', 'REF', 'UMM'].map((kind) => `${kind}_${KEY}`);
const NO_URLS = ['login', ...INVALID_URLS.slice(0, 5)];
const REPEAT = { query: 'own_id', repeat: 'refused_if_known', refund: 'part' };
const CODES = { qr: 'multiple', qrContent: 'png', deeplink: false };
const { amounts, currencies } = PUSH_CAPABILITIES;
const ABILITIES = { ownDigits: true, withdraw: false, reopens: false, openAmount: true, repeated: true, query: true };
const REFERENCES = { kind: 'ppr', expiry: 'day', feed: 'window', ...ABILITIES };
const WALLET_AMOUNTS = { ...amounts, minMinor: 5_000 };

const settings = schema<AppyPayFixture>('settings')({
  'of a whole account are valid, and so are its secrets': {
    isLive: true,
    act: ({ connector, account }) => [
      connector.settings.parse(account.settings),
      connector.secrets.parse(account.secrets),
    ],
    expected: ({ account }) => [exactly(account.settings), exactly(account.secrets)],
  },
  'need a method': [{ methods: {} }, /^methods: .*gpo or umm for an account of kind gpo, ref for one of kind ppr/],
  'accept one payment method': [each('methods', [{ umm: UMM }, { ref: REF }]), ''],
  'refuse the key of another method': [{ methods: { gpo: REF } }, /^methods\.gpo: .*GPO_/],
  'refuse an unknown field': [{ posId: '1' }, /posId/],
  'refuse an unknown method': [{ methods: { gpo: GPO, sdd: 'SDD_1' } }, /sdd/],
  'refuse a resource that is no UUID': [{ resource: 'appypay' }, /^resource: .*UUID/],
  'accept https addresses and none': [{ baseUrl: undefined, tokenUrl: 'https://login.example/t' }, ''],
  'refuse another base address': [each('baseUrl', NO_URLS), /^baseUrl: .*http/],
  'refuse another token address': [each('tokenUrl', NO_URLS), /^tokenUrl: .*http/],
});

const secrets = schema<AppyPayFixture>('secrets')({
  'need a client secret': [{ clientSecret: undefined }, /^clientSecret: /],
  'refuse a client id with a space': [{ clientId: 'a b' }, /^clientId: .*without spaces/],
  'refuse a header without a value': [{ notificationHeader: { name: 'X-Key' } }, /^notificationHeader\.value: /],
  'refuse a header name with a space': [{ notificationHeader: { name: 'X Key', value: 'long-enough' } }, /header/i],
  'refuse a short header value': [{ notificationHeader: { name: 'X-Key', value: 'short' } }, /8 to 512/],
  'refuse an unknown field': [{ password: 'x' }, /password/],
});

const can = ({ connector, account }: AppyPayFixture, kind: 'gpo' | 'ppr', methods?: object) =>
  connector.capabilities(kind, { ...account.settings, ...(methods && { methods }) });

const declaring = operation<AppyPayFixture>('connector')({
  'declares pushes, codes for many payments and refunds of parts': {
    isLive: true,
    act: (fixture) => can(fixture, 'gpo'),
    expected: { ...PUSH_CAPABILITIES, ...REPEAT, ...CODES, walletAmounts: WALLET_AMOUNTS },
  },
  'declares Unitel Money for accounts with its key, and nothing for an account of references': {
    act: (fixture, methods) => can(fixture, 'gpo', methods),
    steps: [
      { request: { gpo: GPO, umm: UMM }, expected: { purchase: true, qr: 'multiple', wallets: ['unitel_money'] } },
      { request: { gpo: GPO }, expected: { purchase: true, qr: 'multiple', wallets: [] } },
      { request: { umm: UMM }, expected: { purchase: false, qr: 'none', wallets: ['unitel_money'] } },
      { request: { ref: REF }, expected: { purchase: false, qr: 'none', wallets: [] } },
    ],
  },
  'declares references with our digits, many in one call, without withdrawal': {
    isLive: true,
    act: (fixture) => can(fixture, 'ppr'),
    expected: exactly({ ...REFERENCES, amounts, currencies, bulk: 500, refund: 'none', refundRepeat: false }),
  },
  'declares no references without their key': {
    act: (fixture) => can(fixture, 'ppr', { gpo: GPO }),
    expected: { ownDigits: false, openAmount: false, query: false, bulk: 0 },
  },
  'opens the clients of the account’s kind without a request': ({ connector, account, fake }) => {
    assert.deepEqual(connector.kinds, ['gpo', 'ppr']);
    assert.deepEqual(Object.keys(connector.open({ ...account, kind: 'gpo' })), ['gpo', 'refunds', 'statement']);
    assert.deepEqual(Object.keys(connector.open({ ...account, kind: 'ppr' })), ['ppr', 'statement']);
    assert.equal(fake.requests.length, 0);
  },
  'names an attempt with 15 letters and digits, always the same and never those of another': {
    isLive: true,
    run({ connector: { keyOf } }) {
      const ids = Array.from({ length: 200 }, (_, nth) => `01980000-0000-7000-8000-${String(nth).padStart(12, '0')}`);
      const keys = ids.map((id) => keyOf!(id));
      assert.equal(new Set(keys.filter((key) => /^[0-9a-z]{15}$/.test(key))).size, 200);
      // Attempts in the database store these keys. A changed derivation of keys would lose these attempts.
      assert.deepEqual([keys[0], keyOf!(ids[7]!)], ['vx1g86etle5pieu', keys[7]]);
    },
  },
});

const probe = operation<AppyPayFixture>('probe', { call: (fixture, change) => fixture.with(change).probe() })({
  'returns ok for good credentials, with one token': {
    isLive: true,
    async run(fixture) {
      assert.deepEqual(await fixture.probe(), { result: 'ok' });
      if (fixture.server) assert.deepEqual([fixture.fake.requests.length, fixture.tokens], [1, 1]);
    },
  },
  'returns wrong_secret for another secret, client or resource, and shows no secret': [
    [{ secrets: { clientSecret: 'very-secret' } }, { secrets: { clientId: 'wrong' } }, { settings: { resource: 'x' } }],
    { result: 'wrong_secret', detail: /^(?!.*very-secret)[A-Z].*\.$/ },
  ],
  'returns no_connection if no host listens': [{ settings: { tokenUrl: CLOSED_PORT } }, { result: 'no_connection' }],
});

const NO_HOSTS = { tokenUrl: undefined, baseUrl: undefined };
const hosts = [
  ...hostCases<AppyPayFixture>('token', (fixture) => fixture.push(), {
    hosts: ['login.microsoftonline.com', 'login.microsoftonline.com'],
    settings: NO_HOSTS,
    result: 'unknown',
  }),
  ...hostCases<AppyPayFixture>('push', (fixture) => fixture.push(), {
    hosts: ['gwy-api-tst.appypay.co.ao', 'gwy-api.appypay.co.ao'],
    settings: { baseUrl: undefined },
    result: 'unknown',
    onlyTls: true,
  }),
];

const WRONG = { secrets: { clientSecret: 'very-secret' } };

const token = operation<AppyPayFixture>('token')({
  'is requested with a form and sent with every call': async (fixture) => {
    await fixture.push();
    const [request, call] = fixture.fake.requests;
    const { clientId: client_id, clientSecret: client_secret, resource } = fixture.book;
    const form = Object.fromEntries(new URLSearchParams(request?.body));
    assert.deepEqual(form, { grant_type: 'client_credentials', client_id, client_secret, resource });
    match(call?.headers, { authorization: /^Bearer token-/, 'accept-language': 'en' });
  },
  'is fetched once for concurrent calls': async (fixture) => {
    await Promise.all([1, 2, 3, 4].map(() => fixture.push()));
    assert.deepEqual([fixture.tokens, fixture.calls.length], [1, 4]);
  },
  'is not shared by two accounts': async (fixture) => {
    await fixture.push();
    await fixture.with({}).push();
    assert.equal(fixture.tokens, 2);
  },
  'whose lifetime is written as text is cached until 60 s before its expiry': async (fixture) => {
    for (const [passMs, tokens] of [0, 3_538_999, 1].map((ms, nth) => [ms, nth === 2 ? 2 : 1] as const)) {
      await fixture.pass(passMs);
      await fixture.push();
      assert.equal(fixture.tokens, tokens);
    }
  },
  'that is refused before its expiry is replaced for one more call, also after a clock was set back': async (
    fixture,
  ) => {
    await fixture.push();
    for (const [nth, passMs] of [0, -HOUR_MS].entries()) {
      await fixture.pass(passMs);
      fixture.book.tokens.clear();
      match(await fixture.push(), { result: 'pending' });
      assert.deepEqual(
        [fixture.tokens, fixture.calls.length, fixture.book.charges.length],
        [2 + nth, 3 + 2 * nth, 2 + nth],
      );
    }
  },
  'that is refused twice leaves the call unknown without a third try': async (fixture) => {
    fixture.fake.fault(401, { path: '/v2.0', times: 5 });
    match(await fixture.push(), { result: 'unknown', details: { httpStatus: '401' } });
    assert.deepEqual([fixture.tokens, fixture.calls.length], [2, 2]);
  },
  'of wrong credentials stops every operation before the API, and no outcome shows the secret': async (fixture) => {
    const { clients } = fixture.with(WRONG);
    const pushed = await clients.gpo.send(fixture.order);
    match(pushed, REFUSED_TOKEN);
    assert.doesNotMatch(JSON.stringify(pushed), /very-secret/);
    match(await fixture.with(WRONG).query(), unknown('token_refused'));
    match(await fixture.with(WRONG).createQrCode(), REFUSED_TOKEN);
    match(await fixture.with(WRONG).refund(), REFUSED_TOKEN);
    match(await fixture.with(WRONG).register(), { details: { reason: 'token_refused' } });
    match(await fixture.with(WRONG).listPayments(), { result: 'unknown' });
    assert.equal(fixture.calls.length, 0);
  },
  'that cannot be fetched leaves the push unreachable': async (fixture) => {
    match(await fixture.with({ settings: { tokenUrl: CLOSED_PORT } }).push(), unknown('unreachable'));
  },
});

const faults = wireCases<AppyPayFixture>('push after a faulty token request', {
  where: TOKENS,
  call: (fixture) => fixture.push(),
  requests: 0,
  // The token request reached its host, but no request reached the API.
  expected: () => unknown('unreachable'),
  instead: { unreachable: null, 400: REFUSED_TOKEN, 401: REFUSED_TOKEN, 403: REFUSED_TOKEN },
  after: async (fixture) => match(await fixture.push(), { result: 'pending' }),
});

export const accountCases = [
  settings,
  secrets,
  declaring,
  probe,
  hosts,
  token,
  faults,
  probeCases<AppyPayFixture>({}, { unreachable: null, 400: 'wrong_secret' }, { requests: 0 }),
].flat();
