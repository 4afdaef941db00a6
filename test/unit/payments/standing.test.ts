import { describe, expect, test } from 'vitest';
import { isAboutMoney, standingOf, type Standings } from '../../../shared/standing.ts';

const paid: Standings = {
  status: 'Paid',
  failureCode: null,
  refundStatus: 'none',
  oddity: null,
  isResolved: false,
  isWithoutMoney: false,
};

describe('standingOf', () => {
  test.each<[Standings['status'], string | null, string]>([
    ['Pending', 'customer_refused', 'pending'],
    ['Paid', null, 'paid'],
    ['Failed', 'customer_refused', 'refused'],
    ['Failed', 'insufficient_funds', 'refused'],
    ['Failed', 'limit_exceeded', 'refused'],
    ['Failed', 'issuer_refused', 'refused'],
    ['Failed', 'timed_out', 'timed_out'],
    ['Failed', 'rail_unavailable', 'failed'],
    ['Failed', null, 'failed'],
    ['Expired', 'timed_out', 'expired'],
  ])('returns for the status %s and the failure %s: %s', (status, failureCode, expected) => {
    expect(standingOf({ ...paid, status, failureCode })).toBe(expected);
    expect(isAboutMoney(standingOf({ ...paid, status, failureCode }))).toBe(false);
  });

  test.each<[Partial<Standings>, string]>([
    [{ oddity: 'overpaid' }, 'overpaid'],
    [{ oddity: 'amount_mismatch', status: 'Pending' }, 'short_paid'],
    [{ oddity: 'amount_mismatch', status: 'Pending', isWithoutMoney: true }, 'other_amount'],
    [{ oddity: 'amount_mismatch', status: 'Authorized' }, 'other_amount'],
    [{ oddity: 'late_money' }, 'paid_late'],
    [{ oddity: 'late_money', status: 'Authorized' }, 'reserved_late'],
    [{ oddity: 'canceled_with_money', status: 'Canceled' }, 'canceled_with_money'],
    [{ refundStatus: 'partial' }, 'partly_refunded'],
    [{ refundStatus: 'full' }, 'refunded'],
    [{ oddity: 'late_money', refundStatus: 'partial' }, 'paid_late'],
    [{ oddity: 'late_money', refundStatus: 'partial', isResolved: true }, 'partly_refunded'],
    [{ oddity: 'late_money', isResolved: true }, 'paid_late'],
  ])('returns for %o: %s', (changes, expected) => {
    const standing = standingOf({ ...paid, ...changes });
    expect([standing, isAboutMoney(standing)]).toEqual([expected, true]);
  });
});
