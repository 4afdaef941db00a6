import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measureText, septetsOf, splitText } from '../../../shared/sms-parts.ts';

/** The default alphabet of 3GPP TS 23.038 from 0x00 to 0x7F. */
const STANDARD = `
  0040 00A3 0024 00A5 00E8 00E9 00F9 00EC 00F2 00C7 000A 00D8 00F8 000D 00C5 00E5
  0394 005F 03A6 0393 039B 03A9 03A0 03A8 03A3 0398 039E ESC  00C6 00E6 00DF 00C9
  0020 0021 0022 0023 00A4 0025 0026 0027 0028 0029 002A 002B 002C 002D 002E 002F
  0030 0031 0032 0033 0034 0035 0036 0037 0038 0039 003A 003B 003C 003D 003E 003F
  00A1 0041 0042 0043 0044 0045 0046 0047 0048 0049 004A 004B 004C 004D 004E 004F
  0050 0051 0052 0053 0054 0055 0056 0057 0058 0059 005A 00C4 00D6 00D1 00DC 00A7
  00BF 0061 0062 0063 0064 0065 0066 0067 0068 0069 006A 006B 006C 006D 006E 006F
  0070 0071 0072 0073 0074 0075 0076 0077 0078 0079 007A 00E4 00F6 00F1 00FC 00E0`
  .trim()
  .split(/\s+/)
  .filter((code) => code !== 'ESC')
  .map((code) => String.fromCodePoint(Number.parseInt(code, 16)));

/** The extension table: 0A form feed, 14 ^, 28 {, 29 }, 2F \, 3C [, 3D ~, 3E ], 40 |, 65 €. */
const EXTENDED = [0x0c, 0x5e, 0x7b, 0x7d, 0x5c, 0x5b, 0x7e, 0x5d, 0x7c, 0x20ac].map((code) =>
  String.fromCodePoint(code),
);

describe('the GSM 7-bit default alphabet', () => {
  test('has 127 characters of one septet and 10 of two', () => {
    expect(STANDARD).toHaveLength(127);
    const expected = new Map([...STANDARD.map((c) => [c, 1] as const), ...EXTENDED.map((c) => [c, 2] as const)]);
    expect(expected.size).toBe(137);
    const found = new Map<string, number>();
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      const septets = septetsOf(character);
      if (septets !== null) found.set(character, septets);
    }
    expect([...found].toSorted()).toEqual([...expected].toSorted());
  });
});

const FAMILY = '👨\u200d👩\u200d👧';

describe('measureText', () => {
  const gsm = (text: string, characters: number, parts: number) => ['GSM-7', characters, parts, text] as const;
  const ucs = (text: string, characters: number, parts: number) => ['UCS-2', characters, parts, text] as const;

  test.each([
    gsm('', 0, 1),
    gsm('a'.repeat(160), 160, 1),
    gsm('a'.repeat(161), 161, 2),
    gsm('a'.repeat(307), 307, 3),
    gsm('a'.repeat(1530), 1530, 10),
    gsm('a'.repeat(1531), 1531, 11),
    gsm('€'.repeat(80), 160, 1),
    gsm(`${'a'.repeat(158)}€`, 160, 1),
    gsm(`${'a'.repeat(159)}€`, 161, 2),
    // Each part leaves one of 153 septets empty.
    gsm('€'.repeat(152), 304, 2),
    gsm('€'.repeat(153), 306, 3),
    // The split leaves one septet empty, which moves the rest of the text by one.
    gsm(`${'a'.repeat(151)}€${'b'.repeat(153)}`, 306, 2),
    gsm(`${'a'.repeat(152)}€${'b'.repeat(152)}`, 306, 3),
    gsm('\r\n'.repeat(80), 160, 1),
    ucs('ç'.repeat(70), 70, 1),
    ucs('ç'.repeat(71), 71, 2),
    ucs('ç'.repeat(135), 135, 3),
    ucs(`${'a'.repeat(159)}ã`, 160, 3),
    // In UCS-2 the extension characters count once.
    ucs('ç€{}', 4, 1),
    ucs('😀'.repeat(35), 70, 1),
    // An emoji is never divided, so that each part leaves one of 67 units empty.
    ucs('😀'.repeat(66), 132, 2),
    ucs('😀'.repeat(67), 134, 3),
    ucs(`${'a'.repeat(65)}😀${'b'.repeat(67)}`, 134, 2),
    ucs(`${'a'.repeat(66)}😀${'b'.repeat(66)}`, 134, 3),
    ucs(FAMILY, 8, 1),
    ucs('❤\ufe0f', 2, 1),
  ])('counts %s of %i characters in %i parts', (encoding, characters, parts, text) => {
    expect(measureText(text)).toMatchObject({ encoding, characters, parts });
  });

  test.each([
    ['A sua encomenda chega amanhã às 10h.', ['ã']],
    ['Pagamento de 5 000 Kz às 10h. É só levantar: é o nº 3.', ['ó', 'º']],
    ['Parabéns, você ganhou três prémios 🎉🎉 “grátis”', ['ê', '🎉', '“', 'á', '”']],
    [`${FAMILY} e ❤\ufe0f`, ['👨', '\u200d', '👩', '👧', '❤', '\ufe0f']],
    ['Às vezes é à noite: òptimo! È ÇA?', ['À', 'È']],
    ['é à è ì ò ù Ç É ñ Ñ ü € bastam', []],
  ])('names the characters of %j that force UCS-2: %j', (text, forcedBy) => {
    const measure = measureText(text);
    expect(measure.forcedBy).toEqual(forcedBy);
    expect(measure.encoding).toBe(forcedBy.length > 0 ? 'UCS-2' : 'GSM-7');
  });
});

describe('splitText', () => {
  test('does not split a character', () => {
    expect(splitText('')).toEqual(['']);
    expect(splitText(`${'a'.repeat(152)}€${'b'.repeat(10)}`)).toEqual(['a'.repeat(152), `€${'b'.repeat(10)}`]);
    expect(splitText(`${'ç'.repeat(66)}😀${'b'.repeat(10)}`)).toEqual(['ç'.repeat(66), `😀${'b'.repeat(10)}`]);
    expect(splitText('x'.repeat(307))).toEqual(['x'.repeat(153), 'x'.repeat(153), 'x']);
  });

  const letters = {
    'GSM-7': [...STANDARD, ...EXTENDED, ...EXTENDED, ...EXTENDED],
    'UCS-2': ['a', '€', 'ã', 'ç', 'ó', '😀', '🎉', '\u200d', '\ufe0f', '漢', '𝒳'],
  };
  const sizes = { 'GSM-7': { single: 160, each: 153 }, 'UCS-2': { single: 70, each: 67 } };
  const texts = Object.entries(letters).map(([encoding, units]) => {
    const around = fc.tuple(
      fc.string({ unit: fc.constantFrom(...units), maxLength: 400 }),
      fc.string({ unit: fc.constantFrom('x', '€', encoding === 'UCS-2' ? '😀' : '{'), maxLength: 1000 }),
      fc.string({ unit: fc.constantFrom(...units), maxLength: 400 }),
    );
    return around.map((pieces) => pieces.join(''));
  });

  test('returns the smallest number of parts that fit, and the parts join to the text', () => {
    fc.assert(
      fc.property(fc.oneof(...texts), (text) => {
        const { encoding, parts, characters, forcedBy } = measureText(text);
        const { single, each } = sizes[encoding];
        const widthOf = (piece: string) =>
          encoding === 'UCS-2' ? piece.length : [...piece].reduce((sum, c) => sum + (EXTENDED.includes(c) ? 2 : 1), 0);
        const split = splitText(text);
        expect(split.join('')).toBe(text);
        expect(parts).toBe(split.length);
        expect(characters).toBe(widthOf(text));
        expect(forcedBy).toEqual([...new Set([...text].filter((c) => ![...STANDARD, ...EXTENDED].includes(c)))]);
        expect(encoding).toBe(forcedBy.length > 0 ? 'UCS-2' : 'GSM-7');
        expect(split.length === 1).toBe(characters <= single);
        for (const [nth, part] of split.entries()) {
          expect(part.isWellFormed()).toBe(true);
          expect(widthOf(part)).toBeLessThanOrEqual(split.length === 1 ? single : each);
          const next = split[nth + 1];
          if (next !== undefined) expect(widthOf(part + [...next][0])).toBeGreaterThan(each);
        }
      }),
      { numRuns: 300 },
    );
  });
});
