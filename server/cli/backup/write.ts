// Taking a backup: every table as it was at one moment, copied beside running nodes, each file sealed, the folder named when it is whole.
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Clock } from '../../clock.ts';
import { VERSION } from '../../config.ts';
import { connectTo, DatabaseClient } from '../../database/connect.ts';
import { CommandError } from '../command.ts';
import { MIGRATIONS, SEQUENCES, SETTINGS, TABLES } from './catalog.sql.ts';
import { fileOf, syncFolder, writeManifest, type Contents, type TableFile } from './manifest.ts';
import { newDerivation, openPassphrase, sealSecrets } from './seal.ts';

const CONNECT_WITHIN_MS = 60_000;

export type Source = { url: string; clock: Clock; environment: Contents['environment']; secretsKeys: string };

/** Writes a backup into `target`, which must not be there, or be empty. @throws CommandError where it cannot be written */
export async function writeBackup(source: Source, target: string, passphrase: string): Promise<Contents> {
  const dir = resolve(target);
  if (existsSync(dir) && readdirSync(dir).length > 0)
    throw new CommandError(`${dir} is not empty: each backup has a folder of its own.`);
  const draft = `${dir}.partial-${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    const contents = await writeAll(source, draft, passphrase);
    // Windows names no folder as one that is there, even an empty one.
    if (existsSync(dir)) rmSync(dir, { recursive: true });
    renameSync(draft, dir);
    syncFolder(dirname(dir));
    return contents;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code || !/^E[A-Z]+$/.test(code)) throw error;
    throw new CommandError(`The backup could not be written, and nothing of it is kept: ${message}.`);
  }
}

async function writeAll(
  { url, clock, environment, secretsKeys }: Source,
  dir: string,
  passphrase: string,
): Promise<Contents> {
  const derivation = newDerivation();
  const keyring = await openPassphrase(passphrase, derivation);
  const filesKey = randomBytes(32);
  const client = new DatabaseClient(await connectTo(url, { withinMs: CONNECT_WITHIN_MS }));
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const takenAt = clock.now().toISOString();
    await client.query(SETTINGS);
    const migrations = (await client.query<{ name: string }>(MIGRATIONS)).rows.map(({ name }) => name);
    const tables: TableFile[] = [];
    for (const table of (await client.query<Table>(TABLES)).rows) {
      tables.push({ ...table, ...(await writeTable(client, dir, table, filesKey)) });
    }
    // After the rows: a sequence is of no moment, and is never behind what it numbered.
    const sequences = (await client.query<Contents['sequences'][number]>(SEQUENCES)).rows;
    const sealed = sealSecrets(keyring, { filesKey: filesKey.toString('base64'), secretsKeys });
    const about = { format: 1, release: VERSION, environment, takenAt } as const;
    const contents: Contents = { ...about, migrations, tables, sequences, derivation, sealed };
    writeManifest(dir, keyring, contents);
    return contents;
  } finally {
    await client.end();
  }
}

type Table = Pick<TableFile, 'schema' | 'name' | 'columns'>;

async function writeTable(client: pg.Client, dir: string, table: Table, key: Buffer) {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(fileOf(table)));
  const rows = client.query(copyTo(`copy (select ${listColumns(table)} from ${nameTable(table)}) to stdout`));
  const sha256 = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      sha256.update(chunk);
      done(null, chunk);
    },
  });
  const file = createWriteStream(join(dir, fileOf(table)), { mode: 0o600, flush: true });
  await pipeline(rows, createGzip(), cipher, measure, file);
  // How many they were comes after the last of them.
  await client.query('select 1');
  const tag = cipher.getAuthTag().toString('base64');
  return { rows: rows.rowCount, bytes, sha256: sha256.digest('hex'), iv: iv.toString('base64'), tag };
}

export function nameTable({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
}

export function listColumns({ columns }: Pick<Table, 'columns'>): string {
  return columns.map((column) => pg.escapeIdentifier(column)).join(', ');
}
