// The marker that an erasure puts in the place of a person, in text and in JSON.
import { describe, expect, test } from 'vitest';
import { redactor } from '../../server/privacy/subject.ts';

const redact = redactor({ subjects: [{ phone: '+244923456789' }], words: [] }, false);

describe('redactor', () => {
  test.each([
    ['[923456789, 1]', '[null, 1]'],
    ['{"a":\n923456789 }', '{"a":\nnull }'],
    ['{"a":"923 456 789"}', '{"a":"erased"}'],
    ['{"a":"x, 923456789, y"}', '{"a":"x, null, y"}'],
    ['a: 923456789,', 'a: erased,'],
  ])('turns %s into %s', (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  test('takes at most four times as long for four times as many hits, with some tolerance', () => {
    const cpuOf = (hits: number) => {
      const text = `[${'923456789,'.repeat(hits)}1]`;
      const before = process.threadCpuUsage();
      redact(text);
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    // The first runs compile.
    for (let nth = 0; nth < 3; nth++) cpuOf(2_000);
    const ratios = Array.from({ length: 5 }, () => cpuOf(16_000) / cpuOf(4_000));
    expect(Math.min(...ratios)).toBeLessThan(8);
  });
});
