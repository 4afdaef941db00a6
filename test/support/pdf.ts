// Reads the text of a PDF with standard fonts.
import { inflateSync } from 'node:zlib';

/** Returns the text lines of the PDF as hexadecimal glyph codes, and its other streams. */
export function readStreams(pdf: Buffer): { lines: string[]; plain: string } {
  const streams = pdf.toString('latin1').matchAll(/stream\n([\s\S]*?)\nendstream/g);
  // The metadata of a tagged document (XML) is not compressed.
  const packed = [...streams].map(([, bytes = '']) => bytes).filter((bytes) => !bytes.trimStart().startsWith('<'));
  const texts = packed.map((bytes) => inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1'));
  const plain = texts.join('\n');
  const lines = [...plain.matchAll(/\[(.*)\] TJ/g)].map(([, parts = '']) =>
    [...parts.matchAll(/<([0-9a-f]+)>/g)].map(([, hex = '']) => hex).join(''),
  );
  return { lines, plain };
}

/** Returns the text of a PDF, with normal spaces. */
export function readText(pdf: Buffer): string {
  const lines = readStreams(pdf).lines.map((hex) => Buffer.from(hex, 'hex').toString('latin1'));
  return lines.join('\n').replaceAll('\u00a0', ' ');
}
