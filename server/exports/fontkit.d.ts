// The part of fontkit that reads a font's glyphs. The package has no types of its own.
declare module 'fontkit' {
  export function openSync(path: string): { hasGlyphForCodePoint(codePoint: number): boolean };
}
