// Draws a QR code as PNG for print and tills, or as SVG for screens. Equal contents give equal bytes.
import { PNG } from 'pngjs';
import QRCode from 'qrcode';

/** The width of the white margin in modules. Readers need the margin to find the QR code on a busy poster. */
const QUIET_ZONE = 4;

/** The gray value of a dark module. QR codes are dark on white even on dark pages, because many apps read no others. */
const DARK = 0x1b;
const LIGHT = 0xff;

/** The prefix of a QR code that the rail returned as an image. The gateway does not know the code's text. */
const PICTURE = 'data:image/png;base64,';

export function isPicture(content: string): boolean {
  return content.startsWith(PICTURE);
}

/**
 * Draws a QR code as a PNG of `sizePx` × `sizePx`.
 * Each module has the same whole number of pixels, because cheap cameras fail at uneven modules.
 * The remaining pixels widen the white margin. The image is larger than `sizePx` only if the QR code does not fit.
 * An image from the rail is returned unchanged.
 * @throws Error if the content is longer than a QR code can hold
 */
export function drawQrPng(content: string, sizePx: number): Buffer {
  if (isPicture(content)) return Buffer.from(content.slice(PICTURE.length), 'base64');
  const { size, data } = readModules(content);
  const scale = Math.max(1, Math.floor(sizePx / (size + 2 * QUIET_ZONE)));
  const width = Math.max(sizePx, scale * (size + 2 * QUIET_ZONE));
  const start = Math.floor((width - scale * size) / 2);
  const pixels = Buffer.alloc(width * width, LIGHT);
  for (let y = 0; y < scale * size; y++) {
    const row = (start + y) * width + start;
    for (let x = 0; x < size; x++)
      if (data[Math.floor(y / scale) * size + x]) pixels.fill(DARK, row + x * scale, row + (x + 1) * scale);
  }
  const gray = { colorType: 0, inputColorType: 0, inputHasAlpha: false } as const;
  return PNG.sync.write({ width, height: width, data: pixels }, { ...gray, filterType: 2, deflateLevel: 1 });
}

/**
 * Draws a QR code as an SVG document that fills its container. It has no styles, so every content policy accepts it.
 * @throws Error if the content is longer than a QR code can hold
 */
export function drawQrSvg(content: string): string {
  if (isPicture(content))
    return (
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">' +
      `<image href="${content}" width="100" height="100"/></svg>`
    );
  const { size, data } = readModules(content);
  const edge = size + 2 * QUIET_ZONE;
  let path = '';
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const start = x;
      while (x < size && data[y * size + x]) x++;
      const run = x - start;
      if (run > 0) path += `M${start + QUIET_ZONE} ${y + QUIET_ZONE}h${run}v1h-${run}z`;
    }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${edge} ${edge}" shape-rendering="crispEdges">` +
    `<path fill="#ffffff" d="M0 0h${edge}v${edge}H0z"/><path fill="#1b1a17" d="${path}"/></svg>`
  );
}

function readModules(content: string): { size: number; data: ArrayLike<number> } {
  return QRCode.create(content, { errorCorrectionLevel: 'M' }).modules;
}
