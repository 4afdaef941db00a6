// The marker that an erasure puts in the place of a person, in text and in JSON.
import { describe, expect, test } from 'vitest';
import { redactor } from '../../../server/privacy/subject.ts';

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

  test('takes less than 24 times as long for 8 times as many hits', () => {
    const text = (hits: number) => `[${'923456789,'.repeat(hits)}1]`;
    const measure = (value: string) => {
      const before = performance.now();
      redact(value);
      return performance.now() - before;
    };
    // The least of several runs: other processes can only add to it.
    const fastest = (hits: number) => Math.min(...Array.from({ length: 8 }, () => measure(text(hits))));
    const few = fastest(4_000);
    // A cost that grows with the square would be 64 times as high.
    expect(fastest(32_000) / few).toBeLessThan(24);
  });
});
