// Cases of OPG queries: all spellings of statuses and codes, transactions of other orders, and Location headers.
import assert from 'node:assert/strict';
import { each, operation } from '../../contract.ts';
import { UNCERTAIN_TIMES, UNREADABLE_AMOUNTS, wireCases, type FaultyOperation } from '../../faults.ts';
import { OPG_BASES } from '../../opg.ts';
import { declined, unknown } from '../../orders.ts';
import { DIALECTS, type OpgFixture } from './fixture.ts';

const APPROVED = { result: 'approved' };
const PENDING = { result: 'pending', failureCode: null, providerRef: null };
const OTHER = { ...unknown('other_purchase'), providerRef: null };

const REASONS = {
  1000: 'rail_unavailable',
  2000: 'rail_unavailable',
  2001: 'insufficient_funds',
  2002: 'issuer_refused',
  2003: 'limit_exceeded',
  2004: 'timed_out',
  3000: 'customer_refused',
};

type Changes = Record<string, unknown>;

const reading = operation<OpgFixture>('query of an accepted push', {
  dialects: DIALECTS,
  setUp: (fixture) => fixture.decide(),
  answer: (fixture, changes) => fixture.rewrite(changes),
  call: (fixture) => fixture.query(),
})({
  'returns a failure for each rejection code, as text and as integer': {
    outcomes: Object.entries(REASONS).flatMap(([reason, failureCode]) =>
      [reason, Number(reason)].map((status_reason): [Changes, object] => [
        { status: 'rejected', status_reason },
        { ...declined(failureCode), occurredAt: new Date('2026-03-02T09:00:02.000Z'), details: { railReason: reason } },
      ]),
    ),
  },
  'returns issuer_refused for any other code, with the code in the details': {
    outcomes: [1, 2005, '4711'].map((status_reason): [Changes, object] => [
      { status: 'rejected', status_reason },
      { ...declined('issuer_refused'), details: { railReason: String(status_reason) } },
    ]),
  },
  'returns pending for a rejection code without the status': [
    [null, 'pending', 'reversed'].flatMap((status) =>
      [1000, 2000, 3000].map((status_reason) => ({ status, status_reason })),
    ),
    PENDING,
  ],
  'returns pending without a status and for an unknown one, which it keeps': {
    outcomes: [null, 'pending', 'reversed', 'ACCEPTED', 'toString'].map((status): [Changes, object] => [
      { status },
      { ...PENDING, ...(status && { details: { railStatus: status } }) },
    ]),
  },
  'returns pending for a rejection until it has a code': [
    [null, '', 'NO_FUNDS', {}].map((status_reason) => ({ status: 'rejected', status_reason })),
    PENDING,
    { isUncertain: true },
  ],
  'returns pending for an acceptance with a rejection code, and approved with another code': {
    isUncertain: true,
    outcomes: [
      [{ status_reason: 2001 }, PENDING],
      [{ status_reason: 1 }, APPROVED],
    ],
  },
  'returns the amount that was taken, not the amount that was ordered': {
    outcomes: [
      [{ amount: '1499.99' }, { ...APPROVED, amountMinor: 149_999 }],
      [{ amount: '20000000.00' }, { ...APPROVED, amountMinor: 2_000_000_000 }],
    ],
  },
  'reads an amount exactly as text and as number': {
    steps: ['"1500.00"', '"1500"', '1500', '1500.0', '1.5e3'].map((amount) => ({
      answer: ({ book }) => (book.write = (thing) => JSON.stringify(thing).replace('"1500.00"', amount)),
      expected: { ...APPROVED, amountMinor: 150_000 },
    })),
  },
  'returns unknown for unreadable amounts': [
    each('amount', UNREADABLE_AMOUNTS),
    { ...unknown('amount_unreadable'), amountMinor: null },
  ],
  'leaves out uncertain times': [each('status_datetime', UNCERTAIN_TIMES), { ...APPROVED, occurredAt: null }],
  'reads a time with an offset': [
    { status_datetime: '2022-05-25T19:25:39+01:00' },
    { occurredAt: new Date('2022-05-25T18:25:39.000Z') },
  ],
  'returns approved without a clearing period': {
    dialect: 'proxypay',
    isUncertain: true,
    outcomes: [
      [{ clearing_period: undefined }, { ...APPROVED, details: { clearingPeriod: undefined } }],
      [{ clearing_period: '156' }, { ...APPROVED, details: { clearingPeriod: '156' } }],
    ],
  },
  'keeps neither the phone nor the token': {
    steps: [{}, { status: 'rejected', status_reason: 2002 }, { status: 'odd' }].map((answer) => ({
      answer,
      act: async (fixture) => JSON.stringify(await fixture.query()),
      expected: /^(?!.*(900000000|token-of-the-fake)).*$/,
    })),
  },
  'recognises the terminal as integer, text and with zeros': [each('pos_id', [111, '111', '00111']), APPROVED],
  'returns unknown for the transaction of another terminal, decided or not': [
    [112, '1110', '', {}].flatMap((pos_id) => [{ pos_id }, { pos_id, status: null, status_reason: null }]),
    OTHER,
  ],
  'returns unknown for another type': [each('type', ['refund', 'authorization', 'cancelation', 'PAYMENT']), OTHER],
  'returns unknown for a missing field': [[{ pos_id: undefined }, { type: undefined }, { pos_id: null }], OTHER],
  'returns unknown for the scan of a code': [{ charge_id: '29fTRtkFaf8cQklRuHT99999999' }, OTHER],
  'returns unknown for the answer of another transaction and names it': [
    { id: 'of-another-order' },
    { ...OTHER, details: { reason: 'other_purchase', railId: 'of-another-order' } },
  ],
  'returns unknown for an odd id': [each('id', [null, '', '..', 'a/b', 'a b', 'x'.repeat(65)]), unknown('unreadable')],
  'follows a request that is done to its transaction in the same call': {
    dialect: 'vpos',
    expected: ({ railOrderId, transactionIds: [providerRef] }) => {
      assert.notEqual(railOrderId, providerRef);
      return { railOrderId, providerRef };
    },
    wire: ({ railOrderId, transactionIds: [id] }) => [`GET /requests/${railOrderId}`, `GET /transactions/${id}`],
  },
  'uses only the id of a Location, with any host': {
    dialect: 'vpos',
    answer: ({ book }) => (book.locate = (path) => `http://127.0.0.1:1/elsewhere${path}`),
    expected: APPROVED,
    wire: ({ railOrderId, transactionIds: [id] }) => [`GET /requests/${railOrderId}`, `GET /transactions/${id}`],
  },
  'returns unknown for a Location that cannot be read, without a further request': {
    dialect: 'vpos',
    steps: [null, '/api/v1/transactions/..', '/api/v1/requests/r1', 'http://127.0.0.1:1/'].map((location) => ({
      answer: ({ book }) => (book.locate = () => location),
    })),
    expected: unknown('location_unreadable'),
    wire: ({ railOrderId }) => [`GET /requests/${railOrderId}`],
  },
  'tries the id of a transaction if no request has it: notifications name transactions': {
    dialect: 'vpos',
    isUncertain: true,
    act: (fixture) => fixture.query({ railOrderId: fixture.transactionIds[0]! }),
    expected: ({ transactionIds: [providerRef] }) => ({ ...APPROVED, providerRef }),
    wire: ({ transactionIds: [id] }) => [`GET /requests/${id}`, `GET /transactions/${id}`],
  },
});

const running = operation<OpgFixture>('query of a running request', { call: (fixture) => fixture.query() })({
  'returns pending and queries no transaction': {
    dialect: 'vpos',
    steps: [
      { act: (fixture) => fixture.push() },
      { expected: { result: 'pending' }, wire: ({ railOrderId }) => [`GET /requests/${railOrderId}`] },
    ],
  },
});

const decided: FaultyOperation<OpgFixture> = {
  setUp: (fixture) => fixture.decide(),
  call: (fixture) => fixture.query(),
  expected: unknown,
  after: async (fixture) => assert.equal((await fixture.query()).result, 'approved'),
};

const faults = [
  ...DIALECTS.flatMap((dialect) =>
    wireCases<OpgFixture>('query of an accepted push', {
      ...decided,
      dialects: [dialect],
      where: { method: 'GET', path: `${OPG_BASES[dialect]}/transactions` },
      requests: dialect === 'vpos' ? 2 : 1,
    }),
  ),
  ...wireCases<OpgFixture>('query of a request', {
    ...decided,
    dialects: ['vpos'],
    where: { method: 'GET', path: `${OPG_BASES.vpos}/requests` },
    // vPOS answers 200 for a running request, and 404 for an unknown id.
    instead: { garbage: null, 404: null, 303: unknown('location_unreadable') },
  }),
];

export const readingCases = [...reading, ...running, ...faults];
