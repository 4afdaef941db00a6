// The conversion of amounts between decimals and minor units is exact in both directions.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addMinor,
  compareMinor,
  exponentOf,
  fitsBounds,
  MAX_AMOUNT_MAJOR,
  minimumMinor,
  multiplyMinor,
  readAmount,
  readingsOf,
  readMajor,
  shareMinor,
  showMoney,
  toDecimal,
  toMajor,
  toMinor,
  toReceivedMinor,
} from '../../../shared/money.ts';

const CURRENCIES = [
  ['JPY', 0],
  ['AOA', 2],
  ['USD', 2],
  ['KWD', 3],
  ['CLF', 4],
  ['ZZZ', 2],
] as const;

const currency = fc.constantFrom(...CURRENCIES);
const limitOf = (exponent: number) => MAX_AMOUNT_MAJOR * 10 ** exponent;

/** Any amount that may be paid, with its currency. */
const amount = currency.chain(([code, exponent]) =>
  fc.record({ code: fc.constant(code), exponent: fc.constant(exponent), minor: fc.nat(limitOf(exponent)) }),
);

/** An independent oracle: minor units as decimal text without trailing zeros, computed with BigInt. */
function spellDecimal(minor: number, exponent: number): string {
  const scale = 10n ** BigInt(exponent);
  const fraction = String(BigInt(minor) % scale)
    .padStart(exponent, '0')
    .replace(/0+$/, '');
  const whole = BigInt(minor) / scale;
  return exponent > 0 && fraction ? `${whole}.${fraction}` : String(whole);
}

test.each(CURRENCIES)('the currency %s has %i decimals', (code, exponent) => {
  expect(exponentOf(code)).toBe(exponent);
});

describe('a round trip of an amount', () => {
  test('through decimal text returns the minor units', () => {
    fc.assert(
      fc.property(amount, ({ code, minor }) => {
        expect(toMinor(toDecimal(minor, code), code)).toEqual({ minor });
      }),
    );
  });

  test('through a JSON number returns the minor units', () => {
    fc.assert(
      fc.property(amount, ({ code, exponent, minor }) => {
        const json = JSON.stringify(toMajor(minor, code));
        expect(json).toBe(spellDecimal(minor, exponent));
        expect(toMinor(json, code)).toEqual({ minor });
      }),
    );
  });

  test('produces text with the decimals of the currency', () => {
    fc.assert(
      fc.property(amount, ({ code, exponent, minor }) => {
        const text = toDecimal(minor, code);
        expect(text).toMatch(exponent === 0 ? /^\d+$/ : new RegExp(`^\\d+\\.\\d{${exponent}}$`));
        expect(spellDecimal(minor, exponent)).toBe(exponent === 0 ? text : text.replace(/\.?0+$/, ''));
      }),
    );
  });

  test('returns the same amount for every spelling of the number', () => {
    const writing = fc.record({ amount, zeros: fc.nat(30), point: fc.nat(40), capital: fc.boolean() });
    fc.assert(
      fc.property(writing, ({ amount: { code, exponent, minor }, zeros, point, capital }) => {
        // The digits of minor × 10^zeros, with a decimal point at `point` and an exponent that keeps the value.
        const digits = `${minor}${'0'.repeat(zeros)}`.padStart(point + 1, '0');
        const whole = digits.slice(0, digits.length - point);
        const fraction = point > 0 ? `.${digits.slice(-point)}` : '';
        const power = point - zeros - exponent;
        expect(toMinor(`${whole}${fraction}${capital ? 'E' : 'e'}${power}`, code)).toEqual({ minor });
        expect(toMinor(`${whole}${fraction}e${power < 0 ? power : `+${power}`}`, code)).toEqual({ minor });
      }),
    );
  });
});

describe('toMinor', () => {
  test('refuses more decimals than the currency has', () => {
    fc.assert(
      fc.property(amount, fc.nat(20), fc.integer({ min: 1, max: 9 }), ({ code, exponent, minor }, zeros, digit) => {
        const text = `${toDecimal(minor, code)}${exponent === 0 ? '.' : ''}${'0'.repeat(zeros)}${digit}`;
        expect(toMinor(text, code)).toEqual({ fault: 'amount_precision' });
      }),
    );
  });

  test('accepts zeros beyond the decimals of the currency', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 400 }), ({ code, exponent, minor }, zeros) => {
        const text = `${toDecimal(minor, code)}${exponent === 0 ? '.' : ''}${'0'.repeat(zeros)}`;
        expect(toMinor(text, code)).toEqual({ minor });
      }),
    );
  });

  test('refuses more than 10,000,000', () => {
    fc.assert(
      fc.property(currency, fc.bigInt({ min: 1n, max: 10n ** 40n }), ([code, exponent], over) => {
        const text = `${BigInt(limitOf(exponent)) + over}e-${exponent}`;
        expect(toMinor(text, code)).toEqual({ fault: 'amount_out_of_range' });
      }),
    );
  });

  test('refuses negative amounts', () => {
    fc.assert(
      fc.property(amount, ({ code, minor }) => {
        fc.pre(minor > 0);
        expect(toMinor(`-${toDecimal(minor, code)}`, code)).toEqual({ fault: 'amount_out_of_range' });
      }),
    );
  });

  test.each(CURRENCIES)('accepts the limit in %s and refuses one minor unit more', (code, exponent) => {
    const limit = limitOf(exponent);
    expect(toMinor(String(MAX_AMOUNT_MAJOR), code)).toEqual({ minor: limit });
    expect(toMinor('1e7', code)).toEqual({ minor: limit });
    expect(toMinor(toDecimal(limit + 1, code), code)).toEqual({ fault: 'amount_out_of_range' });
  });

  test.each(['0', '-0', '0.00', '-0.000', '0e5', '0e-400'])('reads %s as 0, never as -0', (text) => {
    expect(toMinor(text, 'AOA')).toEqual({ minor: 0 });
  });

  test.each([
    ['0.001', 'AOA', 'amount_precision'],
    ['1.5', 'JPY', 'amount_precision'],
    ['0.0001', 'KWD', 'amount_precision'],
    ['1e-3', 'AOA', 'amount_precision'],
    ['1e-400', 'AOA', 'amount_precision'],
    ['1e400', 'AOA', 'amount_out_of_range'],
    ['1e9999', 'AOA', 'amount_out_of_range'],
    ['1e99999', 'AOA', 'amount_out_of_range'],
    ['-1', 'AOA', 'amount_out_of_range'],
    ['-0.001', 'AOA', 'amount_out_of_range'],
    ['-1e400', 'AOA', 'amount_out_of_range'],
    ['10000000.01', 'AOA', 'amount_out_of_range'],
  ])('refuses %s %s as %s', (text, code, fault) => {
    expect(toMinor(text, code)).toEqual({ fault });
  });

  test.each(['', ' 1', '+1', '.5', '1.', '0x10', '1,5', 'NaN', '١', '1\n'])(
    'refuses %j, which is not a number',
    (text) => {
      expect(toMinor(text, 'AOA')).toEqual({ fault: 'amount_out_of_range' });
    },
  );

  test('reads 400,000 digits in linear time', () => {
    // A quadratic parser would need minutes. A request body of 1 MiB can contain even more digits.
    const zeros = '0'.repeat(400_000);
    expect(toMinor(`1${zeros}1`, 'AOA')).toEqual({ fault: 'amount_out_of_range' });
    expect(toMinor(`0.${zeros}1`, 'AOA')).toEqual({ fault: 'amount_precision' });
    expect(toMinor(`1.${zeros}`, 'AOA')).toEqual({ minor: 100 });
  });
});

describe('the comparison of received and requested money', () => {
  test('is exact, although sums of floating-point numbers are not', () => {
    expect(addMinor(10, 20)).toBe(30);
    expect(addMinor()).toBe(0);
    expect(toDecimal(addMinor(10, 20), 'AOA')).toBe('0.30');
  });

  test.each([
    [99, 100, 'less'],
    [100, 100, 'exact'],
    [101, 100, 'more'],
    [0, 0, 'exact'],
  ])('for %i received and %i requested is %s', (received, asked, compared) => {
    expect(compareMinor(received, asked)).toBe(compared);
  });
});

describe('products and shares of amounts', () => {
  const MOST = Number.MAX_SAFE_INTEGER;

  test.each([
    [1_999, 3, 5_997],
    [12, 0, 0],
    [MOST, 1, MOST],
    [3, 3_002_399_751_580_330, 9_007_199_254_740_990],
  ])('%i times %i is %i', (minor, times, product) => {
    expect(multiplyMinor(minor, times)).toBe(product);
  });

  test.each([
    [10_000, 1_400, 1_400],
    [150_000, 700, 10_500],
    [100, 50, 1],
    [100, 49, 0],
    [99, 50, 0],
    [10_001, 5_000, 5_001],
    [0, 1_400, 0],
    [MOST, 10_000, MOST],
  ])('%i at %i basis points is %i, with half a unit rounded up', (minor, bps, share) => {
    expect(shareMinor(minor, bps)).toBe(share);
  });

  test('throw if the result is not exact', () => {
    expect(() => multiplyMinor(MOST, 2)).toThrow(RangeError);
    expect(() => multiplyMinor(2 ** 52, 2)).toThrow('9007199254740992 is no exact amount');
    expect(() => shareMinor(MOST, 10_001)).toThrow(RangeError);
  });
});

test.each([
  [-150, 'AOA', '-1.50'],
  [-1, 'AOA', '-0.01'],
  [-7, 'JPY', '-7'],
])('toDecimal writes the negative amount %i %s as %s', (minor, code, text) => {
  expect(toDecimal(minor, code)).toBe(text);
});

describe('a bound of an amount', () => {
  test.each([
    ['JPY', 1],
    ['AOA', 1],
    ['KWD', 10],
    ['CLF', 100],
  ])('is at least the smallest payment: in %s it is %i minor units', (code, least) => {
    expect(minimumMinor(code)).toBe(least);
  });

  test.each([
    [100, true],
    [99, false],
    [75, false],
    [125, true],
    [150, true],
    [175, false],
  ])('can be a minimum, a maximum and a step: %i is allowed: %s', (minor, fits) => {
    expect(fitsBounds(minor, { minMinor: 100, maxMinor: 150, stepMinor: 25 })).toBe(fits);
  });

  test('does not apply to received money', () => {
    expect(toReceivedMinor('10000000.01', 'AOA')).toEqual({ minor: 1_000_000_001 });
    expect(toReceivedMinor('90071992547409.91', 'AOA')).toEqual({ minor: Number.MAX_SAFE_INTEGER });
    expect(toReceivedMinor('90071992547409.92', 'AOA')).toEqual({ fault: 'amount_out_of_range' });
    expect(toReceivedMinor('1.001', 'AOA')).toEqual({ fault: 'amount_precision' });
    expect(toReceivedMinor('-1', 'AOA')).toEqual({ fault: 'amount_out_of_range' });
  });
});

describe('showMoney', () => {
  const NBSP = '\u00a0';

  test.each([
    [123_456_750, 'AOA', '1 234 567,50 Kz'],
    [150_000, 'AOA', '1 500,00 Kz'],
    [99_999, 'AOA', '999,99 Kz'],
    [1, 'AOA', '0,01 Kz'],
    [0, 'AOA', '0,00 Kz'],
    [1_000_000_000, 'AOA', '10 000 000,00 Kz'],
    [1_234_567, 'JPY', '1 234 567 JPY'],
    [1_234_567, 'KWD', '1 234,567 KWD'],
    [1_999, 'USD', '19,99 USD'],
  ])('shows %i %s as %s with no-break spaces', (minor, code, shown) => {
    expect(showMoney(minor, code)).toBe(shown.replaceAll(' ', NBSP));
  });

  test('groups digits by three for each amount', () => {
    fc.assert(
      fc.property(amount, ({ code, exponent, minor }) => {
        const shown = showMoney(minor, code);
        expect(shown).not.toContain(' ');
        expect(shown).toMatch(
          new RegExp(`^\\d{1,3}(${NBSP}\\d{3})*${exponent > 0 ? `,\\d{${exponent}}` : ''}${NBSP}\\w+$`),
        );
        expect(shown.replace(/\D/g, '')).toBe(toDecimal(minor, code).replace('.', ''));
      }),
    );
  });
});

describe('readAmount', () => {
  test.each([
    ['1 500,50 Kz', 1500.5],
    ['Kz 1 500', 1500],
    ['1500 AOA', 1500],
    ['12.500,00', 12_500],
    ['1,450.50', 1450.5],
    ['1,234,567.8', 1_234_567.8],
    ['1.500.000', 1_500_000],
    ['1500.5', 1500.5],
    ['0,500', 0.5],
    ["1'500.50", 1500.5],
    ['\uff11\uff15\uff10\uff10\uff0c\uff15\uff10', 1500.5],
    ['\u202a1\u202f500,00\u202c', 1500],
    ['  1\n 500,00  ', 1500],
    ['1\u2019500,00', 1500],
    // The precision check refuses this later.
    ['1500,255', 1500.255],
  ])('reads %j', (typed, major) => {
    expect(readMajor(typed)).toBe(major);
  });

  test.each(['1.500', '1,500', '12.345', '123,456'])(
    'reads three digits after the only separator of %s as thousands',
    (typed) => {
      expect(readMajor(typed)).toBe(Number(typed.replace(/\D/, '')));
    },
  );

  test.each(['', 'mil', '-5', '+5', '1 50', '12.34.567,00', '1.500.00', '1,500,5', '1.5000', '1e3', '٣', '10 USD'])(
    'refuses text that is no amount: %j',
    (typed) => {
      expect([readAmount(typed), readingsOf(typed)]).toEqual([null, null]);
    },
  );

  test.each<[string, string, string[]]>([
    ['1500,500', 'AOA', ['1 500,50 Kz', '1 500 500,00 Kz']],
    ['1.500,500', 'AOA', ['1 500,50 Kz', '1 500 500,00 Kz']],
    ['12.345,670', 'USD', ['12 345,67 USD', '12 345 670,00 USD']],
    ['1.500', 'KWD', ['1 500,000 KWD', '1,500 KWD']],
    ['1,234', 'KWD', ['1 234,000 KWD', '1,234 KWD']],
  ])('refuses %s in %s, and readingsOf returns both amounts', (typed, currency, readings) => {
    const shown = readingsOf(typed, currency)?.map((each) => each.replaceAll('\u00a0', ' '));
    expect([readAmount(typed, { currency }), shown]).toEqual([null, readings]);
  });

  test.each<[string, Parameters<typeof readAmount>[1], string | null]>([
    ['1.500,50', { decimal: ',' }, '1500.50'],
    ['1.500,50', { decimal: '.' }, null],
    ['1.500', { decimal: ',' }, '1500.0'],
    ['1.500', { decimal: '.' }, null],
    ['1,500', { decimal: ',' }, null],
    ['1500,50', { decimal: ',' }, '1500.50'],
    ['1500,50', { decimal: '.' }, null],
    ['1500', { decimal: '.' }, '1500.0'],
    ['1 500', { decimal: ',' }, '1500.0'],
    ['1 500', { currency: 'KWD' }, '1500.0'],
    ['1500.500', { currency: 'KWD' }, '1500.500'],
    ['-1 500,50', { isSigned: true }, '-1500.50'],
    ['\u2212 5', { isSigned: true }, '-5.0'],
    ['+5', { isSigned: true }, '5.0'],
    ['5 USD', { currency: 'USD' }, '5.0'],
    ['5 Kz', { currency: 'USD' }, null],
    ['mil', { isSigned: true }, null],
  ])('reads %j of the source %j as %s', (typed, source, text) => {
    expect(readAmount(typed, source)).toBe(text);
  });

  test('limits the number of digits', () => {
    expect([readMajor('12.345.678,00'), readMajor('123.456.789,00')]).toEqual([12_345_678, null]);
    expect(readMajor('123.456.789,00', 12)).toBe(123_456_789);
  });

  test('reads every spelling of an amount back to the amount', () => {
    const spelling = fc.record({
      group: fc.constantFrom('', ' ', '\u00a0', '\u202f', '.', ',', "'", '\u2019'),
      point: fc.constantFrom(',', '.'),
      isShort: fc.boolean(),
      around: fc.constantFrom<[string, string]>(
        ['', ''],
        ['Kz ', ''],
        ['', ' Kz'],
        ['', 'Kz'],
        ['', ' AOA'],
        [' ', '\n'],
      ),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), spelling, (minor, { group, point, isShort, around }) => {
        fc.pre(group !== point);
        const [whole = '', cents = ''] = toDecimal(minor, 'AOA').split('.');
        const decimals = isShort ? cents.replace(/0+$/, '') : cents;
        const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
        const typed = `${around[0]}${grouped}${decimals && point}${decimals}${around[1]}`;
        expect(toMinor(readAmount(typed) ?? '', 'AOA'), typed).toEqual({ minor });
      }),
      { numRuns: 2_000 },
    );
  });

  test('reads each form in which the gateway shows amounts of any currency', () => {
    fc.assert(
      fc.property(amount, ({ code, minor }) => {
        expect(toMinor(readAmount(showMoney(minor, code), { currency: code }) ?? '', code)).toEqual({ minor });
      }),
    );
  });
});
