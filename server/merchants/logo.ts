// A merchant's logo: a small PNG, JPEG or WebP as a data: URL, told by its own bytes and not by what it says it is.

export const MAX_LOGO_BYTES = 32 * 1024;
export const MAX_LOGO_PIXELS = 1024;

type Size = { width: number; height: number };

/** Each format that is taken, and how to read its size; null: it is not of that format. SVG can carry programs: not here. */
const FORMATS: Record<string, (bytes: Buffer) => Size | null> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
};

const DATA_URL = /^data:(image\/[a-z]+);base64,([A-Za-z0-9+/]+={0,2})$/;

/** The image in a logo that was taken; null for none. */
export function readLogo(text: string): { type: string; bytes: Buffer } | null {
  const [, type, encoded = ''] = DATA_URL.exec(text) ?? [];
  return type ? { type, bytes: Buffer.from(encoded, 'base64') } : null;
}

/** Whether this is a logo: of a known format, within its limits. */
export function isLogo(text: string): boolean {
  // Base64 takes four characters for three bytes, and the beginning a few.
  if (text.length > MAX_LOGO_BYTES * 1.4) return false;
  const [, type = '', encoded = ''] = DATA_URL.exec(text) ?? [];
  const readSize = Object.hasOwn(FORMATS, type) ? FORMATS[type] : undefined;
  if (!readSize) return false;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > MAX_LOGO_BYTES || bytes.toString('base64') !== encoded) return false;
  const size = readSize(bytes);
  return !!size && isWithin(size.width) && isWithin(size.height);
}

const isWithin = (pixels: number) => pixels >= 1 && pixels <= MAX_LOGO_PIXELS;

const PNG_START = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** The signature, and IHDR, which must come first. */
function readPng(bytes: Buffer): Size | null {
  if (bytes.length < 33 || !bytes.subarray(0, 16).equals(PNG_START)) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Segment by segment to the frame header (SOF), which has the size. */
function readJpeg(bytes: Buffer): Size | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // C4, C8 and CC are tables among the frame headers; from the scan (DA) on there are none.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    if (marker === 0xda || marker === 0xd9) return null;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** The first chunk says which of the three kinds it is, and the size in that kind's way. */
function readWebp(bytes: Buffer): Size | null {
  const textAt = (from: number) => bytes.toString('latin1', from, from + 4);
  if (bytes.length < 30 || textAt(0) !== 'RIFF' || textAt(8) !== 'WEBP') return null;
  const kind = textAt(12);
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a)
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (kind === 'VP8L' && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return null;
}
