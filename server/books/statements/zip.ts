// Unpacks chosen entries of a zip file. Node's zlib stops while it unpacks, as soon as the output exceeds its limit.
// fflate trusts the sizes that the file names, so a false size would cost the work of the whole bomb.
import { inflateRawSync } from 'node:zlib';
import { wrongFile } from './statement.ts';

const MAX_ENTRIES = 50;
/** The most bytes of all unpacked entries together. */
const MAX_BYTES = 8 * 1_048_576;

/** Sizes and signatures of the zip format (APPNOTE 4.3). */
const [END_SIGN, ENTRY_SIGN, LOCAL_SIGN] = [0x06054b50, 0x02014b50, 0x04034b50];
const [END_SIZE, ENTRY_SIZE, LOCAL_SIZE, MAX_COMMENT] = [22, 46, 30, 65_535];
const ENCRYPTED = 1;
const [STORED, DEFLATED] = [0, 8];

/** Returns the wanted entries by name. @throws Problem validation_failed for a broken file or beyond the limits */
export function unzip(bytes: Buffer, isWanted: (name: string) => boolean): Map<string, Buffer> {
  try {
    return readEntries(bytes, isWanted);
  } catch {
    // Positions outside of the file, broken data, or an output above the limit.
    throw wrongFile('format');
  }
}

function readEntries(bytes: Buffer, isWanted: (name: string) => boolean): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES) throw new RangeError('too many entries');
  let at = bytes.readUInt32LE(end + 16);
  let left = MAX_BYTES;
  for (let nth = 0; nth < count; nth++) {
    if (bytes.readUInt32LE(at) !== ENTRY_SIGN) throw new RangeError('no entry');
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('latin1', at + ENTRY_SIZE, at + ENTRY_SIZE + nameLength);
    if (isWanted(name) && !found.has(name)) {
      const data = unpack(bytes, at, left);
      left -= data.length;
      found.set(name, data);
    }
    at += ENTRY_SIZE + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return found;
}

/** The record at the end of the file. A comment may follow it. */
function findEnd(bytes: Buffer): number {
  const sign = Buffer.alloc(4);
  sign.writeUInt32LE(END_SIGN);
  const from = Math.max(0, bytes.length - END_SIZE - MAX_COMMENT);
  const at = bytes.subarray(from).lastIndexOf(sign);
  if (at < 0) throw new RangeError('no end');
  return from + at;
}

function unpack(bytes: Buffer, entry: number, left: number): Buffer {
  const [flags, method] = [bytes.readUInt16LE(entry + 8), bytes.readUInt16LE(entry + 10)];
  const [packedSize, local] = [bytes.readUInt32LE(entry + 20), bytes.readUInt32LE(entry + 42)];
  if (flags & ENCRYPTED || bytes.readUInt32LE(local) !== LOCAL_SIGN) throw new RangeError('unreadable entry');
  const start = local + LOCAL_SIZE + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const packed = bytes.subarray(start, start + packedSize);
  if (method === STORED && packed.length <= left) return packed;
  if (method !== DEFLATED || left === 0) throw new RangeError('unknown method');
  return inflateRawSync(packed, { maxOutputLength: left });
}
