// What a backup says of itself, in manifest.json: release, migrations, and each table's rows and file, signed under the passphrase.
import { createHash } from 'node:crypto';
import { createReadStream, openSync, closeSync, fsyncSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { CommandError } from '../command.ts';
import { derivation, isSigned, openPassphrase, openSecrets, sign, type Secrets } from './seal.ts';
import type { Keyring } from '../../secrets.ts';

/** It becomes a part of a file's name, before anybody knows who wrote it. */
const NAME = z.string().regex(/^\w{1,63}$/);

const contents = z.object({
  format: z.literal(1),
  release: z.string(),
  environment: z.enum(['sandbox', 'production']),
  /** The moment of which it is. */
  takenAt: z.iso.datetime(),
  /** Those that had run, in their order. */
  migrations: z.array(z.string()),
  tables: z.array(
    z.object({
      schema: NAME,
      name: NAME,
      columns: z.array(NAME),
      rows: z.int().min(0),
      bytes: z.int().min(0),
      sha256: z.hex(),
      /** Of its encryption. */
      iv: z.base64(),
      tag: z.base64(),
    }),
  ),
  sequences: z.array(z.object({ schema: NAME, name: NAME, value: z.string().regex(/^\d+$/) })),
  derivation,
  sealed: z.string(),
});
export type Contents = z.infer<typeof contents>;
export type TableFile = Contents['tables'][number];

const manifest = z.object({ contents, signature: z.string() });

/** The table's file in the folder of the backup: gzip, then AES-256-GCM. */
export const fileOf = ({ schema, name }: Pick<TableFile, 'schema' | 'name'>): string => `${schema}.${name}.gz.sealed`;

/** The last thing written: a folder without it is no backup. */
export function writeManifest(dir: string, keyring: Keyring, of: Contents): void {
  const signature = sign(keyring, JSON.stringify(of));
  writeFileSync(join(dir, 'manifest.json'), `${JSON.stringify({ contents: of, signature }, null, 1)}\n`, {
    mode: 0o600,
    flush: true,
  });
  syncFolder(dir);
}

/** Names in a folder are on the disk as well, where the system lets one ask for that. */
export function syncFolder(dir: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/**
 * The backup in this folder, whole: signed by who knows the passphrase, and each file as it was written.
 * @throws CommandError, before anything else is touched
 */
export async function openBackup(dir: string, passphrase: string): Promise<{ contents: Contents; secrets: Secrets }> {
  const { contents, signature } = readManifest(dir);
  for (const table of contents.tables) await checkFile(dir, table);
  const keyring = await openPassphrase(passphrase, contents.derivation);
  const secrets = openSecrets(keyring, contents.sealed);
  if (!isSigned(keyring, JSON.stringify(contents), signature))
    throw new CommandError(`${join(dir, 'manifest.json')} was changed after the backup was taken.`);
  return { contents, secrets };
}

function readManifest(dir: string) {
  const file = join(dir, 'manifest.json');
  try {
    return manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'it cannot be read';
    throw new CommandError(
      why === 'ENOENT'
        ? `${dir} is no backup: it has no manifest.json, which is written last.`
        : `${file} is damaged, or of a newer release: ${why}.`,
    );
  }
}

async function checkFile(dir: string, table: TableFile): Promise<void> {
  const file = join(dir, fileOf(table));
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be read: ${error.code}.`);
  });
  if (hash.digest('hex') !== table.sha256)
    throw new CommandError(`${file} is damaged: it is not what was written into it.`);
}
