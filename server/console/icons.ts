// The icons of the installed console: the product's mark, a counter, drawn as PNG images and as an SVG.
import { PNG } from 'pngjs';

const BRAND = '#0b5d5b';
/** The side of the square that the mark is drawn in. Every number below is in its units. */
const UNITS = 16;
/** The counter: its plate and its two legs, each as left, top, width and height. */
const COUNTER = [
  [3, 5, 10, 2],
  [4, 7, 2, 5],
  [10, 7, 2, 5],
] as const;
const CORNER = 3;

/** `isFull`: the colour fills the square, because the phone cuts the shape out itself. */
export type IconShape = { size: number; isFull: boolean };

/** The mark as an SVG. */
export function writeIconSvg(): string {
  const paths = COUNTER.map(([left, top, width, height]) => `M${left} ${top}h${width}v${height}h-${width}Z`).join('');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${UNITS} ${UNITS}">` +
    `<rect width="${UNITS}" height="${UNITS}" rx="${CORNER}" fill="${BRAND}"/><path d="${paths}" fill="#fff"/></svg>`
  );
}

/** The mark as a PNG. The pixels at the edge of the round corners are mixed with the transparent ground. */
export function drawIcon({ size, isFull }: IconShape): Buffer {
  const data = Buffer.alloc(4 * size * size, `${BRAND.slice(1)}ff`, 'hex');
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const at = 4 * (y * size + x);
      const [left, top] = [((x + 0.5) * UNITS) / size, ((y + 0.5) * UNITS) / size];
      if (isCounter(left, top)) data.fill(0xff, at, at + 3);
      if (!isFull) data[at + 3] = Math.round(255 * coverOf(left, top, size));
    }
  return PNG.sync.write({ width: size, height: size, data }, { colorType: 6, inputColorType: 6, inputHasAlpha: true });
}

const isCounter = (x: number, y: number) =>
  COUNTER.some(([left, top, width, height]) => x >= left && x < left + width && y >= top && y < top + height);

/** The part of a pixel, from 0 to 1, that the square with round corners covers. */
function coverOf(x: number, y: number, size: number): number {
  const [besideX, besideY] = [CORNER - Math.min(x, UNITS - x), CORNER - Math.min(y, UNITS - y)];
  if (besideX <= 0 || besideY <= 0) return 1;
  const outside = ((Math.hypot(besideX, besideY) - CORNER) * size) / UNITS;
  return Math.min(1, Math.max(0, 0.5 - outside));
}
