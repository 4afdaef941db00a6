// The format of a backup: records in gzip, sealed by AES-256-GCM under a key of the passphrase.
import { createCipheriv, createDecipheriv, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../shell.ts';

const MAGIC = Buffer.from('balcao backup 2\n');
/** The magic, the salt and the check of the passphrase. */
const HEADER_BYTES = MAGIC.length + 32;
const TAG_BYTES = 16;
/** Each file has a key of its own, so its nonce need not differ. */
const NONCE = Buffer.alloc(12);
/** One nonce is safe for 64 GiB (NIST SP 800-38D). */
export const MAX_BYTES = 2 ** 36 - 2 ** 20;
/** One guess of a passphrase costs 128 MiB and some tenths of a second (OWASP's figures for scrypt). */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

type Source = AsyncIterable<Buffer>;
export type Records = AsyncGenerator<Buffer, void>;

/** `check` tells a wrong passphrase from a damaged file. The same letters match in any Unicode form. */
async function deriveKey(passphrase: string, salt: Buffer): Promise<{ key: Buffer; check: Buffer }> {
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
  const bytes = await derive(passphrase.normalize('NFC'), salt, 48, COST);
  return { key: bytes.subarray(0, 32), check: bytes.subarray(32) };
}

/** Seals a stream. The tag at its end covers every byte. */
export async function* seal(source: Source, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(16);
  const { key, check } = await deriveKey(passphrase, salt);
  const cipher = createCipheriv('aes-256-gcm', key, NONCE);
  yield Buffer.concat([MAGIC, salt, check]);
  for await (const chunk of source) yield cipher.update(chunk);
  yield Buffer.concat([cipher.final(), cipher.getAuthTag()]);
}

/**
 * Opens a sealed file and checks all of it. Returns a reader of its records.
 * @throws CommandError for another passphrase, another file, and a file that is damaged or not whole
 */
export async function openSealed(file: string, passphrase: string): Promise<() => Records> {
  const header = await buffer(createReadStream(file, { end: HEADER_BYTES - 1 })).catch((error: unknown) => {
    throw new CommandError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  });
  if (!header.subarray(0, MAGIC.length).equals(MAGIC) || header.length < HEADER_BYTES)
    throw new CommandError(`${file} is no backup, or one of a newer release.`);
  const { key, check } = await deriveKey(passphrase, header.subarray(MAGIC.length, -16));
  if (!timingSafeEqual(check, header.subarray(-16)))
    throw new CommandError('The passphrase does not open this backup.');
  const decipher = () => decipherFile(file, key);
  for await (const _chunk of decipher());
  return () => readRecords(pipeline(decipher(), createGunzip(), () => {}));
}

/** @throws CommandError at its end, if any byte was changed, moved or lost */
async function* decipherFile(file: string, key: Buffer): AsyncGenerator<Buffer> {
  const opener = createDecipheriv('aes-256-gcm', key, NONCE, { authTagLength: TAG_BYTES });
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { start: HEADER_BYTES }) as Source) {
    rest = Buffer.concat([rest, chunk]);
    yield opener.update(rest.subarray(0, -TAG_BYTES));
    rest = rest.subarray(-TAG_BYTES);
  }
  try {
    opener.setAuthTag(rest).final();
  } catch {
    throw new CommandError(`${file} is damaged, or not whole.`);
  }
}

/** Each record has its length before it. */
export function toRecord(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

async function* readRecords(source: Source): Records {
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of source) {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE();
      yield rest.subarray(4, end);
      rest = rest.subarray(end);
    }
  }
}
