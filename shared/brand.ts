// A merchant's brand: how large a logo may be, and its colour as payers can read it, the nearest shade with enough contrast, in the light and in the dark.
import type { Brand } from './checkout.ts';

export const MAX_LOGO_BYTES = 32 * 1024;
/** A side. */
export const MAX_LOGO_PIXELS = 1024;

/** What it is read on, and written with: the lightest and the darkest there is of each (shared/tokens.css, checkout/ui/tokens.css). */
const GROUNDS = { light: '#faf8f4', dark: '#1e1c19' } as const;

/** WCAG 1.4.3, and what the house promises (4.5:1). */
const CONTRAST = 4.5;

const STEPS = 64;

/** The colour itself where it can be read; else as much darker or lighter as is enough, in the same hue. */
export function readBrand(color: string | null | undefined): Brand | null {
  return color
    ? { light: shadeUntilRead(color, 0, GROUNDS.light), dark: shadeUntilRead(color, 1, GROUNDS.dark) }
    : null;
}

/** @param end the lightness that can be read for certain: black's or white's */
function shadeUntilRead(color: string, end: 0 | 1, ground: string): string {
  let shade = color;
  for (let step = 1; step <= STEPS && contrastOf(shade, ground) < CONTRAST; step++)
    shade = setLightness(color, (lightness) => lightness + ((end - lightness) * step) / STEPS);
  return shade;
}

/** Hue and saturation stay (HSL): grey would say nothing of a shop in navy. */
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

/** WCAG's contrast ratio of two colours: 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG's relative luminance of `#rrggbb`. */
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
