import { expect, test } from 'vitest';
import { nextFollowUp } from '../../../server/sms/states.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

const SENT = new Date('2026-03-02T09:00:00.000Z');
const DAY = 24 * 60;
const after = (minutes: number, ms = 0) => new Date(SENT.getTime() + minutes * MINUTE_MS + ms);

test.each([
  ['immediately after sending', 0, 0, 2],
  ['just before the first query', 2, -1, 2],
  ['after the first query', 2, 0, 15],
  ['after the second query', 15, 0, 60],
  ['after the third query', 60, 0, 6 * 60],
  ['after the fourth query', 6 * 60, 0, DAY],
  ['after the fifth query', DAY, 0, 3 * DAY],
  ['just before the last query', 3 * DAY, -1, 3 * DAY],
])('the rail is queried again about an SMS in time: %s', (_what, minutes, ms, next) => {
  expect(nextFollowUp(SENT, after(minutes, ms))).toEqual(after(next));
  expect(nextFollowUp(SENT, after(minutes, ms), true)).toEqual(after(next));
});

test('the queries about an SMS end after three days, or after ten days if the rail never responds', () => {
  expect(nextFollowUp(SENT, after(3 * DAY))).toBeNull();
  expect(nextFollowUp(SENT, after(3 * DAY), true)).toEqual(after(4 * DAY));
  expect(nextFollowUp(SENT, after(10 * DAY, -1), true)).toEqual(after(11 * DAY, -1));
  expect(nextFollowUp(SENT, after(10 * DAY), true)).toBeNull();
});
