import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskPhone, normalizePhone, showPhone } from '../../../shared/phone.ts';

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((list) => list.join(''));

const local = digits(8).map((rest) => `9${rest}`);

describe('normalizePhone', () => {
  test('returns the same phone number for each spelling', () => {
    const spelling = fc.record({
      number: local,
      prefix: fc.constantFrom('', '244', '+244', '00244'),
      gaps: fc.array(fc.constantFrom('', '', ' ', '\u00a0', '-', '.', '\u200e', ') ('), { minLength: 9, maxLength: 9 }),
      around: fc.constantFrom('', ' '),
    });
    fc.assert(
      fc.property(spelling, ({ number, prefix, gaps, around }) => {
        const spaced = [...number].map((digit, i) => `${gaps[i]}${digit}`).join('');
        expect(normalizePhone(`${around}${prefix}${spaced}${around}`)).toBe(`+244${number}`);
      }),
    );
  });

  test('returns a complete number or null, and does not change its own result', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[+\d (244)-]{0,20}$/)), (typed) => {
        const phone = normalizePhone(typed);
        if (phone === null) return;
        expect(phone).toMatch(/^\+2449[0-9]{8}$/);
        expect(normalizePhone(phone)).toBe(phone);
      }),
    );
  });

  test.each([
    ['923 456 789', '+244923456789'],
    ['00244923456789', '+244923456789'],
    // This local number begins with the digits of the country code.
    ['924 424 424', '+244924424424'],
    ['900000000', '+244900000000'],
    ['\u202a+244 923\u2011456\u2011789\u202c', '+244923456789'],
    ['\ufeff\u200e+244\u00a0923\u202f456\u2009789', '+244923456789'],
    ['+244 (923) 456-789', '+244923456789'],
    ['(+244) 923.456.789', '+244923456789'],
    ['[00244] 923 – 456 — 789', '+244923456789'],
    ['923\u2212456\u2212789', '+244923456789'],
    ['tel:+244-923-456-789', '+244923456789'],
    ['TEL: 923456789', '+244923456789'],
    ['\uff0b\uff12\uff14\uff14 \uff19\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19', '+244923456789'],
    ['923\u00ad456\u200b789', '+244923456789'],
  ])('reads %s as %s', (typed, phone) => {
    expect(normalizePhone(typed)).toBe(phone);
  });

  test.each([
    '',
    '+244',
    '823456789',
    '92345678',
    '9234567890',
    '+351923456789',
    '+1244923456789',
    '0923456789',
    '244244923456789',
    '+244+244923456789',
    '++244923456789',
    '٩٢٣٤٥٦٧٨٩',
    'tel:tel:923456789',
    '923456789 / 924456789',
    '923,456,789',
    '-',
    '()',
    '923456789;ext=1',
    '923456789\u0000',
    '923456789\u0007',
    '923/456/789',
    '9'.repeat(60_000),
    'nove dois três',
  ])('returns null for %j', (typed) => {
    expect(normalizePhone(typed)).toBeNull();
  });
});

describe('showPhone', () => {
  test('shows three groups of three digits', () => {
    expect(showPhone('+244923456789')).toBe('923 456 789');
  });

  test('returns text that normalizePhone reads back', () => {
    fc.assert(
      fc.property(local, (number) => {
        expect(normalizePhone(showPhone(`+244${number}`))).toBe(`+244${number}`);
      }),
    );
  });

  test('hides the middle digits, so that the masked text does not depend on them', () => {
    fc.assert(
      fc.property(digits(2), digits(3), digits(3), digits(3), (start, one, other, end) => {
        const mask = maskPhone(`+2449${start}${one}${end}`);
        expect(mask).toBe(`9${start} ••• ${end}`);
        expect(maskPhone(`+2449${start}${other}${end}`)).toBe(mask);
      }),
    );
  });
});
