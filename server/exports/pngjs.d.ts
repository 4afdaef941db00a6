// The part of pngjs that writes images. The package has no types of its own.
declare module 'pngjs' {
  type Pixels = { width: number; height: number; data: Buffer };
  type Opaque = { colorType: 0 | 2; inputColorType: 0 | 2; inputHasAlpha: false; filterType: 2; deflateLevel: 1 };
  type WithAlpha = { colorType: 6; inputColorType: 6; inputHasAlpha: true };
  export const PNG: { sync: { write(image: Pixels, format: Opaque | WithAlpha): Buffer; read(png: Buffer): Pixels } };
}
