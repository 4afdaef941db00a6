import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextCodePollAt, nextPollAt } from '../../../server/payments/core/schedule.ts';

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

describe('the polls of a push', () => {
  test('come after 2, 5, 15, 30 s, after its 90 s window, then each minute for an hour and hourly for 3 days', () => {
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
  ])('come just after a window of %i ms', (windowMs, seconds) => {
    expect(listPolls(windowMs).slice(0, 6)).toEqual(seconds.map((s) => s * SECOND));
  });
});

const windows = fc.integer({ min: SECOND, max: 24 * HOUR });

test('a poll lies in the future, at most one hour or the window ahead', () => {
  fc.assert(
    fc.property(fc.nat(72 * HOUR - 1), windows, (ageMs, windowMs) => {
      const next = nextAge(ageMs, windowMs);
      expect(next).toBeGreaterThan(ageMs);
      expect(Number(next) - ageMs).toBeLessThanOrEqual(Math.max(HOUR, windowMs + 2 * SECOND));
    }),
  );
});

test('a node polls once for all that it missed', () => {
  const ageMs = 20 * MINUTE + 17;
  expect(nextAge(ageMs, 90 * SECOND)).toBe(ageMs + MINUTE);
});

test('polls end after three days', () => {
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

describe('the polls of a QR code', () => {
  const at = (ageMs: number) => new Date(PUSHED_AT.getTime() + ageMs);
  /** When an open code is asked about, each time when it is due, until so many polls or its end were. */
  function listCodePolls(count: number, endMs: number | null, closedMs: number | null = null): number[] {
    const ages: number[] = [];
    const times = { createdAt: PUSHED_AT, endsAt: endMs === null ? null : at(endMs) };
    for (let age = closedMs ?? 0; ages.length < count;) {
      const next = nextCodePollAt({ ...times, closedAt: closedMs === null ? null : at(closedMs) }, at(age));
      if (!next) break;
      ages.push((age = next.getTime() - PUSHED_AT.getTime()));
    }
    return ages;
  }

  test('come after 2, 5, 15, 30 s, each minute for an hour, then each ten minutes', () => {
    const ages = listCodePolls(70, 24 * HOUR);
    expect(ages.slice(0, 6)).toEqual([2, 5, 15, 30, 90, 150].map((s) => s * SECOND));
    const minutes = ages.slice(4).filter((age) => age < HOUR);
    expect(minutes).toEqual(minutes.map((_, nth) => 90 * SECOND + nth * MINUTE));
    const tens = ages.filter((age) => age >= HOUR);
    expect(tens.length).toBeGreaterThan(3);
    expect(tens.slice(1).map((age, nth) => age - tens[nth]!)).toEqual(tens.slice(1).map(() => 10 * MINUTE));
  });

  test.each([
    ['between two polls', 20 * MINUTE + 1],
    ['after a day', 24 * HOUR + 3 * MINUTE],
  ])('come at its end %s', (_name, endMs) => {
    const ages = listCodePolls(500, endMs);
    expect(ages).toContain(endMs);
    expect(ages[ages.indexOf(endMs) - 1]).toBeLessThan(endMs);
  });

  test('come a minute, an hour and a day after it was closed, then never', () => {
    const closedMs = 20 * MINUTE;
    expect(listCodePolls(10, 24 * HOUR, closedMs)).toEqual([MINUTE, HOUR, 24 * HOUR].map((ms) => closedMs + ms));
    const long = { createdAt: PUSHED_AT, endsAt: null, closedAt: PUSHED_AT };
    expect(nextCodePollAt(long, at(24 * HOUR))).toBeNull();
    expect(nextCodePollAt(long, at(9_000 * HOUR))).toBeNull();
  });

  test('come within ten minutes while it is open, never in the past', () => {
    fc.assert(
      fc.property(fc.nat(10_000 * HOUR), fc.option(fc.nat(10_000 * HOUR)), (ageMs, endMs) => {
        const endsAt = endMs === null ? null : at(endMs);
        const next = nextCodePollAt({ createdAt: PUSHED_AT, endsAt, closedAt: null }, at(ageMs));
        const waitMs = Number(next) - PUSHED_AT.getTime() - ageMs;
        expect(waitMs).toBeGreaterThan(0);
        expect(waitMs).toBeLessThanOrEqual(10 * MINUTE);
      }),
    );
  });

  test('come once for all that a node missed', () => {
    const times = { createdAt: PUSHED_AT, endsAt: at(24 * HOUR), closedAt: null };
    expect(nextCodePollAt(times, at(40 * MINUTE + 7))).toEqual(at(41 * MINUTE + 7));
  });
});
