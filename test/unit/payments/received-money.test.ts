// The rules for received money and for the circuit breaker of a rail account, without a database.
import { describe, expect, test } from 'vitest';
import type { Payment } from '../../../server/payments/core/entities.ts';
import {
  acceptAny,
  mayReport,
  isResolved,
  acceptOnce,
  acceptUpToMax,
  viaOf,
  type ReceivedFunds,
} from '../../../server/payments/core/record-transaction.ts';
import { addFlag } from '../../../server/payments/core/attention.ts';
import { noteOutcome } from '../../../server/payments/core/submit.ts';
import type { PaymentStatus } from '../../../shared/status.ts';

type Received = Partial<Pick<Payment, 'amountMinor' | 'amountPaidMinor' | 'acceptedCount' | 'maxTransactions'>>;

const paymentOf = (status: PaymentStatus, change: Received = {}) =>
  ({ status, currency: 'AOA', amountMinor: 100, amountPaidMinor: 0, acceptedCount: 0, ...change }) as Payment;
const fundsOf = (amountMinor: number, currency = 'AOA') => ({ amountMinor, currency }) as ReceivedFunds;

describe('a payment that accepts one transaction', () => {
  test.each<[PaymentStatus, number, number, string | null, boolean, boolean]>([
    ['Pending', 0, 100, null, true, false],
    ['Pending', 0, 99, 'amount_mismatch', false, false],
    ['Pending', 0, 101, 'overpaid', true, false],
    ['Pending', 60, 40, null, true, false],
    ['Pending', 60, 39, 'amount_mismatch', false, false],
    ['Pending', 60, 41, 'overpaid', true, false],
    ['Processing', 0, 100, null, true, false],
    ['Expired', 0, 100, null, true, true],
    ['Canceled', 0, 100, null, true, true],
    ['Failed', 0, 99, 'amount_mismatch', false, true],
    ['Paid', 100, 1, 'overpaid', false, false],
  ])(
    'that is %s with %i paid receives %i more: flag %s, becomes Paid %s, late %s',
    (status, paid, more, ...verdict) => {
      const [flag, approves, late] = verdict;
      const payment = paymentOf(status, { amountPaidMinor: paid });
      expect(acceptOnce.judge(payment, fundsOf(more))).toEqual({ flag, approves, late });
    },
  );

  test('does not add received money in another currency', () => {
    expect(acceptOnce.judge(paymentOf('Pending'), fundsOf(100, 'USD'))).toEqual({
      flag: 'amount_mismatch',
      approves: false,
      late: false,
    });
    const paid = paymentOf('Paid', { amountPaidMinor: 100 });
    expect(acceptOnce.judge(paid, fundsOf(1, 'USD'))).toEqual({ flag: 'overpaid', approves: false, late: false });
  });
});

describe('a QR code for at most two payments', () => {
  test.each<[PaymentStatus, number, number, string | null, boolean, boolean, number]>([
    ['Pending', 0, 100, null, false, false, 1],
    ['Pending', 0, 99, 'amount_mismatch', false, false, 0],
    ['Pending', 0, 101, 'overpaid', false, false, 1],
    ['Pending', 1, 100, null, true, false, 2],
    ['Pending', 1, 99, 'amount_mismatch', false, false, 1],
    ['Pending', 1, 101, 'overpaid', true, false, 2],
    ['Expired', 0, 100, null, true, true, 1],
    ['Expired', 0, 99, 'amount_mismatch', false, true, 0],
    ['Expired', 2, 100, 'overpaid', true, true, 3],
    ['Paid', 1, 100, null, false, true, 2],
    ['Paid', 2, 100, 'overpaid', false, false, 3],
    ['Paid', 2, 99, 'amount_mismatch', false, false, 2],
  ])(
    'that is %s after %i payments receives %i more: flag %s, becomes Paid %s, late %s, %i payments',
    (status, count, more, ...verdict) => {
      const [flag, approves, late, acceptedCount] = verdict;
      const payment = paymentOf(status, { acceptedCount: count, maxTransactions: 2 });
      expect(acceptUpToMax.judge(payment, fundsOf(more))).toEqual({ flag, approves, late, acceptedCount });
    },
  );

  test('accepts one payment if it names no maximum', () => {
    expect(acceptUpToMax.judge(paymentOf('Pending'), fundsOf(100))).toMatchObject({ flag: null, approves: true });
    const paid = paymentOf('Paid', { acceptedCount: 1 });
    expect(acceptUpToMax.judge(paid, fundsOf(100))).toMatchObject({ flag: 'overpaid', late: false });
  });
});

describe('a reference for any number of payments', () => {
  test.each<[PaymentStatus, number, string | null, boolean, number]>([
    ['Pending', 100, null, true, 3],
    ['Pending', 99, 'amount_mismatch', false, 2],
    ['Pending', 101, 'overpaid', true, 3],
    ['Paid', 100, null, false, 3],
    ['Paid', 101, 'overpaid', false, 3],
  ])('that is %s receives %i: flag %s, becomes Paid %s, %i payments', (status, more, flag, approves, acceptedCount) => {
    for (const late of [true, false])
      expect(acceptAny(late).judge(paymentOf(status, { acceptedCount: 2 }), fundsOf(more))).toEqual({
        flag,
        approves,
        late,
        acceptedCount,
      });
  });

  test.each([
    [1, 'AOA', null, true, 1],
    [0, 'AOA', 'amount_mismatch', false, 0],
    [1, 'USD', 'amount_mismatch', false, 0],
  ])('accepts any sum above 0 for an open amount: %i %s', (more, currency, flag, approves, acceptedCount) => {
    const open = paymentOf('Pending', { amountMinor: 0 });
    expect(acceptAny(false).judge(open, fundsOf(more, currency))).toEqual({
      flag,
      approves,
      late: false,
      acceptedCount,
    });
  });
});

test('only payments that accept several transactions record an event for each transaction', () => {
  expect([acceptOnce, acceptUpToMax, acceptAny(false)].map(({ hasEventEach }) => hasEventEach)).toEqual([
    false,
    true,
    true,
  ]);
});

describe('addFlag', () => {
  test.each([
    [[], null, []],
    [['overpaid'], null, ['overpaid']],
    [[], 'overpaid', ['overpaid']],
    [['overpaid'], 'overpaid', ['overpaid']],
    [['overpaid'], 'amount_mismatch', ['overpaid', 'amount_mismatch']],
  ])('adds to the flags %j the flag %s at most once', (flags, flag, expected) => {
    expect(addFlag({ flags }, flag)).toEqual(expected);
  });
});

describe('the source of an outcome', () => {
  const attempt = { rail: 'one', kind: 'purchase' } as const;

  test.each([
    ['poll', true],
    [{ via: 'notification', rail: 'one' }, true],
    [{ via: 'notification', rail: 'one', kind: 'purchase' }, true],
    [{ via: 'notification', rail: 'one', kind: 'void' }, false],
    [{ via: 'notification', rail: 'two', kind: 'purchase' }, false],
    [{ via: 'notification', rail: 'two' }, false],
  ] as const)('%j may report on a purchase of account one: %s', (from, expected) => {
    expect(mayReport(attempt, from)).toBe(expected);
  });

  test('is reduced to its kind, such as `poll`, if it also names the rail', () => {
    expect([viaOf('sync'), viaOf({ via: 'poll', rail: 'one' })]).toEqual(['sync', 'poll']);
  });
});

test.each([
  ['Unsent', false],
  ['Unreached', false],
  ['Sent', false],
  ['Approved', true],
  ['Declined', true],
] as const)('an attempt that is %s is resolved: %s', (status, expected) => {
  expect(isResolved({ status })).toBe(expected);
});

describe('the circuit breaker of a rail account', () => {
  test.each([
    ['approved', null, undefined, 'answered'],
    ['declined', 'issuer_refused', undefined, 'answered'],
    ['pending', null, undefined, 'answered'],
    ['not_found', null, undefined, 'answered'],
    ['declined', 'acquirer_setup', undefined, 'misconfigured'],
    ['declined', 'rail_unavailable', undefined, 'fault'],
    ['unknown', null, 'unreachable', 'fault'],
    ['unknown', null, 'blocked', 'fault'],
    ['pending', null, 'unreachable', 'answered'],
    ['pending', null, 'blocked', 'answered'],
    ['unknown', null, 'timeout', null],
    ['unknown', null, 'connection', null],
    ['unknown', null, undefined, null],
    ['declined', 'acquirer_setup', 'unsupported', null],
  ] as const)('counts the result %s with the failure %s and the reason %s as %s', (result, failureCode, reason, as) => {
    const noted: unknown[] = [];
    const circuits = { note: (...call: unknown[]) => noted.push(call) };
    const rails = { circuits } as unknown as Parameters<typeof noteOutcome>[0]['rails'];
    noteOutcome({ rails }, 'one', { result, failureCode, details: reason ? { reason } : {} });
    expect(noted).toEqual(as ? [['one', as]] : []);
  });
});
