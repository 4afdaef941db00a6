// Cases of AppyPay's pushes: the request, network faults, and the codes, amounts and events of a charge.
import assert from 'node:assert/strict';
import { writeStatus, type FakeCharge } from '../../appypay-book.ts';
import { each, exactly, match, operation } from '../../contract.ts';
import { UNREADABLE_AMOUNTS } from '../../faults.ts';
import { declined, unknown, unsupportedCases } from '../../orders.ts';
import { addStatus, type AppyPayFixture, CHARGES, faultsOf, NO_METHOD, QUERIES } from './fixture.ts';

const attemptId = '0197f1f0-aaaa-7000-8000-000000000001';
const UNSUPPORTED = declined('issuer_refused', 'unsupported');
const AMOUNTS = { '1500.00': 1500_00, '1.00': 100, '9999999.99': 9_999_999_99, '0.29': 29 };

const push = operation<AppyPayFixture>('push', { call: (fixture, changes) => fixture.push(changes) })({
  'is one POST that does not wait for the payer, with our key and exactly the fields of the protocol': {
    expected: ({ charge: { id } }) => ({ result: 'pending', failureCode: null, railOrderId: id, providerRef: null }),
    wire: ['POST /charges'],
    sent: ({ connector, order, book }) => ({
      headers: { accept: 'application/vnd.appypay.asyncapi+json', 'content-type': 'application/json' },
      body: exactly({
        amount: 1500,
        currency: 'AOA',
        merchantTransactionId: connector.keyOf?.(order.attemptId),
        paymentMethod: book.methods[0],
        paymentInfo: { phoneNumber: '923456789' },
      }),
    }),
  },
  'is queried by the id of the rail': {
    isLive: true,
    async run(fixture) {
      const { railOrderId } = await fixture.push({ amountMinor: 100_00 });
      assert.ok(railOrderId);
      match(await fixture.query(), { railOrderId, result: /^(pending|declined|approved)$/ });
    },
  },
  'writes an amount as a number with both decimals': {
    steps: Object.entries(AMOUNTS).map(([text, amountMinor]) => ({
      request: { amountMinor },
      sent: { text: new RegExp(`"amount":${text},`) },
    })),
  },
  'has a description without special characters': {
    isUncertain: true,
    request: { description: ' Propina de Março/2026 – 2.ª via (João) ' },
    sent: { body: { description: 'Propina de Marco 2026 2 via Joao' } },
    expected: { result: 'pending' },
  },
  'leaves out an empty description, and options': {
    request: { description: '«»!' },
    sent: { body: { description: undefined, options: undefined, notify: undefined } },
  },
  'names the method of its wallet': async (fixture) => {
    const [gpo, , umm] = fixture.book.methods;
    await fixture.push({ wallet: 'unitel_money', amountMinor: 50_00 });
    assert.equal(fixture.lastBody['paymentMethod'], umm);
    await fixture.push();
    assert.equal(fixture.lastBody['paymentMethod'], gpo);
  },
  'is declined without a request below 50 AOA of Unitel Money, and for an unknown wallet or one without its key':
    async (fixture) => {
      const [gpo, , umm] = fixture.book.methods;
      const wallet = 'unitel_money';
      const withMethods = (methods: object) => fixture.with({ settings: { methods } });
      match(await fixture.push({ wallet, amountMinor: 49_99 }), declined('issuer_refused', 'amount_too_low'));
      match(await fixture.push({ wallet: 'afrimoney' }), UNSUPPORTED);
      match([await withMethods({ gpo }).push({ wallet }), await withMethods({ umm }).push()], [NO_METHOD, NO_METHOD]);
      assert.equal(fixture.fake.requests.length, 0);
    },
  'that is sent twice is one charge, refused as known and found by our key': async (fixture) => {
    const { railOrderId } = await fixture.push({ attemptId });
    match(await fixture.push({ attemptId }), unknown('known_already', { railCode: '726' }));
    assert.equal(fixture.book.charges.length, 1);
    match(await fixture.query({ railOrderId: null }), { result: 'pending', railOrderId });
  },
  'is declined by an immediate refusal with HTTP 200, and no outcome contains the phone': {
    answer: ({ book }) => book.plans.push({ code: 200, reason: 'EPMS_907' }),
    expected: ({ charge }) => ({
      ...declined('number_not_active'),
      railOrderId: charge.id,
      details: exactly({ railCode: '200', railStatus: 'Failed', railReason: 'EPMS_907', railSource: 'GPO' }),
    }),
  },
  'stays pending after an immediate approval without an amount, until the query': async (fixture) => {
    fixture.book.plans.push({ code: 100 });
    match(await fixture.push(), { result: 'pending', amountMinor: null, providerRef: null });
    match(await fixture.query(), { result: 'approved', amountMinor: 1500_00 });
  },
  'is pending after a system failure in its answer': {
    answer: ({ book }) => book.plans.push({ code: 405 }),
    expected: { result: 'pending', failureCode: null, railOrderId: /./ },
  },
  'is unknown if refused': [
    { phone: '+351912345678' },
    unknown('rail_refused', { httpStatus: '400', railCode: '717' }),
  ],
  'is unknown for HTTP 400 even with the code of a refusal': {
    answer: ({ book }) => (book.methods = []),
    expected: { result: 'unknown', details: { railCode: '206' } },
  },
});

const DECLINED: Record<string, number[]> = {
  customer_refused: [231, 219, 239],
  insufficient_funds: [209, 225, 203, 204],
  limit_exceeded: [213, 215, 216, 224, 202],
  timed_out: [210, 211],
  number_not_active: [233, 242],
  issuer_refused: [201, 212, 214, 220, 221, 222, 223, 227, 228, 229],
  acquirer_setup: [206, 208, 217, 230, 404, 412, 440],
};

const FAILED_THERE = [
  [301, 302, 306, 308, 402, 403, 405, 406, 407, 408, 410, 411, 900, 901],
  [246, 247, 248, 309, 310, 311, 312, 313, 314, 315, 316, 317, 413, 414, 415, 416, 417, 418],
].flat();

const APPROVED = { result: 'approved' };
const PENDING = { result: 'pending' };
const DISBELIEVED = unknown('status_contradicted');

/** The fake's answer is the status code of the charge's last event, with an optional reason. */
const reading = operation<AppyPayFixture, Date, number | readonly [number, string]>('query of a charge', {
  setUp: (fixture) => fixture.push(),
  answer({ charge }, status) {
    const [code, reason] = typeof status === 'number' ? [status] : status;
    addStatus(charge, writeStatus(code, reason));
  },
  call: (fixture, sentAt = fixture.now) => fixture.query({ sentAt }),
})({
  'returns the failure of each refusal code': {
    outcomes: Object.entries(DECLINED).flatMap(([failureCode, codes]) =>
      codes.map((code) => {
        const outcome = { ...declined(failureCode), providerRef: null, amountMinor: null };
        return [code, { ...outcome, details: { railCode: String(code) } }] as const;
      }),
    ),
  },
  'returns number_not_active for code 200 only with the reason EPMS_907': {
    outcomes: [
      [[200, 'EPMS_907'], declined('number_not_active')],
      [[200, 'EPMS_101'], declined('issuer_refused')],
      [200, declined('issuer_refused')],
    ],
  },
  'reads the codes of Unitel Money, some of which are undocumented': {
    isUncertain: true,
    outcomes: [
      [238, declined('timed_out')],
      [243, declined('issuer_refused')],
      ...[240, 244].map((code) => [code, unknown('code_unknown', { railCode: String(code) })] as const),
    ],
  },
  'returns pending for the codes of a waiting charge': [[101, 102, 319], PENDING],
  'returns unknown for unknown codes': [[-1, 999, 103], unknown('code_unknown')],
  'returns pending for a system failure until 95 s have passed, then rail_unavailable': async (fixture) => {
    const sentAt = fixture.now;
    const ask = (code: number) => (addStatus(fixture.charge, writeStatus(code)), fixture.query({ sentAt }));
    for (const code of FAILED_THERE) match(await ask(code), PENDING);
    await fixture.pass(94_999);
    match(await ask(301), PENDING);
    await fixture.pass(1);
    for (const code of FAILED_THERE) {
      match(await ask(code), { ...declined('rail_unavailable'), details: { railCode: String(code) } });
    }
  },
  'returns pending if the clock was set back': {
    request: new Date('2026-03-02T10:00:00.000Z'),
    answer: 302,
    expected: PENDING,
  },
  'follows the code, not the status text or the message': async (fixture) => {
    addStatus(fixture.charge, { ...writeStatus(231), status: 'Success', message: 'Operação realizada com sucesso' });
    match(await fixture.query(), declined('customer_refused'));
    fixture.charge.transactionEvents = [];
    addStatus(fixture.charge, { ...writeStatus(100), status: 'Failed', message: 'O cliente recusou' });
    match(await fixture.query(), APPROVED);
  },
  'returns unknown for a code that its own flag contradicts': {
    isUncertain: true,
    steps: [100, 231].map((code) => ({
      answer: ({ charge }) =>
        (charge.transactionEvents = [{ responseStatus: { ...writeStatus(code), successful: code !== 100 } }]),
      expected: DISBELIEVED,
    })),
  },
  'follows the last event': [
    ({ charge }) => [319, 302, 100].forEach((code) => addStatus(charge, writeStatus(code))),
    APPROVED,
  ],
  'returns unknown for a refusal after an approval, since a refund’s event may look equal': {
    isUncertain: true,
    async answer(fixture) {
      await fixture.press(fixture.railOrderId!, 'approve');
      await fixture.press(fixture.railOrderId!, 'refuse');
    },
    expected: DISBELIEVED,
  },
  'returns pending for a charge without events': [
    ({ charge }) => (charge.transactionEvents = []),
    { ...PENDING, details: { reason: 'no_events' } },
    { isUncertain: true },
  ],
  'returns unknown if the page is empty but counts charges': {
    act: (fixture) => fixture.query({ railOrderId: null }),
    answer: ({ book }) => (book.pageSize = 0),
    expected: { result: 'unknown', railOrderId: null },
  },
});

const approved = operation<AppyPayFixture, string, Partial<FakeCharge>>('query of an approved charge', {
  setUp: (fixture) => fixture.decide('approve'),
  answer: ({ charge }, changes) => Object.assign(charge, changes),
  call: (fixture) => fixture.query(),
})({
  'returns the taken amount, by the rail’s id': {
    expected: ({ railOrderId }) => {
      const money = { providerRef: railOrderId, railOrderId, amountMinor: 1500_00, currency: 'AOA' };
      return { ...APPROVED, failureCode: null, ...money, details: { providerTransactionId: 'P2' } };
    },
  },
  'keeps a time without a zone as text only': {
    isUncertain: true,
    expected: { occurredAt: null, details: { railTime: '2026-03-02T09:00:00.0005991' } },
  },
  'returns the same by the rail’s id and by our key': async (fixture) => {
    const byTheirs = await fixture.query();
    assert.equal(fixture.calls.at(-1), `GET /charges/${fixture.railOrderId}`);
    assert.deepEqual(await fixture.query({ railOrderId: null }), byTheirs);
    const { path, query } = fixture.requests.at(-1)!;
    const merchantTransactionId = fixture.connector.keyOf?.(fixture.order.attemptId);
    assert.deepEqual([path, Object.fromEntries(query)], ['/charges', { merchantTransactionId, limit: '1' }]);
  },
  'returns the taken amount and currency without the fee, even if they differ': {
    outcomes: [
      [{ amount: 1499.99 }, { ...APPROVED, amountMinor: 1499_99 }],
      [
        { amount: 1500, currency: 'USD' },
        { ...APPROVED, amountMinor: 1500_00, currency: 'USD' },
      ],
    ],
  },
  'returns unknown for an amount that cannot be read': [
    each('amount', [...UNREADABLE_AMOUNTS, '-5', '12.345']) as Partial<FakeCharge>[],
    { ...unknown('amount_unreadable'), amountMinor: null },
  ],
  'reads numbers that are text': [({ book }) => (book.writesText = true), { ...APPROVED, amountMinor: 1500_00 }],
  'returns unknown for the charge of another order': [
    { merchantTransactionId: 'ofanother000001' },
    { ...unknown('other_charge'), providerRef: null },
  ],
  'returns unknown for a query about another attempt': {
    act: (fixture) => fixture.query({ attemptId }),
    expected: unknown('other_charge'),
  },
  'puts any id into one segment of the path': {
    act: (fixture) => fixture.query({ railOrderId: '../x?y=1' }),
    wire: ['GET /charges/..%2Fx%3Fy%3D1'],
  },
});

const absent = operation<AppyPayFixture>('query of an unknown attempt', { call: (fixture) => fixture.query() })({
  'returns not_found for an empty list': {
    isUncertain: true,
    isLive: true,
    expected: { result: 'not_found', failureCode: null, railOrderId: null },
  },
});

const faults = [
  ...faultsOf('push', {
    where: CHARGES,
    call: (fixture) => fixture.push(),
    countEffects: ({ book }) => book.charges.length,
    expected: (reason) => ({ ...unknown(reason), railOrderId: null }),
    after: async (fixture, { hasEffect }) =>
      match(await fixture.query(), { result: hasEffect ? 'pending' : 'not_found' }),
  }),
  ...[true, false].flatMap((isById) =>
    faultsOf(`query by ${isById ? 'the rail’s id' : 'our key'}`, {
      setUp: (fixture) => fixture.decide('approve'),
      where: QUERIES,
      call: (fixture) => fixture.query(isById ? {} : { railOrderId: null }),
      // Lists of charges may be larger than 64 KiB.
      instead: { ...(!isById && { oversize: 'unreadable' }) },
      after: async (fixture) => match(await fixture.query(), APPROVED),
    }),
  ),
];

export const pushCases = [
  unsupportedCases<AppyPayFixture>('issuer_refused'),
  push,
  reading,
  approved,
  absent,
  faults,
].flat();
