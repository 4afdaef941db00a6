import { describe, expect, test } from 'vitest';
import { clearingDayOf, endOfClearingDay, periodOf } from '../../../shared/clearing.ts';
import { periodOfRefund } from '../../../shared/refund.ts';

test.each([
  ['2026-11-23T18:59:59.999Z', '2026-11-23'],
  ['2026-11-23T19:00:00.000Z', '2026-11-24'],
  ['2026-11-23T23:30:00.000Z', '2026-11-24'],
  ['2026-12-31T19:00:00.000Z', '2027-01-01'],
  ['2028-02-29T18:00:00.000Z', '2028-02-29'],
])('%s belongs to the clearing day %s', (moment, day) => {
  const at = new Date(moment);
  expect(clearingDayOf(at)).toBe(day);
  const end = endOfClearingDay(day);
  expect(end.toISOString()).toBe(`${day}T19:00:00.000Z`);
  expect(end > at && end.getTime() - at.getTime() <= 86_400_000).toBe(true);
});

describe('the clearing period of', () => {
  const at = new Date('2026-11-23T20:00:00.000Z');

  test('a payment is the period that the rail reported, or the clearing day', () => {
    expect(periodOf({ clearingPeriod: '156' }, at)).toBe('156');
    expect(periodOf({}, at)).toBe('2026-11-24');
    expect(periodOf({ clearingPeriod: '' }, at)).toBe('2026-11-24');
  });

  test('a refund is the refund’s own period, or for a manual refund the period of its payment', () => {
    const refund = { details: { clearingPeriod: '157' }, completedAt: at };
    expect(periodOfRefund({ ...refund, method: 'rail' }, { period: '156' })).toBe('157');
    expect(periodOfRefund({ ...refund, method: 'rail', details: {} }, { period: '156' })).toBe('2026-11-24');
    expect(periodOfRefund({ ...refund, method: 'manual' }, { period: '156' })).toBe('156');
  });
});
