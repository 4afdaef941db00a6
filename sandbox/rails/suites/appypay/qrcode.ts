// Cases of QR codes, which AppyPay returns as images, and of scans, which AppyPay lists as charges.
import assert from 'node:assert/strict';
import { PNG } from '../../appypay-page.ts';
import { writeStatus } from '../../appypay-book.ts';
import { exactly, match, operation } from '../../contract.ts';
import { until } from '../../fixture.ts';
import { declined, unknown } from '../../orders.ts';
import { type AppyPayFixture, faultsOf, NO_METHOD, QUERIES } from './fixture.ts';

const MANY = { maxTransactions: 20, type: 'STATIC' } as const;
const TOLD = { result: 'told', content: null };
const UNDRAWN = { ...unknown('content_unreadable'), content: null };
const encode = (text: string) => Buffer.from(text).toString('base64');
/** Returns a PNG image with this number of additional bytes. */
const draw = (bytes: number) => Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(bytes)]).toString('base64');

const code = operation<AppyPayFixture, any, string>('code', {
  answer: ({ book }, picture) => (book.picture = picture),
  call: (fixture, changes) => fixture.createQrCode(changes),
})({
  'is one POST with the key of Multicaixa Express and exactly the fields of the protocol': {
    wire: ['POST /qr-codes'],
    sent: ({ connector, code: { attemptId }, book }) => ({
      text: /"amount":250\.00,/,
      body: exactly({
        amount: 250,
        currency: 'AOA',
        merchantTransactionId: connector.keyOf?.(attemptId),
        paymentMethod: book.methods[0],
        description: 'Bilhete',
        qrCodeType: 'SINGLE',
      }),
    }),
  },
  'for many payments has bounds, and begins and ends with days of Luanda': {
    // The two expiry times in Luanda: 00:30 on the 5th, and midnight at the end of the 4th.
    steps: [
      ['2026-03-04T23:30:00Z', '2026-03-05'],
      ['2026-03-04T23:00:00Z', '2026-03-04'],
    ].map(([end, endDate]) => ({
      request: { ...MANY, endDate: new Date(end!) },
      sent: { body: { qrCodeType: 'MULTIPLE', minAmount: 250, maxTransactions: 20, startDate: '2026-03-02', endDate } },
    })),
  },
  'is an image without a text, a link or an expiry of its own': {
    expected: ({ book }) => ({
      result: 'made',
      content: `data:image/png;base64,${PNG}`,
      deeplink: null,
      endsAt: null,
      scans: [],
      railOrderId: book.qrCodes[0]?.id,
    }),
  },
  'has an image of up to 200 KiB': {
    outcomes: [
      [draw(150_000), { result: 'made' }],
      [draw(155_000), UNDRAWN],
      [draw(300_000), unknown('too_large')],
    ],
  },
  'is unknown if its image is no PNG': [
    [encode('<svg onload=alert(1)>'), encode('GIF89a'), `${PNG}\n`, `${PNG.slice(0, -2)}"x`, ' '],
    UNDRAWN,
  ],
  'has its reference as description if nothing of the description is left': {
    steps: [
      { request: { description: '…' }, sent: { body: { description: 'FT 1' } } },
      { request: { description: '…', reference: '//' }, sent: { body: { description: 'Pagamento' } } },
    ],
  },
  'is declined for the code of a refusal, and unknown for another code': {
    steps: [
      [206, declined('acquirer_setup')] as const,
      [201, declined('issuer_refused')] as const,
      ...[302, 999].map((number) => [number, { result: 'unknown', failureCode: null }] as const),
    ].map(([number, expected]) => ({ answer: ({ book }) => book.plans.push({ code: number }), expected })),
  },
  'whose answer is lost stays unknown, since the query returns no image': async (fixture) => {
    fixture.fake.fault('drop_after', { path: '/v2.0/qr-codes' });
    match(await fixture.createQrCode({ attemptId: 'q' }), { ...unknown('connection'), content: null });
    match(await fixture.createQrCode({ attemptId: 'q' }), { ...unknown('known_already'), content: null });
    match(await fixture.queryQrCode(), TOLD);
    assert.equal(fixture.book.qrCodes.length, 1);
  },
  'is declined without a request by an account without the key of Multicaixa Express': async (fixture) => {
    const methods = { umm: fixture.book.methods[2] };
    match(await fixture.with({ settings: { methods } }).createQrCode(), NO_METHOD);
    assert.equal(fixture.fake.requests.length, 0);
  },
});

const scans = operation<AppyPayFixture>('query of a code', {
  call: (fixture, changes) => fixture.queryQrCode(changes),
})({
  'returns no scans if it was never made': [{ attemptId: 'never' }, { ...TOLD, scans: [] }, { isUncertain: true }],
  'returns one scan for each approved charge': {
    isUncertain: true,
    answer: (fixture) => fixture.scan(2),
    expected: ({ book }) => {
      const money = { amountMinor: 250_00, currency: 'AOA', occurredAt: null };
      const details = { railTime: '2026-03-02T09:00:00.0005991' };
      return { ...TOLD, scans: book.charges.map(({ id: providerRef }) => ({ ...money, providerRef, details })) };
    },
  },
  'returns the taken amount of a scan, even if it exceeds the code’s amount': {
    isUncertain: true,
    async answer(fixture) {
      await fixture.scan(1);
      fixture.charge.amount = 300.5;
    },
    expected: { scans: [{ amountMinor: 300_50 }] },
  },
  'returns no refused scan and no charge of another order': {
    async answer(fixture) {
      await fixture.scan(3);
      const [refused, other] = fixture.book.charges;
      refused!.transactionEvents = [{ responseStatus: writeStatus(209) }];
      other!.merchantTransactionId = 'ofanother000001';
    },
    expected: ({ charge }) => ({ scans: [{ providerRef: charge.id }] }),
  },
  'returns unknown for an unreadable scan, with the other scans': {
    async answer(fixture) {
      await fixture.scan(2);
      fixture.book.charges[0]!.amount = '1.500,00';
    },
    expected: ({ charge }) => ({ scans: [{ providerRef: charge.id }], details: { reason: 'scan_unreadable' } }),
  },
  'returns the scans that it read before a page is lost': async (fixture) => {
    await fixture.scan(3);
    fixture.book.pageSize = 2;
    const query = fixture.queryQrCode();
    await until(() => fixture.calls.at(-1) === 'GET /charges');
    fixture.fake.fault('error_before', QUERIES);
    const { scans: read, ...outcome } = await query;
    match(outcome, unknown('rail_error'));
    assert.equal(read.length, 2);
  },
});

const faults = faultsOf('code', {
  where: { path: '/v2.0/qr-codes' },
  call: (fixture) => fixture.createQrCode(),
  countEffects: ({ book }) => book.qrCodes.length,
  expected: (reason) => ({ ...unknown(reason), content: null, railOrderId: null }),
  // Images of QR codes may be larger than 64 KiB.
  instead: { oversize: 'unreadable' },
});

export const qrCases = [...code, ...scans, ...faults];
