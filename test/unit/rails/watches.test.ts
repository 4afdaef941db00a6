// A host of a rail account may use limited resources: response bytes a minute, and job slots while it is silent.
import { describe, expect, test } from 'vitest';
import { BYTES_A_MINUTE, createWatches, SMALL_BYTES } from '../../../server/rails/watches.ts';
import { testClock } from '../../support/clock.ts';

const MIB = 1024 * 1024;
const NONE: ReadonlyMap<string, number> = new Map();

function setUp() {
  const clock = testClock();
  const watches = createWatches(clock);
  const answer = (railId: string, bytes: number) => watches.of(railId).note({ bytes, tookMs: 10, isAnswered: true });
  const fail = (railId: string, times = 1) => {
    for (let nth = 0; nth < times; nth++) watches.of(railId).note({ bytes: 0, tookMs: 10_000, isAnswered: false });
  };
  const roomOf = (railId: string, busy = NONE) => watches.turns.limit(busy, 16).get(railId);
  return { clock, watches, answer, fail, roomOf };
}

describe('the budget of response bytes', () => {
  test('limits responses to the rest of the minute’s budget, but always allows a small response', () => {
    const { clock, watches, answer } = setUp();
    for (let nth = 0; nth < 15; nth++) answer('one', MIB);
    expect(watches.of('one').limit(MIB)).toBe(MIB);
    answer('one', MIB - 100_000);
    expect(watches.of('one').limit(MIB)).toBe(100_000);
    answer('one', MIB);
    expect(watches.of('one').limit(MIB)).toBe(SMALL_BYTES);
    expect(watches.of('other').limit(MIB)).toBe(MIB);
    clock.leap(60_000);
    expect(watches.of('one').limit(MIB)).toBe(MIB);
  });

  test('leaves half of itself to responses about orders while lists are read', () => {
    const { clock, watches, answer } = setUp();
    answer('one', 8 * MIB - 1);
    expect(watches.hasBudget('one')).toBe(true);
    answer('one', MIB);
    expect(watches.hasBudget('one')).toBe(false);
    expect(watches.of('one').limit(MIB)).toBe(MIB);
    clock.leap(60_000);
    expect(watches.hasBudget('one')).toBe(true);
  });

  test('is not used up by the usual responses about orders', () => {
    const { watches, answer } = setUp();
    for (let nth = 0; nth < (2 * BYTES_A_MINUTE) / SMALL_BYTES; nth++) answer('busy', SMALL_BYTES);
    expect(watches.hasBudget('busy')).toBe(true);
  });
});

describe('a rail whose last call was silent', () => {
  test('has one job slot, and its full share again after a response', () => {
    const { answer, fail, roomOf } = setUp();
    expect(roomOf('one')).toBeUndefined();
    fail('one');
    expect(roomOf('one')).toBe(1);
    expect(roomOf('one', new Map([['one', 1]]))).toBe(0);
    answer('one', 100);
    expect(roomOf('one')).toBeUndefined();
  });

  test('may also be a rail that responds only after five seconds', () => {
    const { watches, roomOf } = setUp();
    watches.of('slow').note({ bytes: 100, tookMs: 5_000, isAnswered: true });
    expect(roomOf('slow')).toBe(1);
  });

  test('is called less and less often after three silent calls in a row, but at least once a minute', () => {
    const { clock, fail, roomOf } = setUp();
    fail('one', 2);
    expect(roomOf('one')).toBe(1);
    for (const seconds of [5, 10, 20, 40, 60, 60]) {
      fail('one');
      clock.leap(seconds * 1000 - 1);
      expect(roomOf('one')).toBe(0);
      clock.leap(1);
      expect(roomOf('one')).toBe(1);
    }
  });

  test('shares a quarter of the slots with other silent rails, and the one with the longest pause goes first', () => {
    const { clock, watches, fail } = setUp();
    for (let nth = 9; nth >= 0; nth--) {
      fail(`rail ${nth}`);
      clock.leap(1);
    }
    const tried = () => [...watches.turns.limit(NONE, 16)].filter(([, room]) => room > 0).map(([railId]) => railId);
    expect(tried()).toEqual(['rail 9', 'rail 8', 'rail 7', 'rail 6']);
    const busy = new Map([
      ['rail 9', 1],
      ['rail 8', 2],
    ]);
    expect([...watches.turns.limit(busy, 16)].filter(([, room]) => room > 0)).toEqual([['rail 7', 1]]);
  });
});
