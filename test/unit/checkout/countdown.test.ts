// Countdowns follow the clock of the server, not the clock of the device.
import { describe, expect, test } from 'vitest';
import { countdownOf, followServerClock, showLuandaTime } from '../../../shared/countdown.ts';
import { CODE, PUSH, sessionWith } from '../../support/checkout.ts';

const at = (time: string) => Date.parse(`2026-03-02T${time}Z`);

describe('countdownOf', () => {
  const waiting = sessionWith(PUSH);
  test.each([
    ['09:00:00.000', '1:30', 1],
    ['09:00:00.001', '1:30', 0.99999],
    ['09:00:45.000', '0:45', 0.5],
    ['09:01:29.500', '0:01', 0.00556],
    ['09:01:30.000', '0:00', 0],
    ['09:05:00.000', '0:00', 0],
  ])('shows %s as %s', (time, text, share) => {
    const countdown = countdownOf(waiting, at(time));
    expect(countdown).toMatchObject({ text });
    expect(countdown?.share).toBeCloseTo(share, 4);
  });
  test.each([
    ['2026-03-02T09:00:59.001Z', '1:00'],
    ['2026-03-02T10:00:00.000Z', '1:00:00'],
    ['2026-03-03T08:59:07.000Z', '23:59:07'],
    ['2026-03-02T08:59:59.000Z', '0:00'],
  ])('shows a code that ends at %s as %s', (expiresAt, text) => {
    expect(countdownOf(sessionWith({ ...CODE, expiresAt }), at('09:00:00.000'))).toMatchObject({ text });
    expect(countdownOf(sessionWith({ ...CODE, expiresAt, status: 'Paid' }), at('09:00:00.000'))).toBeNull();
  });
  test('returns null without a pending push', () => {
    expect(countdownOf(sessionWith(), at('09:00:00.000'))).toBeNull();
    expect(countdownOf(sessionWith({ ...PUSH, status: 'Paid' }), at('09:00:00.000'))).toBeNull();
    expect(countdownOf(sessionWith({ ...PUSH, pushExpiresAt: null }), at('09:00:00.000'))).toBeNull();
  });
});

describe('followServerClock', () => {
  test('adds the elapsed time to the time of the server', () => {
    let stopwatchMs = 5_000;
    const clock = followServerClock('2026-03-02T09:00:00.000Z', () => stopwatchMs);
    stopwatchMs += 1_250;
    expect(clock.nowMs()).toBe(at('09:00:01.250'));
  });
  test('is not turned back by a late message', () => {
    let stopwatchMs = 0;
    const clock = followServerClock('2026-03-02T09:00:00.000Z', () => stopwatchMs);
    stopwatchMs = 10_000;
    clock.observe('2026-03-02T09:00:08.000Z');
    expect(clock.nowMs()).toBe(at('09:00:10.000'));
  });
  test('catches up after a sleep of the phone', () => {
    let stopwatchMs = 0;
    const clock = followServerClock('2026-03-02T09:00:00.000Z', () => stopwatchMs);
    stopwatchMs = 1_000;
    clock.observe('2026-03-02T09:00:31.000Z');
    expect(clock.nowMs()).toBe(at('09:00:31.000'));
  });
});

describe('showLuandaTime', () => {
  test.each([
    ['2026-03-02T09:30:00.000Z', '10:30'],
    ['2026-03-02T22:59:59.000Z', '23:59'],
    ['2026-03-02T23:00:00.000Z', '03/03 00:00'],
    ['2026-12-31T23:30:00.000Z', '01/01 00:30'],
  ])('shows %s as %s', (iso, shown) => {
    expect(showLuandaTime(iso, at('09:00:00.000'))).toBe(shown);
  });
});
