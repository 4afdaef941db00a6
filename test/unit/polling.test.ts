// When a rail is asked again about a push that has no outcome.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextPollAt } from '../../server/payments/polling.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PUSHED_AT = new Date('2026-03-02T09:00:00.000Z');

function nextAge(ageMs: number, windowMs: number): number | null {
  const next = nextPollAt(PUSHED_AT, new Date(PUSHED_AT.getTime() + ageMs), windowMs);
  return next && next.getTime() - PUSHED_AT.getTime();
}

/** Ages of all polls of a push that never gets an outcome, each made when it is due. */
function listPolls(windowMs: number): number[] {
  const ages: number[] = [];
  for (let age = nextAge(0, windowMs); age !== null; age = nextAge(age, windowMs)) ages.push(age);
  return ages;
}

describe('the schedule', () => {
  test('2, 5, 15, 30 s, just after the 90 s window, each minute for an hour, hourly for 3 days, then a person', () => {
    const ages = listPolls(90 * SECOND);
    expect(ages.slice(0, 6)).toEqual([2, 5, 15, 30, 92, 152].map((s) => s * SECOND));
    const minutes = ages.slice(5).filter((age) => age < HOUR);
    expect(minutes).toEqual(minutes.map((_, i) => 152 * SECOND + i * MINUTE));
    const hours = ages.filter((age) => age >= HOUR);
    expect(hours.map((age, i) => (hours[i + 1] ?? age + HOUR) - age)).toEqual(hours.map(() => HOUR));
    expect(ages.at(-1)).toBeGreaterThanOrEqual(72 * HOUR);
    expect(ages.at(-1)).toBeLessThan(73 * HOUR);
    expect(ages).toHaveLength(4 + 59 + 72);
  });

  test.each([
    [5 * SECOND, [2, 5, 7, 15, 30, 90]],
    [20 * SECOND, [2, 5, 15, 22, 30, 90]],
    [600 * SECOND, [2, 5, 15, 30, 602, 662]],
  ])('a window of %i ms is asked about just after it', (windowMs, seconds) => {
    expect(listPolls(windowMs).slice(0, 6)).toEqual(seconds.map((s) => s * SECOND));
  });
});

const windows = fc.integer({ min: SECOND, max: 24 * HOUR });

test('a poll is always later than now, and never more than an hour or the window away', () => {
  fc.assert(
    fc.property(fc.nat(72 * HOUR - 1), windows, (ageMs, windowMs) => {
      const next = nextAge(ageMs, windowMs);
      expect(next).toBeGreaterThan(ageMs);
      expect(Number(next) - ageMs).toBeLessThanOrEqual(Math.max(HOUR, windowMs + 2 * SECOND));
    }),
  );
});

test('a node that was away polls once for all it missed', () => {
  const ageMs = 20 * MINUTE + 17;
  expect(nextAge(ageMs, 90 * SECOND)).toBe(ageMs + MINUTE);
});

test('after three days nobody asks any more', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 72 * HOUR, max: 1_000 * HOUR }),
      fc.integer({ min: SECOND, max: HOUR }),
      (ageMs, windowMs) => {
        expect(nextAge(ageMs, windowMs)).toBeNull();
      },
    ),
  );
});
