// Writes ZIP archives. WordPress installs plug-ins from them.
import { crc32, deflateRawSync } from 'node:zlib';

type Entry = { name: Buffer; header: Buffer; packed: Buffer; offset: number };

/** The oldest time that a ZIP archive can hold. A fixed time makes equal files equal archives. */
const TIME = Buffer.from([0, 0, 0x21, 0]);
/** Sizes and names are in UTF-8. */
const UTF8 = 0x0800;
const DEFLATE = 8;

/** Returns an archive of these files. */
export function writeZip(files: ReadonlyMap<string, Buffer>): Buffer {
  const entries: Entry[] = [];
  const parts: Buffer[] = [];
  let offset = 0;
  for (const [path, bytes] of files) {
    const [name, packed] = [Buffer.from(path), deflateRawSync(bytes, { level: 9 })];
    const header = writeHeader(bytes, packed, name);
    entries.push({ name, header, packed, offset });
    const local = [Buffer.from('504b0304', 'hex'), header, name, packed];
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const directory = Buffer.concat(entries.flatMap(writeDirectoryEntry));
  const end = Buffer.alloc(22);
  end.write('504b0506', 'hex');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}

/** The fields that an entry's header and its directory entry share. */
function writeHeader(bytes: Buffer, packed: Buffer, name: Buffer): Buffer {
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(UTF8, 2);
  header.writeUInt16LE(DEFLATE, 4);
  TIME.copy(header, 6);
  header.writeUInt32LE(crc32(bytes), 10);
  header.writeUInt32LE(packed.length, 14);
  header.writeUInt32LE(bytes.length, 18);
  header.writeUInt16LE(name.length, 22);
  return header;
}

function writeDirectoryEntry({ name, header, offset }: Entry): Buffer[] {
  const tail = Buffer.alloc(14);
  // The file's mode: a regular file that its owner may write.
  tail.writeUInt32LE(0o100644 * 0x10000, 6);
  tail.writeUInt32LE(offset, 10);
  return [Buffer.from('504b01021403', 'hex'), header, tail, name];
}
