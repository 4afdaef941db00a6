// Cases of OPG pushes: the request, network faults, and the rail's decisions.
import { HOUR_MS } from '../../../../shared/durations.ts';
import assert from 'node:assert/strict';
import { each, exactly, match, operation } from '../../contract.ts';
import { INVALID_IDS, NO_OBJECTS, wireCases } from '../../faults.ts';
import { declined, REFUSED_TOKEN, unknown, unsupportedCases } from '../../orders.ts';
import { DIALECTS, POS_ID, TOKEN, UNSUPPORTED, type OpgFixture } from './fixture.ts';

const dialects = DIALECTS;
const LONG_ID = '177244920100000001';
const AMOUNTS = { '1.00': 100, '0.07': 7, '1500.50': 150_050, '10000000.00': 1_000_000_000 };
const INVALID_LOCATIONS = [
  null,
  '',
  '/',
  ...['', '/..', 'a%2Fb', 'x'.repeat(65), 'a?b=c'].map((id) => `/api/v1/requests/${id}`),
  '/api/v1/transactions/1',
];

const push = operation<OpgFixture>('push', { dialects, call: (fixture, changes) => fixture.push(changes) })({
  'is one POST with token, key and exactly the fields of the protocol': {
    request: { phone: '+244923456789', amountMinor: 12_345 },
    wire: ['POST /transactions'],
    sent: ({ order: { attemptId: key, notifyUrl: callback_url } }) => ({
      headers: { authorization: `Bearer ${TOKEN}`, 'idempotency-key': key, 'content-type': /^application\/json/ },
      body: exactly({ type: 'payment', pos_id: POS_ID, mobile: '923456789', amount: '123.45', callback_url }),
    }),
  },
  'writes kwanzas, cents and the highest amount exactly': {
    steps: Object.entries(AMOUNTS).map(([amount, amountMinor]) => ({
      request: { amountMinor },
      sent: { body: { amount } },
    })),
  },
  'sends a terminal of digits as an integer and recognises it in the answer': async (fixture) => {
    const digits = fixture.with({ settings: { posId: '000111' } });
    await digits.decide();
    assert.equal(fixture.lastBody['pos_id'], 111);
    match(await digits.query(), { result: 'approved' });
  },
  'returns pending with the id of the transaction': {
    dialect: 'proxypay',
    expected: ({ transactionIds: [railOrderId] }) => ({ result: 'pending', railOrderId, amountMinor: null }),
  },
  'returns pending with the id of the request': {
    dialect: 'vpos',
    expected: ({ book }) => ({ result: 'pending', railOrderId: [...book.requests.keys()][0] }),
  },
  'returns the decision that its own answer brings, or unknown for an amount that cannot be read': {
    dialect: 'proxypay',
    async run(fixture) {
      fixture.book.callsBackFirst = true;
      const { railOrderId, ...outcome } = await fixture.push();
      match(outcome, { result: 'approved', providerRef: railOrderId });
      match(await fixture.push({ phone: '+244900002001' }), declined('insufficient_funds'));
      fixture.rewrite({ amount: 'a lot' });
      match(await fixture.push(), { ...unknown('amount_unreadable', { railAmount: 'a lot' }), railOrderId: /./ });
    },
  },
  'returns pending for an answer with nothing but an id': {
    dialect: 'proxypay',
    answer: ({ book }) => (book.write = ({ id }) => ({ id })),
    expected: { result: 'pending', railOrderId: /./ },
  },
  'keeps every digit of an id that the answer has as a number': {
    dialect: 'proxypay',
    answer: ({ book }) => (book.write = (thing) => JSON.stringify(thing).replace(`"${thing.id}"`, LONG_ID)),
    steps: [{ expected: { railOrderId: LONG_ID } }, { act: (f) => f.query(), wire: [`GET /transactions/${LONG_ID}`] }],
  },
  'returns unknown for an answer without a transaction': {
    dialect: 'proxypay',
    steps: NO_OBJECTS.map((body) => ({ answer: ({ book }) => (book.write = () => body) })),
    expected: unknown('unreadable'),
  },
  'returns unknown for a Location that cannot be read': {
    dialect: 'vpos',
    steps: INVALID_LOCATIONS.map((location) => ({ answer: ({ book }) => (book.locate = () => location) })),
    expected: { ...unknown('location_unreadable'), railOrderId: null },
    wire: ['POST /transactions'],
  },
  'returns declined without a request for another wallet or currency': {
    requests: [{ wallet: 'unitel_money' }, { currency: 'USD' }],
    expected: UNSUPPORTED,
    wire: [],
  },
  'has the same bytes if its answer is lost and its key is sent again: one order where keys are kept, else two': async (
    fixture,
  ) => {
    for (const [replaysKeys, orders] of [
      [true, 1],
      [false, 3],
    ] as const) {
      fixture.book.replaysKeys = replaysKeys;
      fixture.fake.fault('drop_after');
      match(await fixture.push(), unknown('connection'));
      match(await fixture.query(), unknown('no_rail_id'));
      match(await fixture.with({}).send(), { railOrderId: /./ });
      assert.equal(fixture.book.transactions.size, orders);
      assert.equal(fixture.requests.at(-1)?.body, fixture.requests.at(-2)?.body);
    }
  },
  'is one order at the rail for the same key twice': {
    isUncertain: true,
    isLive: true,
    act: async (fixture) => [await fixture.push(), await fixture.send()],
    expected: ({ railOrderId }) => [{ railOrderId }, { railOrderId: /./ }],
  },
});

const faults = wireCases<OpgFixture>('push', {
  dialects,
  call: (fixture) => fixture.push(),
  countEffects: ({ book }) => book.transactions.size,
  expected: (reason) => ({ ...unknown(reason), railOrderId: null }),
  instead: {
    401: REFUSED_TOKEN,
    403: REFUSED_TOKEN,
    garbage: { result: 'unknown', details: { reason: /unreadable$/ } },
  },
});

const deciding = operation<OpgFixture>('push', { dialects, call: (fixture, phone) => fixture.pushAndWait({ phone }) })({
  'to the accepting test number returns approved with the amount': [
    '+244900000000',
    { result: 'approved', failureCode: null, providerRef: /^\S{1,64}$/, amountMinor: 150_000, currency: 'AOA' },
    { isLive: true },
  ],
  'to the refusing test number returns customer_refused': [
    '+244900003000',
    { ...declined('customer_refused'), providerRef: null, amountMinor: null },
    { isLive: true },
  ],
  'to the test number that times out returns timed_out': [
    '+244900002004',
    declined('timed_out'),
    { isLive: true, isUncertain: true },
  ],
});

const window = operation<OpgFixture>('query', { dialects, call: (fixture, changes) => fixture.query(changes) })({
  'returns pending until the window of the payer ends, then timed_out': {
    steps: [
      { act: (fixture) => fixture.push({ phone: '+244923456789' }) },
      { passMs: 89_000, expected: { result: 'pending' } },
      { passMs: 2_000, expected: declined('timed_out') },
    ],
  },
  'returns number, time by the rail’s clock and clearing period of an approval, and nothing else': async (fixture) => {
    await fixture.push();
    await fixture.pass(2_000);
    const [providerRef] = fixture.transactionIds;
    const ids = { railOrderId: fixture.railOrderId, providerRef, occurredAt: new Date('2026-03-02T09:00:02.000Z') };
    const money = { amountMinor: 150_000, currency: 'AOA', details: { clearingPeriod: '156' } };
    assert.deepEqual(await fixture.query(), { result: 'approved', failureCode: null, ...ids, ...money });
  },
  'returns the time of a rail whose clock is 36 hours slow': {
    steps: [
      { answer: ({ book }) => (book.skewMs = -36 * HOUR_MS), act: (fixture) => fixture.decide() },
      { expected: { occurredAt: new Date('2026-02-28T21:00:02.000Z') } },
    ],
  },
  'makes no request without an id that can stand in a path': {
    requests: each('railOrderId', INVALID_IDS),
    expected: { result: 'unknown', details: exactly({ reason: 'no_rail_id' }) },
    wire: [],
  },
  'returns unknown for an order that is not found': [
    { railOrderId: 'never-heard-of' },
    unknown('rail_refused', { httpStatus: '404' }),
  ],
});

export const pushCases = [
  unsupportedCases<OpgFixture>('acquirer_setup', dialects),
  push,
  faults,
  deciding,
  window,
].flat();
