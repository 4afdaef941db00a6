// A merchant's colour is read by everybody: whatever it is, what is shown of it has the contrast the house promises.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contrastOf, readBrand } from '../../../shared/brand.ts';

describe('contrast', () => {
  test.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
  ])('of %s on %s is as WCAG computes it', (one, other, ratio) => {
    expect(contrastOf(one, other)).toBeCloseTo(ratio, 1);
    expect(contrastOf(other, one)).toBe(contrastOf(one, other));
  });
});

describe('a brand', () => {
  test('of any colour is legible on paper and on the card, and what is written on it too', () => {
    const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((rgb) => `#${rgb.toString(16).padStart(6, '0')}`);
    fc.assert(
      fc.property(anyColor, (color) => {
        const { light, dark } = readBrand(color)!;
        for (const ground of ['#faf8f4', '#ffffff'])
          expect(contrastOf(light, ground), `${color} as ${light} on ${ground}`).toBeGreaterThanOrEqual(4.5);
        for (const ground of ['#141311', '#1e1c19'])
          expect(contrastOf(dark, ground), `${color} as ${dark} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 2_000, examples: [['#000000'], ['#ffffff'], ['#ffff00'], ['#0000ff']] },
    );
  });
  test('stays itself where it can be read', () => {
    expect(readBrand('#0b5d5b')?.light).toBe('#0b5d5b');
    expect(readBrand('#5fc6c0')?.dark).toBe('#5fc6c0');
  });
  test('keeps its hue where it cannot', () => {
    const { light } = readBrand('#f5b301')!;
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(light.slice(at, at + 2), 16));
    expect(red).toBeGreaterThan(green);
    expect(green).toBeGreaterThan(blue * 10);
  });
  test('of a merchant without a colour is none', () => {
    expect(readBrand(null)).toBeNull();
    expect(readBrand(undefined)).toBeNull();
  });
});
