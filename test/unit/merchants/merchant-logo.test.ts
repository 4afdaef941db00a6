import { describe, expect, test } from 'vitest';
import { isLogo } from '../../../server/merchants/schemas.ts';
import { MAX_LOGO_BYTES } from '../../../shared/brand.ts';

const PICTURES = {
  png: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  jpeg: '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  lossy: 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA',
  lossless: 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==',
  extended:
    'UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==',
} as const;

const TYPES = { png: 'png', jpeg: 'jpeg', lossy: 'webp', lossless: 'webp', extended: 'webp' } as const;
type Kind = keyof typeof PICTURES;
const KINDS = Object.keys(PICTURES) as Kind[];

const bytesOf = (kind: Kind) => Buffer.from(PICTURES[kind], 'base64');
const dataUrl = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString('base64')}`;

/** Returns an image file with this size in its header. */
function resized(kind: Kind, width: number, height: number): string {
  const bytes = bytesOf(kind);
  const write: Record<Kind, () => void> = {
    png: () => void (bytes.writeUInt32BE(width, 16), bytes.writeUInt32BE(height, 20)),
    jpeg() {
      const frame = bytes.indexOf(Buffer.from('ffc2', 'hex'));
      bytes.writeUInt16BE(height, frame + 5);
      bytes.writeUInt16BE(width, frame + 7);
    },
    lossy: () => void (bytes.writeUInt16LE(width, 26), bytes.writeUInt16LE(height, 28)),
    lossless: () => void bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21),
    extended: () => void (bytes.writeUIntLE(width - 1, 24, 3), bytes.writeUIntLE(height - 1, 27, 3)),
  };
  write[kind]();
  return dataUrl(TYPES[kind], bytes);
}

describe.each(KINDS)('an image of type %s', (kind) => {
  test('is accepted as a logo', () => {
    expect(isLogo(dataUrl(TYPES[kind], bytesOf(kind)))).toBe(true);
  });

  test.each([
    [1024, 1024, true],
    [1, 1024, true],
    [1025, 1, false],
    [1, 1025, false],
    [4096, 4096, false],
  ])('of %i × %i pixels is accepted: %s', (width, height, isTaken) => {
    expect(isLogo(resized(kind, width, height))).toBe(isTaken);
  });

  test('under another media type is refused', () => {
    for (const type of ['png', 'jpeg', 'webp', 'gif', 'svg+xml'].filter((name) => name !== TYPES[kind]))
      expect(isLogo(dataUrl(type, bytesOf(kind)))).toBe(false);
  });

  test('is refused if it ends before its size field, or is empty', () => {
    for (let length = 0; length < 21; length++)
      expect(isLogo(dataUrl(TYPES[kind], bytesOf(kind).subarray(0, length)))).toBe(false);
  });

  test('may have at most 32 KiB', () => {
    const filled = (length: number) => Buffer.concat([bytesOf(kind), Buffer.alloc(length)]).subarray(0, length);
    expect(isLogo(dataUrl(TYPES[kind], filled(MAX_LOGO_BYTES)))).toBe(true);
    expect(isLogo(dataUrl(TYPES[kind], filled(MAX_LOGO_BYTES + 1)))).toBe(false);
    expect(isLogo(dataUrl(TYPES[kind], filled(10 * MAX_LOGO_BYTES)))).toBe(false);
  });
});

test.each(['png', 'jpeg', 'lossy'] as const)('a %s without width or height is refused', (kind) => {
  expect(isLogo(resized(kind, 0, 1))).toBe(false);
  expect(isLogo(resized(kind, 1, 0))).toBe(false);
});

test('a JPEG whose size field follows the scan or is missing is refused', () => {
  const bytes = bytesOf('jpeg');
  const frame = bytes.indexOf(Buffer.from('ffc2', 'hex'));
  for (const marker of [0xda, 0xd9, 0xc4, 0xc8, 0xcc]) {
    bytes[frame + 1] = marker;
    expect(isLogo(dataUrl('jpeg', bytes))).toBe(false);
  }
});

test('a JPEG may have fill bytes before a marker', () => {
  const bytes = bytesOf('jpeg');
  const frame = bytes.indexOf(Buffer.from('ffc2', 'hex'));
  const filled = Buffer.concat([bytes.subarray(0, frame), Buffer.from('ffff', 'hex'), bytes.subarray(frame)]);
  expect(isLogo(dataUrl('jpeg', filled))).toBe(true);
});

test.each([
  '',
  'data:',
  PICTURES.png,
  `data:image/png,${PICTURES.png}`,
  `data:image/png;charset=utf-8;base64,${PICTURES.png}`,
  `DATA:image/png;base64,${PICTURES.png}`,
  ` data:image/png;base64,${PICTURES.png}`,
  `data:image/png;base64,${PICTURES.png}\n`,
  `data:image/png;base64,${PICTURES.png}"onload=x`,
  `data:image/png;base64,${PICTURES.png.replace(/==$/, '')}`,
  `data:image/constructor;base64,${PICTURES.png}`,
  `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg"/>')}`,
  'https://loja.example/logo.png',
])('the text %j is refused as a logo', (text) => {
  expect(isLogo(text)).toBe(false);
});
