// Parses JSON responses of other servers with exact numbers, and with bounds for values and depth.
import { describe, expect, test } from 'vitest';
import { parseAnswer, parseAnswerList } from '../../../server/http/json.ts';

const MIB = 1_048_576;
/** The CPU time of about 25 runs of JSON.parse, in microseconds. */
const ENOUGH_US = 100_000;

describe('parseAnswer', () => {
  test('returns numbers as text, except for the fields that the caller names', () => {
    const text = '{"id": 123456789012345678, "amount":1.50, "reference":123, "deep":{"reference":[4]}}';
    expect(parseAnswer(text, ['reference'])).toEqual({
      id: '123456789012345678',
      amount: '1.50',
      reference: 123,
      deep: { reference: ['4'] },
    });
  });

  test('returns null for text that is not JSON', () => {
    for (const text of ['', ' ', '{', '[1,]', '{"a":1}x', '"\u0001"', '"a', '"\\', '<html>', 'undefined', '[1'])
      expect(parseAnswer(text)).toBeNull();
  });

  test('returns null for too many values or too many levels', () => {
    const list = (length: number) => JSON.stringify(Array(length).fill(1));
    expect(parseAnswer(list(19_999))).toHaveLength(19_999);
    expect(parseAnswer(list(20_000))).toBeNull();
    expect(parseAnswer('['.repeat(32) + ']'.repeat(32))).not.toBeNull();
    expect(parseAnswer('['.repeat(33) + ']'.repeat(33))).toBeNull();
  });

  test.each([
    { name: 'numbers', text: `[${'1,'.repeat(MIB / 2)}1]` },
    { name: 'white space', text: `[${' '.repeat(MIB)}]` },
    { name: 'one string', text: JSON.stringify('a'.repeat(MIB)) },
    { name: 'escapes', text: `"${'\\u0041'.repeat(MIB / 6)}"` },
    { name: 'digits', text: '1'.repeat(MIB) },
    { name: 'depth', text: '['.repeat(MIB) },
    { name: 'keys', text: JSON.stringify(Object.fromEntries(Array.from({ length: 19_000 }, (_, n) => [`k${n}`, n]))) },
  ])('needs at most five times the CPU time of JSON.parse for 1 MiB of $name', ({ text }) => {
    const plain = JSON.stringify(
      Array.from({ length: MIB / 40 }, (_, nth) => ({ id: nth, amount: '1500.00', ok: true })),
    );
    const cpuOf = (read: () => unknown) => {
      const before = process.threadCpuUsage();
      read();
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    // Some kernels count the CPU time of a thread in ticks, so that a short run takes no time. Long sums are exact.
    const sums = { answer: 0, plain: 0 };
    while (sums.plain < ENOUGH_US) {
      sums.answer += cpuOf(() => parseAnswer(text));
      sums.plain += cpuOf(() => JSON.parse(plain) as unknown);
    }
    expect(sums.answer).toBeLessThan(5 * sums.plain);
  });
});

describe('parseAnswerList', () => {
  test('returns the complete first entries of a list that is too long or cut off', () => {
    expect(parseAnswerList('[{"a":1},2]', false)).toEqual({ entries: [{ a: '1' }, '2'], isCut: false });
    const long = parseAnswerList(`[${'{"a":1},'.repeat(20_000)}1]`, false);
    expect([long?.isCut, long?.entries.length]).toEqual([true, 9_999]);
    expect(parseAnswerList('[{"a":1},{"a":12', true)).toEqual({ entries: [{ a: '1' }], isCut: true });
    // A number at the end of a truncated text may be incomplete.
    expect(parseAnswerList('[1,23', true)).toEqual({ entries: ['1'], isCut: true });
  });

  test('returns null for text that is not a JSON array, and for an array without its end', () => {
    expect(parseAnswerList('{"a":[1]}', false)).toBeNull();
    expect(parseAnswerList('{"a":[1]', true)).toBeNull();
    expect(parseAnswerList('[1,2', false)).toBeNull();
  });
});
