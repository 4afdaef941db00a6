// The retry schedule of deliveries, which docs/callbacks.md publishes to merchants.
import { describe, expect, test } from 'vitest';
import { nextProbeAt, nextTryAt, readRetryAfter } from '../../../server/webhooks/schedule.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = new Date('2026-03-02T09:00:00.000Z');
const at = (ms: number) => new Date(START.getTime() + ms);

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

describe('the retry schedule of a delivery', () => {
  const early = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR];
  const plan = [...early, ...Array<number>(5).fill(12 * HOUR)];

  test('waits 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, then 12 h each until 72 h', () => {
    expect(waitsWith(0.5)).toEqual(plan);
  });

  test.each([
    [0, 0.9],
    [1, 1.1],
  ])('changes each wait by at most 10 %% at random (random %d)', (random, factor) => {
    const waits = waitsWith(random);
    expect(waits.slice(0, early.length)).toEqual(early.map((ms) => Math.round(ms * factor)));
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(72 * HOUR);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(72 * HOUR - 12 * HOUR * factor);
  });

  test('differs between deliveries that failed together', () => {
    const times = Array.from({ length: 50 }, () =>
      nextTryAt({ tries: 5, since: START, now: START, retryAfterMs: null })?.getTime(),
    );
    expect(new Set(times).size).toBeGreaterThan(10);
  });

  test('ends 72 hours after the first attempt began', () => {
    const tryAgain = (sinceMs: number) =>
      nextTryAt({ tries: 13, since: at(-sinceMs), now: START, retryAfterMs: null }, 0.5);
    expect(tryAgain(60 * HOUR)).toEqual(at(12 * HOUR));
    expect(tryAgain(60 * HOUR + 1)).toBeNull();
  });
});

describe('the Retry-After of a response', () => {
  const next = (retryAfterMs: number, tries = 1) =>
    nextTryAt({ tries, since: START, now: START, retryAfterMs }, 0.5)?.getTime();

  test('can delay the next attempt beyond the schedule', () => {
    expect(next(2 * MINUTE)).toBe(at(2 * MINUTE).getTime());
  });

  test('cannot bring the next attempt forward', () => {
    expect(next(0)).toBe(at(5 * SECOND).getTime());
    expect(next(MINUTE, 5)).toBe(at(30 * MINUTE).getTime());
  });

  test('is limited to 12 hours', () => {
    expect(next(12 * HOUR + SECOND)).toBe(at(12 * HOUR).getTime());
    expect(next(999_999_999 * SECOND)).toBe(at(12 * HOUR).getTime());
  });

  test('does not extend the 72 hours of the schedule', () => {
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
  ])('%j is read', (header, ms) => {
    expect(readRetryAfter(header, START)).toBe(ms);
  });
});

describe('the circuit breaker of an endpoint', () => {
  const probes = (failures: number) => {
    const probe = nextProbeAt(failures, START);
    return probe && probe.getTime() - START.getTime();
  };

  test('stays closed before the fifth failure in a row', () => {
    expect([0, 1, 2, 3, 4].map(probes)).toEqual([null, null, null, null, null]);
  });

  test('sends probes after 5, 10, 20 and 40 s, then every minute', () => {
    expect([5, 6, 7, 8, 9, 10, 50, 1_000_000].map((failures) => (probes(failures) ?? 0) / SECOND)).toEqual([
      5, 10, 20, 40, 60, 60, 60, 60,
    ]);
  });
});
