// A merchant's brand: the limits of a logo, and the merchant's colour for buttons and for text.
// Buttons keep the colour itself, with light or dark letters. Text and borders use the nearest readable shade.
import type { Brand } from './checkout.ts';

export const MAX_LOGO_BYTES = 32 * 1024;
/** Maximum width and height of a logo. */
export const MAX_LOGO_PIXELS = 1024;

/** The backgrounds with the least contrast in each theme (shared/tokens.css, checkout/ui/tokens.css). */
const GROUNDS = { light: '#faf8f4', dark: '#1e1c19' } as const;

/** The minimum contrast ratio of WCAG 1.4.3, 4.5:1. */
const CONTRAST = 4.5;

const STEPS = 64;

/** Letters on a filled button, in the order of choice. Every colour has enough contrast to white or to black. */
const LETTERS = ['#ffffff', '#1b1a17', '#000000'] as const;

/** Returns the merchant's colour with the letters on it, and the shades of it that are readable as text. */
export function readBrand(color: string | null | undefined): Brand | null {
  if (!color) return null;
  const [light, dark] = [shadeUntilRead(color, 0, GROUNDS.light), shadeUntilRead(color, 1, GROUNDS.dark)];
  return {
    light,
    dark,
    fill: color,
    letters: LETTERS.find((each) => contrastOf(each, color) >= CONTRAST) ?? '#000000',
  };
}

/** @param end the lightness that certainly has enough contrast: 0 (black) or 1 (white) */
function shadeUntilRead(color: string, end: 0 | 1, ground: string): string {
  let shade = color;
  for (let step = 1; step <= STEPS && contrastOf(shade, ground) < CONTRAST; step++)
    shade = setLightness(color, (lightness) => lightness + ((end - lightness) * step) / STEPS);
  return shade;
}

/** Keeps hue and saturation (HSL) of a colour, so that the shade still looks like the merchant's colour. */
function setLightness(color: string, change: (lightness: number) => number): string {
  const parts = readParts(color).map((part) => part / 255);
  const lightness = (Math.max(...parts) + Math.min(...parts)) / 2;
  const room = (at: number) => Math.min(at, 1 - at);
  const next = change(lightness);
  const changed = parts.map((part) => next + (room(lightness) && ((part - lightness) / room(lightness)) * room(next)));
  return `#${changed
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/** The WCAG contrast ratio of two colours: 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The WCAG relative luminance of `#rrggbb`: 0 to 1. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = readParts(color).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function readParts(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
