// A QR code's content as an image (decisions §3): PNG for print and tills, SVG for screens. The same content is the same bytes.
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import { rarely } from '../../rare.ts';

const loadQrcode = rarely<typeof import('qrcode')>('qrcode');

/** Modules of white around the code: with fewer, readers no longer find it on a busy poster. */
const QUIET_ZONE = 4;

/** Always dark on white, whatever the page around: many banking apps do not read an inverted code. */
const DARK = '1b1a17';
const LIGHT = 'ffffff';

/** How a code is kept whose rail draws it: its text is not known, only the picture. */
const PICTURE = 'data:image/png;base64,';

export function isPicture(content: string): boolean {
  return content.startsWith(PICTURE);
}

/**
 * The code as a PNG of `sizePx` × `sizePx`. Every module is the same whole number of pixels (blurred or uneven ones are
 * what cheap cameras fail at); what is left over widens the white around. Larger than asked only where the code would not fit.
 * A picture of the rail's own stays as it came.
 * @throws when the content is longer than a QR code can hold
 */
export async function drawQrPng(content: string, sizePx: number): Promise<Buffer> {
  if (isPicture(content)) return Buffer.from(content.slice(PICTURE.length), 'base64');
  const { size, isDark } = readModules(content);
  const scale = Math.max(1, Math.floor(sizePx / (size + 2 * QUIET_ZONE)));
  const edge = Math.max(sizePx, scale * (size + 2 * QUIET_ZONE));
  const start = Math.floor((edge - scale * size) / 2);
  const moduleAt = (pixel: number) => Math.floor((pixel - start) / scale);

  return writePng({ width: edge, height: edge, colors: [LIGHT, DARK] }, (x, y) => isDark(moduleAt(x), moduleAt(y)));
}

type Canvas = { width: number; height: number; colors: readonly [back: string, front: string] };

/** A PNG of two colours, six hexadecimal digits each. */
export async function writePng(
  { width, height, colors }: Canvas,
  isFront: (x: number, y: number) => boolean,
): Promise<Buffer> {
  // One bit per pixel. Each row begins with its filter type (0: unfiltered).
  const rowBytes = 1 + Math.ceil(width / 8);
  const pixels = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) if (isFront(x, y)) pixels[y * rowBytes + 1 + (x >> 3)]! |= 0x80 >> (x & 7);

  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 3], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    writeChunk('IHDR', header),
    writeChunk('PLTE', Buffer.from(colors.join(''), 'hex')),
    writeChunk('IDAT', await promisify(deflate)(pixels)),
    writeChunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * The code as an SVG document as wide as wherever it is put, without styles, so that any policy lets it be seen.
 * @throws when the content is longer than a QR code can hold
 */
export function drawQrSvg(content: string): string {
  if (isPicture(content))
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><image href="${content}" width="100" height="100"/></svg>`;
  const { size, isDark } = readModules(content);
  const edge = size + 2 * QUIET_ZONE;
  let path = '';
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      if (!isDark(x, y)) continue;
      const start = x;
      while (isDark(x + 1, y)) x++;
      const run = x + 1 - start;
      path += `M${start + QUIET_ZONE} ${y + QUIET_ZONE}h${run}v1h-${run}z`;
    }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${edge} ${edge}" shape-rendering="crispEdges">` +
    `<path fill="#${LIGHT}" d="M0 0h${edge}v${edge}H0z"/><path fill="#${DARK}" d="${path}"/></svg>`
  );
}

/** The code's dark modules; outside of it all is light. */
function readModules(content: string) {
  const { size, data } = loadQrcode().create(content, { errorCorrectionLevel: 'M' }).modules;
  const isDark = (x: number, y: number) => x >= 0 && y >= 0 && x < size && y < size && data[y * size + x] === 1;
  return { size, isDark };
}

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  frame.set(body, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
