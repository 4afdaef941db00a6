// Accounts that fail stand back, and come back by one real push.
import { expect, test } from 'vitest';
import { createCircuits } from '../../../server/rails/circuit.ts';
import { testClock } from '../../support/clock.ts';

const A = 'account-a';
const MINUTE_MS = 60_000;

function openCircuits() {
  const clock = testClock();
  const circuits = createCircuits(clock);
  const push = (...ends: ('answered' | 'fault')[]) => {
    for (const end of ends) {
      circuits.begin(A);
      circuits.note(A, end);
    }
  };
  const times = (count: number, end: 'answered' | 'fault') => Array.from({ length: count }, () => end);
  return { clock, ...circuits, push, times };
}

test('the fifth fault in a row opens it, of this account alone; an answer between begins anew', () => {
  const { push, times, isClosed } = openCircuits();
  push(...times(4, 'fault'), 'answered', ...times(4, 'fault'));
  expect(isClosed(A)).toBe(true);
  push('fault');
  expect([isClosed(A), isClosed('account-b')]).toEqual([false, true]);
});

test('one that is set up wrong opens it at once', () => {
  const { note, isClosed } = openCircuits();
  note(A, 'misconfigured');
  expect([isClosed(A), isClosed('account-b')]).toEqual([false, true]);
});

test('half of two minutes opens it, once there are ten to judge by', () => {
  const { push, isClosed } = openCircuits();
  push('answered', 'fault', 'answered', 'fault', 'answered', 'fault', 'answered', 'fault', 'answered');
  expect(isClosed(A)).toBe(true);
  push('fault');
  expect(isClosed(A)).toBe(false);
});

test('what is older than two minutes is not judged by', () => {
  const { clock, push, times, isClosed } = openCircuits();
  push(...times(4, 'fault'), 'answered');
  clock.leap(2 * MINUTE_MS);
  push(...times(4, 'fault'), ...times(5, 'answered'));
  expect(isClosed(A)).toBe(true);
});

test('after a minute one push tries it, and nobody else until that has ended', () => {
  const { clock, push, times, isClosed, begin, note } = openCircuits();
  push(...times(5, 'fault'));
  clock.leap(MINUTE_MS - 1);
  expect(isClosed(A)).toBe(false);
  clock.leap(1);
  expect(isClosed(A)).toBe(true);
  begin(A);
  expect(isClosed(A)).toBe(false);
  note(A, 'answered');
  expect(isClosed(A)).toBe(true);
  // What failed before counts no more.
  push(...times(4, 'fault'));
  expect(isClosed(A)).toBe(true);
});

test('a try that fails opens it for another minute', () => {
  const { clock, push, times, isClosed } = openCircuits();
  push(...times(5, 'fault'));
  clock.leap(MINUTE_MS);
  push('fault');
  clock.leap(MINUTE_MS - 1);
  expect(isClosed(A)).toBe(false);
  clock.leap(1);
  expect(isClosed(A)).toBe(true);
});

test('a try of which nobody hears the end is over after a minute', () => {
  const { clock, push, times, isClosed, begin } = openCircuits();
  push(...times(5, 'fault'));
  clock.leap(MINUTE_MS);
  begin(A);
  clock.leap(MINUTE_MS - 1);
  expect(isClosed(A)).toBe(false);
  clock.leap(1);
  expect(isClosed(A)).toBe(true);
});
