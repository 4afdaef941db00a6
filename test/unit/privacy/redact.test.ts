// The redactor replaces a person's data in text and in JSON when an erasure runs.
import { describe, expect, test } from 'vitest';
import { redactor } from '../../../server/privacy/subject.ts';

const redact = redactor({ subjects: [{ phone: '+244923456789' }], words: [] }, false);

describe('the redactor', () => {
  test.each([
    ['[923456789, 1]', '[null, 1]'],
    ['{"a":\n923456789 }', '{"a":\nnull }'],
    ['{"a":"923 456 789"}', '{"a":"erased"}'],
    ['{"a":"x, 923456789, y"}', '{"a":"x, null, y"}'],
    ['a: 923456789,', 'a: erased,'],
  ])('changes %s to %s', (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  test('takes less than 24 times as long for 8 times as many replacements', () => {
    const text = (hits: number) => `[${'923456789,'.repeat(hits)}1]`;
    // The test measures CPU time, which does not include other work on the machine.
    const measure = (hits: number) => {
      const value = text(hits);
      const before = process.threadCpuUsage();
      for (let run = 0; run < 8; run++) redact(value);
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    measure(8_000);
    // One slow try may have another cause on the machine. With quadratic cost the time would be 64 times as long.
    let ratio = Infinity;
    for (let tries = 0; tries < 5 && ratio >= 24; tries++) ratio = measure(64_000) / measure(8_000);
    expect(ratio).toBeLessThan(24);
  });
});
