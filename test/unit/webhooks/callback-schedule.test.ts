// When a delivery is tried again and when a failing endpoint is probed: the whole schedule of decisions §9, as numbers.
import { describe, expect, test } from 'vitest';
import { nextProbeAt, nextTryAt, readRetryAfter } from '../../../server/webhooks/schedule.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = new Date('2026-03-02T09:00:00.000Z');
const at = (ms: number) => new Date(START.getTime() + ms);

/** The waits after each failed attempt until it is given up, with this much jitter. */
function waitsWith(random: number, retryAfterMs: number | null = null): number[] {
  const waits: number[] = [];
  let now = START;
  for (let tries = 1; ; tries++) {
    const next = nextTryAt({ tries, since: START, now, retryAfterMs }, random);
    if (!next) return waits;
    waits.push(next.getTime() - now.getTime());
    now = next;
  }
}

describe('the schedule of a delivery', () => {
  const early = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR];
  const plan = [...early, ...Array<number>(5).fill(12 * HOUR)];

  test('is 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, then each 12 h until 72 h', () => {
    expect(waitsWith(0.5)).toEqual(plan);
  });

  test.each([
    [0, 0.9],
    [1, 1.1],
  ])('is moved by 10 % at most: %d', (random, factor) => {
    const waits = waitsWith(random);
    expect(waits.slice(0, early.length)).toEqual(early.map((ms) => Math.round(ms * factor)));
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(72 * HOUR);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(72 * HOUR - 12 * HOUR * factor);
  });

  test('is not the same for everybody who failed at once', () => {
    const times = Array.from({ length: 50 }, () =>
      nextTryAt({ tries: 5, since: START, now: START, retryAfterMs: null })?.getTime(),
    );
    expect(new Set(times).size).toBeGreaterThan(10);
  });

  test('reaches to 72 hours after the first attempt began, and not beyond', () => {
    const tryAgain = (sinceMs: number) =>
      nextTryAt({ tries: 13, since: at(-sinceMs), now: START, retryAfterMs: null }, 0.5);
    expect(tryAgain(60 * HOUR)).toEqual(at(12 * HOUR));
    expect(tryAgain(60 * HOUR + 1)).toBeNull();
  });
});

describe('what the merchant asks for', () => {
  const next = (retryAfterMs: number, tries = 1) =>
    nextTryAt({ tries, since: START, now: START, retryAfterMs }, 0.5)?.getTime();

  test('is waited for when it is longer than the schedule', () => {
    expect(next(2 * MINUTE)).toBe(at(2 * MINUTE).getTime());
  });

  test('does not make it hurry', () => {
    expect(next(0)).toBe(at(5 * SECOND).getTime());
    expect(next(MINUTE, 5)).toBe(at(30 * MINUTE).getTime());
  });

  test('is cut at 12 hours', () => {
    expect(next(12 * HOUR + SECOND)).toBe(at(12 * HOUR).getTime());
    expect(next(999_999_999 * SECOND)).toBe(at(12 * HOUR).getTime());
  });

  test('ends with the 72 hours all the same', () => {
    expect(waitsWith(0.5, 12 * HOUR)).toEqual(Array(6).fill(12 * HOUR));
  });

  test.each([
    ['0', 0],
    ['120', 2 * MINUTE],
    ['999999999', 999_999_999 * SECOND],
    ['Mon, 02 Mar 2026 09:30:00 GMT', 30 * MINUTE],
    ['Mon, 02 Mar 2026 08:30:00 GMT', 0],
    ['soon', null],
    ['', null],
    ['1.5 hours', null],
    ['9999999999', null],
    [undefined, null],
  ])('is read from Retry-After: %j', (header, ms) => {
    expect(readRetryAfter(header, START)).toBe(ms);
  });
});

describe('an endpoint that fails', () => {
  const probes = (failures: number) => {
    const probe = nextProbeAt(failures, START);
    return probe && probe.getTime() - START.getTime();
  };

  test('is not doubted before the fifth failure in a row', () => {
    expect([0, 1, 2, 3, 4].map(probes)).toEqual([null, null, null, null, null]);
  });

  test('is probed after 5 s, 10 s, 20 s, 40 s, then each minute', () => {
    expect([5, 6, 7, 8, 9, 10, 50, 1_000_000].map((failures) => (probes(failures) ?? 0) / SECOND)).toEqual([
      5, 10, 20, 40, 60, 60, 60, 60,
    ]);
  });
});
