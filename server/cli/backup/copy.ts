// Copies a database into a backup file and back.
// The backup file has a header, gzip encrypted with AES-256-GCM, and the authentication tag.
// The gzip contains records: a manifest, then the rows of each table in COPY's text format, from one snapshot.
import { createCipheriv, createDecipheriv, randomBytes, randomUUID, scryptSync } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { pipeline as connect } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { VERSION } from '../../config.ts';
import { connectTo, DatabaseClient } from '../../database/connect.ts';
import { DatabaseTooOld, refuseTooOld } from '../../database/floor.ts';
import { migrate } from '../../database/migrate.ts';
import { listMigrations, listRan } from '../../database/migrations.ts';
import { inTransaction, type Database } from '../../database/orm.ts';
import { RECOUNT, recountLists } from '../../lists/recount.ts';
import { prepareSandboxTables } from '../../sandbox.ts';
import { CommandError } from '../shell.ts';
import { SEQUENCES, SETTINGS, TABLES } from './catalog.sql.ts';

const CONNECT_WITHIN_MS = 60_000;
const MAGIC = Buffer.from('balcao backup 3\n');
const SALT_BYTES = 16;
const HEADER_BYTES = MAGIC.length + SALT_BYTES;
const TAG_BYTES = 16;
/** Each backup file has its own key, so a constant nonce is safe. */
const NONCE = Buffer.alloc(12);
/** Maximum size of a backup: one AES-GCM nonce is safe for 64 GiB (NIST SP 800-38D). */
const MAX_BYTES = 2 ** 36 - 2 ** 20;
/** Cost of scrypt: one guess of a passphrase takes 128 MiB and some tenths of a second (OWASP's parameters). */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

/** Facts about a backup. `secretsKeys` is the value of SECRETS_KEYS, and `takenAt` the time of the snapshot. */
export type BackupFacts = { environment: 'sandbox' | 'production'; secretsKeys: string; takenAt: string };
type Into = { file: string; passphrase: string };
type Table = { name: string; columns: string };
type Sequence = { name: string; value: string };
type Manifest = Awaited<ReturnType<typeof describeDatabase>>;
type Records = AsyncGenerator<Buffer, undefined>;

/** An opened backup. `records` follow the manifest in the file. */
export type Backup = { manifest: Manifest; records: Records };

/** Writes the backup to a new file, which appears once it is complete. @throws CommandError, and the system's errors */
export async function writeBackup(url: string, about: BackupFacts, { file, passphrase }: Into) {
  if (existsSync(file)) throw new CommandError(`${file} exists already. Name a new file.`);
  const draft = `${file}.partial-${randomUUID()}`;
  const client = new DatabaseClient(await connectTo(url, { withinMs: CONNECT_WITHIN_MS }));
  client.on('error', () => {});
  await client.connect();
  try {
    const manifest = await describeDatabase(client, about);
    const written = createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true });
    await pipeline(copyAll(client, manifest), createGzip(), (source) => seal(source, passphrase), written);
    if (written.bytesWritten > MAX_BYTES) throw new CommandError('The backup is larger than 64 GiB. Use pgBackRest.');
    renameSync(draft, file);
    return { file, takenAt: about.takenAt, bytes: written.bytesWritten };
  } finally {
    rmSync(draft, { force: true });
    await client.end();
  }
}

/** Starts the snapshot. @throws CommandError for a database without tables, CannotStart for one older than 0.2.0 */
async function describeDatabase(client: pg.Client, about: BackupFacts) {
  await client.query('begin isolation level repeatable read read only');
  const migrations = await listRan(client);
  if (migrations.length === 0)
    throw new CommandError('DATABASE_URL, DATA_DIR: this database has no tables of a gateway.');
  refuseTooOld(migrations);
  await client.query(SETTINGS);
  const { rows: tables } = await client.query<Table>(TABLES);
  // Sequences ignore snapshots. Read after the snapshot starts, a sequence is never behind the numbers in its rows.
  const { rows: sequences } = await client.query<Sequence>(SEQUENCES);
  return { ...about, release: VERSION, migrations, tables, sequences };
}

async function* copyAll(client: pg.Client, manifest: Manifest): AsyncGenerator<Buffer> {
  yield toRecord(Buffer.from(JSON.stringify(manifest)));
  for (const { name, columns } of manifest.tables) {
    const rows = client.query(copyTo(`copy ${name} (${columns}) to stdout`));
    for await (const chunk of rows as AsyncIterable<Buffer>) yield toRecord(chunk);
    yield toRecord(Buffer.alloc(0));
  }
}

/** Encodes a record of the backup file: its length, then its bytes. */
function toRecord(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

async function* seal(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(passphrase, salt), NONCE);
  yield Buffer.concat([MAGIC, salt]);
  for await (const chunk of source) yield cipher.update(chunk);
  yield Buffer.concat([cipher.final(), cipher.getAuthTag()]);
}

/** Derives the backup's key. The passphrase is normalized, so that the same letters match in any Unicode form. */
const deriveKey = (passphrase: string, salt: Buffer) => scryptSync(passphrase.normalize('NFC'), salt, 32, COST);

/**
 * Verifies the whole backup file before any change of a database.
 * @throws CommandError for a wrong passphrase, and for a file that is incomplete, newer, or no backup
 */
export async function openBackup(file: string, passphrase: string): Promise<Backup> {
  const stats = statSync(file);
  // A backup from before 0.2.0 is a folder.
  if (stats.isDirectory()) throw new DatabaseTooOld();
  const header = await buffer(createReadStream(file, { end: HEADER_BYTES - 1 }));
  const end = stats.size - TAG_BYTES;
  if (!header.subarray(0, MAGIC.length).equals(MAGIC) || end <= HEADER_BYTES)
    throw new CommandError(`${file} is not a backup, or one of another release.`);
  const key = deriveKey(passphrase, header.subarray(MAGIC.length));
  const tag = await buffer(createReadStream(file, { start: end }));
  const open = () => {
    const decipher = createDecipheriv('aes-256-gcm', key, NONCE).setAuthTag(tag);
    return connect(createReadStream(file, { start: HEADER_BYTES, end: end - 1 }), decipher, createGunzip(), () => {});
  };
  try {
    for await (const _chunk of open());
  } catch {
    throw new CommandError(`${file} does not open: the passphrase is wrong, or the file is damaged or incomplete.`);
  }
  const records = readRecords(open());
  const manifest = JSON.parse(String((await records.next()).value)) as Manifest;
  const unknown = manifest.migrations.find((name) => !listMigrations().includes(name));
  if (unknown)
    throw new CommandError(
      `This backup is from the newer release ${manifest.release}: it has the migration ${unknown}.`,
    );
  return { manifest, records };
}

async function* readRecords(source: AsyncIterable<Buffer>): Records {
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

/** Fills an empty database and returns the number of rows. A failure leaves the database empty. @throws CommandError */
export async function loadBackup(database: Database, { manifest, records }: Backup): Promise<number> {
  if ((await database.pool.query(TABLES)).rowCount)
    throw new CommandError('DATABASE_URL: this database is not empty. Restore a backup into a new one.');
  await migrate(database, { only: manifest.migrations });
  if (manifest.tables.some(({ name }) => name.startsWith('simulator.'))) await prepareSandboxTables(database.pool);
  // Counts of lists are not in the backup: they hold transaction ids of the old cluster. Counting needs the new schema.
  const isCurrent = listMigrations().length === manifest.migrations.length;
  const rows = await inTransaction(database, async (db) => {
    const client = db.pool as pg.PoolClient;
    await client.query(SETTINGS);
    const names = (await client.query<Table>(TABLES)).rows.map(({ name }) => name);
    // Triggers stay disabled: the backup already has the rows that triggers, migrations and the sandbox would write.
    for (const name of names) await client.query(`alter table ${name} disable trigger user`);
    await client.query(`truncate ${names.join(', ')}`);
    let count = 0;
    for (const { name, columns } of manifest.tables) {
      const copied = client.query(copyFrom(`copy ${name} (${columns}) from stdin`));
      await pipeline(takeRows(records), copied);
      count += copied.rowCount;
    }
    for (const name of names) await client.query(`alter table ${name} enable trigger user`);
    for (const { name, value } of manifest.sequences) await client.query('select setval($1, $2)', [name, value]);
    if (isCurrent) await client.query(RECOUNT);
    return count;
  });
  await migrate(database);
  if (!isCurrent) await recountLists(database);
  return rows;
}

/** Yields the rows of one table from a backup, up to the empty record at the table's end. */
async function* takeRows(records: Records): AsyncGenerator<Buffer> {
  for (let next = await records.next(); next.value?.length; next = await records.next()) yield next.value;
}
