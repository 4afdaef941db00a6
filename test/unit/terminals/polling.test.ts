import { expect, test } from 'vitest';
import { leaseMs, nextQueryAt } from '../../../server/jobs/schedule.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const SENT_AT = new Date('2026-03-02T09:00:00.000Z');

function nextAge(ageMs: number): number | null {
  const next = nextQueryAt(SENT_AT, new Date(SENT_AT.getTime() + ageMs));
  return next && next.getTime() - SENT_AT.getTime();
}

test('the rail is polled about a terminal after 2, 5, 15, 30 s, each minute for an hour, and hourly for 3 days', () => {
  const ages: number[] = [];
  for (let age = nextAge(0); age !== null; age = nextAge(age)) ages.push(age);
  expect(ages.slice(0, 5)).toEqual([2, 5, 15, 30, 90].map((s) => s * SECOND));
  const minutes = ages.slice(3).filter((age) => age < HOUR);
  expect(minutes).toEqual(minutes.map((_, i) => 30 * SECOND + i * MINUTE));
  const hours = ages.filter((age) => age >= HOUR);
  expect(hours).toEqual(hours.map((_, i) => HOUR + 30 * SECOND + i * HOUR));
  expect(ages.at(-1)).toBe(72 * HOUR + 30 * SECOND);
});

test('the rail is polled about a terminal once after an outage of the node, and not after three days', () => {
  expect(nextAge(20 * MINUTE + 17)).toBe(21 * MINUTE + 17);
  expect(nextAge(72 * HOUR)).toBeNull();
  expect(nextAge(1_000 * HOUR)).toBeNull();
});

test('the lease of a terminal call ends 5 s after the call’s timeout', () => {
  expect(leaseMs({ GPO_TIMEOUT_S: 10 })).toBe(15 * SECOND);
});
