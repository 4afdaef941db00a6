// The encodings in which banks write text.
import { wrongFile } from './statement.ts';

const MARKS: [mark: number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

const findMark = (bytes: Buffer) => MARKS.find(([mark]) => mark.every((byte, nth) => bytes[nth] === byte))?.[1];

/**
 * Reads text in UTF-8, in UTF-16 with a byte order mark, or in windows-1252.
 * Each byte is a character of windows-1252, so it is read only if the bytes are not valid UTF-8.
 */
export function decodeText(bytes: Buffer): string {
  const marked = findMark(bytes);
  const text = marked ? decodeAs(bytes, marked) : (tryUtf8(bytes) ?? decodeAs(bytes, 'windows-1252'));
  // UTF-16 without a mark has a zero byte in each character. A binary file has zero bytes too.
  if (text.includes('\0')) throw wrongFile('format');
  return text;
}

/** Encodings that an XML declaration may name. A mark counts more than the declaration. */
const XML_ENCODINGS: Record<string, string> = {
  'utf-8': 'utf-8',
  'us-ascii': 'utf-8',
  'iso-8859-1': 'windows-1252',
  'windows-1252': 'windows-1252',
};

/** Reads XML text by its declaration. @throws Problem validation_failed for another encoding */
export function decodeXml(bytes: Buffer): string {
  const [, declared = 'utf-8'] = /^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w-]{1,20})/.exec(headOf(bytes)) ?? [];
  const encoding = findMark(bytes) ?? XML_ENCODINGS[declared.toLowerCase()];
  if (!encoding) throw wrongFile('encoding');
  return decodeAs(bytes, encoding);
}

/** The first characters of a file, for the detection of its format. */
export const headOf = (bytes: Buffer) => {
  const head = bytes.subarray(0, 4_096);
  return findMark(bytes)?.startsWith('utf-16')
    ? decodeText(head)
    : head.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '');
};

function tryUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function decodeAs(bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw wrongFile('encoding');
  }
}
