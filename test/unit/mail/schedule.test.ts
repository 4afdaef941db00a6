import { expect, test } from 'vitest';
import { nextTryAt } from '../../../server/mail/due.ts';
import { maskAddress } from '../../../server/mail/post.ts';

const HOUR_S = 3_600;
const writtenAt = new Date('2026-03-02T09:00:00Z');
const after = (seconds: number) => new Date(writtenAt.getTime() + seconds * 1000);

test('a mail is sent again after 10 s, 1, 5, 15 min and 1 h, then hourly for a day', () => {
  const waits: number[] = [];
  let now = writtenAt;
  for (let tries = 1; ; tries++) {
    const next = nextTryAt(writtenAt, now, tries);
    if (!next) break;
    waits.push((next.getTime() - now.getTime()) / 1000);
    now = next;
  }
  expect(waits.slice(0, 6)).toEqual([10, 60, 300, 900, HOUR_S, HOUR_S]);
  expect(new Set(waits.slice(4))).toEqual(new Set([HOUR_S]));
  expect(waits).toHaveLength(4 + 23);
  expect(now.getTime()).toBeLessThan(after(24 * HOUR_S).getTime());
});

test('a mail older than a day is given up', () => {
  expect(nextTryAt(writtenAt, after(24 * HOUR_S), 1)).toBeNull();
  expect(nextTryAt(writtenAt, after(24 * HOUR_S - 11), 1)).toEqual(after(24 * HOUR_S - 1));
});

test.each([
  ['maria@example.ao', 'm***@example.ao'],
  ['a@example.ao', 'a***@example.ao'],
])('the e-mail address %s is masked as %s', (address, masked) => {
  expect(maskAddress(address)).toBe(masked);
});
