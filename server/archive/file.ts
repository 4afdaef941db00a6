// A month's file: lines of JSON, compressed in blocks that each can be read alone, payment by payment; and beside it what says where each
// block begins, how many rows there are and what the whole must be.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, openSync, closeSync, fsyncSync, writeSync } from 'node:fs';
import { open, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { PART } from './archive.sql.ts';

/** Of text, before it is compressed: what is read for one payment. */
const BLOCK_BYTES = 256 * 1024;

const TABLES = ['events', 'deliveries'] as const;

const manifest = z.object({
  format: z.literal(1),
  part: z.string().regex(PART),
  release: z.string(),
  writtenAt: z.iso.datetime(),
  rows: z.object({ events: z.int().min(0), deliveries: z.int().min(0) }),
  bytes: z.int().min(0),
  sha256: z.hex(),
  /** By the first payment of each; null: of none. */
  blocks: z.array(z.tuple([z.string().nullable(), z.int().min(0)])),
});
export type Manifest = z.infer<typeof manifest>;
export type ArchivedRow = { table: (typeof TABLES)[number]; seq: number; payment_id: string | null } & Record<
  string,
  unknown
>;

/** It is not there, or is not what was written. */
export class ArchiveDamaged extends Error {
  constructor(file: string, why: string) {
    super(`${file}: ${why}.`);
    this.name = 'ArchiveDamaged';
  }
}

export const fileOf = (dir: string, part: string) => join(dir, `${part}.ndjson.gz`);
const manifestOf = (file: string) => file.replace(/\.ndjson\.gz$/, '.json');

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** A line and whose it is. */
export type Line = { paymentId: string | null; text: string };

/** Writes lines, which come payment by payment; they are there, on the disk and under their name, once all of them are. */
export async function writeArchive(
  dir: string,
  about: Pick<Manifest, 'part' | 'release' | 'writtenAt'>,
  lines: AsyncIterable<Line>,
): Promise<Manifest> {
  const file = fileOf(dir, about.part);
  const draft = `${file}.partial`;
  const hash = createHash('sha256');
  const written: Manifest = {
    format: 1,
    ...about,
    rows: { events: 0, deliveries: 0 },
    bytes: 0,
    sha256: '',
    blocks: [],
  };
  // It may be of a run that was killed.
  const to = openSync(draft, 'w', 0o600);
  try {
    for await (const { first, rows, text } of inBlocks(lines)) {
      const bytes = await compress(text);
      hash.update(bytes);
      written.blocks.push([first, written.bytes]);
      for (let at = 0; at < bytes.length;) at += writeSync(to, bytes, at);
      written.bytes += bytes.length;
      for (const table of TABLES) written.rows[table] += rows[table];
    }
    fsyncSync(to);
  } finally {
    closeSync(to);
  }
  written.sha256 = hash.digest('hex');
  await rename(draft, file);
  await writeFile(`${manifestOf(file)}.partial`, JSON.stringify(written), { mode: 0o600, flush: true });
  await rename(`${manifestOf(file)}.partial`, manifestOf(file));
  syncFolder(dir);
  return written;
}

type Block = { first: string | null; rows: Manifest['rows']; text: string };

/** A payment is in one block, whole; what is of none may be in several. */
async function* inBlocks(lines: AsyncIterable<Line>): AsyncIterable<Block> {
  let block: (Block & { last: string | null }) | null = null;
  for await (const { paymentId, text } of lines) {
    if (block && block.text.length >= BLOCK_BYTES && (paymentId === null || paymentId !== block.last)) {
      yield block;
      block = null;
    }
    block ??= { first: paymentId, last: paymentId, rows: { events: 0, deliveries: 0 }, text: '' };
    block.rows[tableOfLine(text)]++;
    block.text += `${text}\n`;
    block.last = paymentId;
  }
  if (block) yield block;
}

function tableOfLine(text: string): ArchivedRow['table'] {
  return (JSON.parse(text) as ArchivedRow).table;
}

/** Reads all of a file. @throws ArchiveDamaged where it is not there, or not what was written */
export async function readWhole(file: string, each: (line: string) => void = () => {}): Promise<Manifest> {
  const said = await readManifest(file);
  const hash = createHash('sha256');
  const rows = { events: 0, deliveries: 0 };
  try {
    const source = createReadStream(file).on('data', (chunk) => hash.update(chunk));
    const text = source.pipe(createGunzip());
    source.on('error', (error) => text.destroy(error));
    for await (const line of splitLines(text)) {
      rows[tableOfLine(line)]++;
      each(line);
    }
  } catch (error) {
    throw new ArchiveDamaged(
      file,
      `it cannot be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`,
    );
  }
  if (hash.digest('hex') !== said.sha256 || TABLES.some((table) => rows[table] !== said.rows[table]))
    throw new ArchiveDamaged(file, 'it is not what was written into it');
  return said;
}

/** The rows of one payment, by one block of the file alone. @throws ArchiveDamaged */
export async function readPayment(file: string, paymentId: string): Promise<ArchivedRow[]> {
  const { blocks, bytes } = await readManifest(file);
  const next = blocks.findIndex(([first]) => first !== null && first > paymentId);
  const nth = (next === -1 ? blocks.length : next) - 1;
  if (nth < 0) return [];
  const [from, to] = [blocks[nth]![1], blocks[nth + 1]?.[1] ?? bytes];
  const text = await readSpan(file, from, to).catch((error: NodeJS.ErrnoException) => {
    throw new ArchiveDamaged(file, `it cannot be read (${error.code})`);
  });
  const lines = text.split('\n').filter((line) => line.includes(paymentId));
  return lines.map((line) => JSON.parse(line) as ArchivedRow).filter((row) => row.payment_id === paymentId);
}

async function readSpan(file: string, from: number, to: number): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
    return String(await decompress(buffer));
  } finally {
    await handle.close();
  }
}

async function readManifest(file: string): Promise<Manifest> {
  try {
    return manifest.parse(JSON.parse(await readFile(manifestOf(file), 'utf8')));
  } catch (error) {
    throw new ArchiveDamaged(
      manifestOf(file),
      (error as NodeJS.ErrnoException).code ?? 'it is damaged, or of a newer release',
    );
  }
}

/** Each line, without its line feed. */
export async function* splitLines(chunks: AsyncIterable<Buffer | string>): AsyncIterable<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length > 0 ? Buffer.concat([rest, Buffer.from(chunk)]) : Buffer.from(chunk);
    let from = 0;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10, from)) {
      yield rest.toString('utf8', from, end);
      from = end + 1;
    }
    rest = rest.subarray(from);
  }
}

/** Whether anything can be written there, for sure. @throws the system's error */
export async function tryFolder(dir: string): Promise<void> {
  const probe = join(dir, `.probe-${randomUUID()}`);
  await writeFile(probe, 'x', { flush: true });
  await unlink(probe);
}

/** Names in a folder are on the disk as well, where the system lets one ask for that. */
function syncFolder(dir: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Where it is, and of which part, by its path. @throws ArchiveDamaged */
export function readName(file: string): { dir: string; part: string } {
  const part = basename(file, '.ndjson.gz');
  if (!PART.test(part) || !file.endsWith('.ndjson.gz')) throw new ArchiveDamaged(file, 'no archive is called so');
  return { dir: dirname(file), part };
}
