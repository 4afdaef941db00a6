// The shades of a brand colour meet the contrast of WCAG 2.2 AA.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contrastOf, readBrand } from '../../../shared/brand.ts';
import { readText } from '../../support/source.ts';

describe('contrastOf', () => {
  test.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
  ])('returns the WCAG contrast of %s on %s', (one, other, ratio) => {
    expect(contrastOf(one, other)).toBeCloseTo(ratio, 1);
    expect(contrastOf(other, one)).toBe(contrastOf(one, other));
  });
});

test('the pages and the widget have the same dark colours', () => {
  const darkOf = (path: string) => /@media screen[^{]*\{[^{]*\{([^}]*)/.exec(readText(path))?.[1]?.match(/--[^;]+/g);
  const page = darkOf('checkout/ui/tokens.css') ?? [];
  expect(page.length).toBeGreaterThan(5);
  expect(darkOf('widget/widget.css')).toEqual(page.filter((each) => !each.startsWith('--paper')));
});

describe('readBrand', () => {
  test('returns text and letters with a contrast of 4.5 on page, card and button, for every colour', () => {
    const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((rgb) => `#${rgb.toString(16).padStart(6, '0')}`);
    fc.assert(
      fc.property(anyColor, (color) => {
        const { light, dark, fill, letters } = readBrand(color)!;
        expect(fill).toBe(color);
        expect(contrastOf(letters, fill), `${letters} on ${fill}`).toBeGreaterThanOrEqual(4.5);
        for (const ground of ['#faf8f4', '#ffffff'])
          expect(contrastOf(light, ground), `${color} as ${light} on ${ground}`).toBeGreaterThanOrEqual(4.5);
        for (const ground of ['#141311', '#1e1c19'])
          expect(contrastOf(dark, ground), `${color} as ${dark} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 2_000, examples: [['#000000'], ['#ffffff'], ['#ffff00'], ['#0000ff']] },
    );
  });
  test.each([
    ['#ffcc00', '#1b1a17'],
    ['#ffffff', '#1b1a17'],
    ['#0b5d5b', '#ffffff'],
    ['#000000', '#ffffff'],
    ['#7f7f7f', '#000000'],
  ])('fills a button with %s, with letters in %s', (color, letters) => {
    expect(readBrand(color)).toMatchObject({ fill: color, letters });
  });
  test('keeps a colour that is legible', () => {
    expect(readBrand('#0b5d5b')?.light).toBe('#0b5d5b');
    expect(readBrand('#5fc6c0')?.dark).toBe('#5fc6c0');
  });
  test('keeps the hue of a colour that is not legible', () => {
    const { light } = readBrand('#f5b301')!;
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(light.slice(at, at + 2), 16));
    expect(red).toBeGreaterThan(green);
    expect(green).toBeGreaterThan(blue * 10);
  });
  test('returns null without a colour', () => {
    expect(readBrand(null)).toBeNull();
    expect(readBrand(undefined)).toBeNull();
  });
});
