// When the rail is asked about a message that it took and of which it tells nothing, and when no more.
import { expect, test } from 'vitest';
import { nextFollowUp } from '../../../server/sms/states.ts';

const SENT = new Date('2026-03-02T09:00:00.000Z');
const MINUTE_MS = 60_000;
const DAY = 24 * 60;
const after = (minutes: number, ms = 0) => new Date(SENT.getTime() + minutes * MINUTE_MS + ms);

test.each([
  ['at once', 0, 0, 2],
  ['a moment before the first', 2, -1, 2],
  ['at the first', 2, 0, 15],
  ['at the second', 15, 0, 60],
  ['at the third', 60, 0, 6 * 60],
  ['at the fourth', 6 * 60, 0, DAY],
  ['at the fifth', DAY, 0, 3 * DAY],
  ['a moment before the last', 3 * DAY, -1, 3 * DAY],
])('%s', (_what, minutes, ms, next) => {
  expect(nextFollowUp(SENT, after(minutes, ms))).toEqual(after(next));
  expect(nextFollowUp(SENT, after(minutes, ms), true)).toEqual(after(next));
});

test('after the last one no more, but for a rail that said nothing: each day, until ten days are over', () => {
  expect(nextFollowUp(SENT, after(3 * DAY))).toBeNull();
  expect(nextFollowUp(SENT, after(3 * DAY), true)).toEqual(after(4 * DAY));
  expect(nextFollowUp(SENT, after(10 * DAY, -1), true)).toEqual(after(11 * DAY, -1));
  expect(nextFollowUp(SENT, after(10 * DAY), true)).toBeNull();
});
