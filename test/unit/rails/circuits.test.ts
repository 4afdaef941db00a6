// The circuit breaker of rail accounts.
import { expect, test } from 'vitest';
import { createCircuits } from '../../../server/rails/circuit.ts';
import { testClock } from '../../support/clock.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

const A = 'account-a';

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

test('the fifth fault in a row opens the circuit of that rail account only', () => {
  const { push, times, isClosed } = openCircuits();
  push(...times(4, 'fault'), 'answered', ...times(4, 'fault'));
  expect(isClosed(A)).toBe(true);
  push('fault');
  expect([isClosed(A), isClosed('account-b')]).toEqual([false, true]);
});

test('a response about wrong configuration opens the account’s circuit immediately', () => {
  const { note, isClosed } = openCircuits();
  note(A, 'misconfigured');
  expect([isClosed(A), isClosed('account-b')]).toEqual([false, true]);
});

test('faults in half of ten calls within two minutes open the account’s circuit', () => {
  const { push, isClosed } = openCircuits();
  push('answered', 'fault', 'answered', 'fault', 'answered', 'fault', 'answered', 'fault', 'answered');
  expect(isClosed(A)).toBe(true);
  push('fault');
  expect(isClosed(A)).toBe(false);
});

test('calls older than two minutes do not count towards the circuit', () => {
  const { clock, push, times, isClosed } = openCircuits();
  push(...times(4, 'fault'), 'answered');
  clock.leap(2 * MINUTE_MS);
  push(...times(4, 'fault'), ...times(5, 'answered'));
  expect(isClosed(A)).toBe(true);
});

test('an open circuit admits one push after a minute as a probe, and closes after the rail’s response', () => {
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
  // Faults before the probe's success no longer count.
  push(...times(4, 'fault'));
  expect(isClosed(A)).toBe(true);
});

test('a failed probe opens the circuit for another minute', () => {
  const { clock, push, times, isClosed } = openCircuits();
  push(...times(5, 'fault'));
  clock.leap(MINUTE_MS);
  push('fault');
  clock.leap(MINUTE_MS - 1);
  expect(isClosed(A)).toBe(false);
  clock.leap(1);
  expect(isClosed(A)).toBe(true);
});

test('a probe of the circuit without a result ends after a minute', () => {
  const { clock, push, times, isClosed, begin } = openCircuits();
  push(...times(5, 'fault'));
  clock.leap(MINUTE_MS);
  begin(A);
  clock.leap(MINUTE_MS - 1);
  expect(isClosed(A)).toBe(false);
  clock.leap(1);
  expect(isClosed(A)).toBe(true);
});
