// Cases of QR codes: ProxyPay's charges with a link that opens the app, and the single scan of a charge.
import assert from 'node:assert/strict';
import { each, exactly, match, operation } from '../../contract.ts';
import { INVALID_IDS, wireCases } from '../../faults.ts';
import { OPG_CODE_LIFE_MS } from '../../opg-book.ts';
import { REFUSED_TOKEN, unknown } from '../../orders.ts';
import { POS_ID, UNSUPPORTED, type OpgFixture } from './fixture.ts';

const dialects = ['proxypay'];
const MADE = { result: 'made', failureCode: null };
const UNREADABLE_SCAN = { ...MADE, scans: [], details: { reason: 'scan_unreadable' } };
const NO_SCAN = { ...MADE, scans: [], details: { reason: undefined } };

const SCHEMES = ['http', 'javascript', 'data', 'file', 'blob', 'vbscript', 'ws', 'JavaScript', 'HTTPS'];
const NO_LINKS = ['javascript:alert(1)', 'data:text/html,x', '//rail.example', 'pay', '', 'mcx://a b', 'mcx://"', 17];
const LINKS = ['multicaixa://pay?x=1&y=%20', 'ao.mcx-express+v2://p/1', 'https://mcx.example/p#1'];
const [LINK, REDIRECT] = ['https://rail.example/a', 'https://rail.example/b'];

const making = operation<OpgFixture>('code', {
  dialects,
  answer: (fixture, changes) => fixture.rewrite(changes),
  call: (fixture, changes) => fixture.createQrCode(changes),
})({
  'is one POST with token, key and exactly the fields of the protocol': {
    wire: ['POST /charges'],
    sent: ({ code: { attemptId: key, notifyUrl: callback_url } }) => ({
      headers: { 'idempotency-key': key, authorization: /^Bearer / },
      body: exactly({ pos_id: POS_ID, amount: '1500.00', callback_url }),
    }),
  },
  'has the text, link, expiry and id of the rail': {
    expected: ({ railOrderId: id, now }) => {
      const texts = { railOrderId: id, scans: [], content: `000201MCX${id}`, deeplink: `multicaixa://pay/${id}` };
      return { ...MADE, ...texts, endsAt: new Date(now.getTime() + OPG_CODE_LIFE_MS) };
    },
  },
  'is drawn from qrref': {
    isUncertain: true,
    isLive: true,
    expected: { result: 'made', content: /./, deeplink: /./, railOrderId: /./ },
  },
  'keeps every digit of a text that the answer has as a number': [
    ({ book }: OpgFixture) =>
      (book.write = (thing) => JSON.stringify(thing).replace(/"qrref":"[^"]+"/, '"qrref":12345678901234567890')),
    { content: '12345678901234567890' },
  ],
  'is unknown without a text that can be drawn, but can be queried': [
    each('qrref', [undefined, null, '', 'x'.repeat(513), 'a\nb', {}]),
    { ...unknown('content_unreadable'), content: null, railOrderId: /./ },
  ],
  'has the app’s own link before the redirecting one': {
    outcomes: [
      [{ deeplink: LINK, deeplink_redirect: REDIRECT }, { deeplink: LINK }],
      [{ deeplink: null, deeplink_redirect: REDIRECT }, { deeplink: REDIRECT }],
    ],
  },
  'is made without a link that opens no app': [
    [...SCHEMES.map((scheme) => `${scheme}://%0aalert(1)`), ...NO_LINKS, 'mcx://<script>'].map((deeplink) => ({
      deeplink,
      deeplink_redirect: null,
    })),
    { ...MADE, deeplink: null },
  ],
  'keeps https and app links': { outcomes: LINKS.map((deeplink) => [{ deeplink }, { deeplink }] as const) },
  'omits an expiry without a zone': [{ expires_at: '2026-03-02T09:15:00' }, { ...MADE, endsAt: null }],
  'can be unsupported': { requests: [{ currency: 'USD' }, { maxTransactions: 2 }], expected: UNSUPPORTED, wire: [] },
  'is declined without a request, and so is its query': {
    dialect: 'vpos',
    steps: [{}, { act: (fixture) => fixture.queryQrCode({ railOrderId: 'c-1' }) }],
    expected: UNSUPPORTED,
    wire: [],
  },
  'waits at most ten seconds, even if the account’s timeout is longer': async (fixture) => {
    fixture.fake.fault('hang');
    const slow = fixture.with({ timeoutMs: 60_000 });
    match(await slow.outwait(() => slow.createQrCode(), 10_000), unknown('timeout'));
  },
  'is one code at the rail for the same key twice': {
    isUncertain: true,
    isLive: true,
    act: async (fixture) => [await fixture.createQrCode(), await fixture.clients.gpo.createQrCode(fixture.code)],
    expected: ({ railOrderId }) => [{ railOrderId: /./ }, { railOrderId }],
  },
});

const query = operation<OpgFixture>('query of a code', {
  dialects,
  setUp: (fixture) => fixture.createQrCode(),
  answer: (fixture, changes) => fixture.rewrite(changes),
  call: (fixture, changes) => fixture.queryQrCode(changes),
})({
  'returns no scan of an active code, without a further request': {
    expected: ({ railOrderId }) => ({ ...NO_SCAN, railOrderId }),
    wire: ({ railOrderId }) => [`GET /charges/${railOrderId}`],
  },
  'returns the scan of a used code as the rail’s transaction has it': async (fixture) => {
    const { id: providerRef, status_datetime } = (await fixture.scan('accepted'))!;
    const money = { providerRef, amountMinor: 150_000, currency: 'AOA', occurredAt: new Date(status_datetime!) };
    const scans = [exactly({ ...money, details: { clearingPeriod: '156' } })];
    match(await fixture.queryQrCode(), { ...MADE, content: `000201MCX${fixture.railOrderId}`, scans });
    assert.equal(fixture.calls.at(-1), `GET /transactions/${providerRef}`);
  },
  'returns no scan that was refused, and the code can still be paid once': async (fixture) => {
    await fixture.scan('rejected', 2001);
    match(await fixture.queryQrCode(), NO_SCAN);
    await fixture.scan('accepted');
    assert.equal((await fixture.queryQrCode()).scans.length, 1);
    assert.equal(await fixture.scan('accepted'), null);
  },
  'returns no scan that is not decided': {
    answer: async (fixture) => ((await fixture.scan('accepted'))!.status = null),
    expected: NO_SCAN,
  },
  'returns expired': { passMs: OPG_CODE_LIFE_MS, expected: { ...MADE, scans: [], details: { railStatus: 'expired' } } },
  'returns unknown for another code': [
    { id: 'another' },
    ({ railOrderId }) => ({ ...unknown('other_qrcode'), railOrderId }),
  ],
  'makes no request without an id that can stand in a path': {
    requests: each('railOrderId', INVALID_IDS),
    expected: { result: 'unknown', details: exactly({ reason: 'no_rail_id' }) },
    wire: [],
  },
});

const scanned = operation<OpgFixture>('query of a scanned code', {
  dialects,
  async setUp(fixture) {
    await fixture.createQrCode();
    await fixture.scan('accepted');
  },
  answer: (fixture, changes) => fixture.rewrite(changes),
  call: (fixture) => fixture.queryQrCode(),
})({
  'returns the amount that was taken': [{ amount: '1600.50' }, { scans: [{ amountMinor: 160_050 }] }],
  'returns no scan of another code, of another terminal or of a refund': {
    steps: [{ charge_id: 'another' }, { pos_id: 112 }, { type: 'refund' }].map((changes) => ({
      answer: ({ book }) => (book.write = (thing) => ('qrref' in thing ? thing : { ...thing, ...changes })),
      expected: UNREADABLE_SCAN,
    })),
  },
  'returns a scan whose transaction has no charge id': [
    { charge_id: null },
    { ...MADE, scans: [{ amountMinor: 150_000 }] },
    { isUncertain: true },
  ],
  'returns unknown for a used code without a readable transaction id': [
    each('transaction_id', [null, 'a/b', {}]),
    UNREADABLE_SCAN,
    { isUncertain: true },
  ],
  'returns unknown for an unknown status, with the scan': [
    ({ book }: OpgFixture) => (book.write = (thing) => ('qrref' in thing ? { ...thing, status: 'frozen' } : thing)),
    ({ transactionIds: [providerRef] }) => ({ ...unknown('status_unknown'), scans: [{ providerRef }] }),
  ],
});

const faults = [
  ...wireCases<OpgFixture>('code', {
    dialects,
    call: (fixture) => fixture.createQrCode(),
    countEffects: ({ book }) => book.charges.size,
    expected: (reason) => ({ ...unknown(reason), railOrderId: null, content: null }),
    instead: { 401: REFUSED_TOKEN, 403: REFUSED_TOKEN },
  }),
  ...wireCases<OpgFixture>('query of a code', {
    dialects,
    setUp: (fixture) => fixture.createQrCode(),
    call: (fixture) => fixture.queryQrCode(),
    expected: (reason) => ({ ...unknown(reason), scans: [] }),
    after: async (fixture) => match(await fixture.queryQrCode(), MADE),
  }),
  ...wireCases<OpgFixture>('query of a code with a faulty scan', {
    dialects,
    async setUp(fixture) {
      await fixture.createQrCode();
      await fixture.scan('accepted');
    },
    where: { path: '/opg/v1/transactions' },
    call: (fixture) => fixture.queryQrCode(),
    requests: 2,
    expected: () => UNREADABLE_SCAN,
    instead: { unreachable: null },
    after: async (fixture) => assert.equal((await fixture.queryQrCode()).scans.length, 1),
  }),
];

export const qrCases = [...making, ...query, ...scanned, ...faults];
