// Copies a database into a file and back. The file is a header, gzip sealed by AES-256-GCM under a key of the passphrase, and its tag.
// The gzip holds records: a manifest, and the rows of each table in COPY's text, of one snapshot.
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
/** Each file has a key of its own, so its nonce need not differ. */
const NONCE = Buffer.alloc(12);
/** One nonce is safe for 64 GiB (NIST SP 800-38D). */
const MAX_BYTES = 2 ** 36 - 2 ** 20;
/** One guess of a passphrase costs 128 MiB and some tenths of a second (OWASP's figures for scrypt). */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

/** `secretsKeys` is the value of SECRETS_KEYS, and `takenAt` the time of the snapshot. */
export type About = { environment: 'sandbox' | 'production'; secretsKeys: string; takenAt: string };
type Into = { file: string; passphrase: string };
type Table = { name: string; columns: string };
type Sequence = { name: string; value: string };
type Manifest = Awaited<ReturnType<typeof describeDatabase>>;
type Records = AsyncGenerator<Buffer, undefined>;

/** A backup that is whole, and the records after its manifest. */
export type Backup = { manifest: Manifest; records: Records };

/** Writes the backup into a new file, which appears once it is whole. @throws CommandError, and the system's errors */
export async function writeBackup(url: string, about: About, { file, passphrase }: Into) {
  if (existsSync(file)) throw new CommandError(`${file} exists already. Each backup has a file of its own.`);
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

/** Begins the snapshot. @throws CommandError for a database without tables, CannotStart for one from before 0.2.0 */
async function describeDatabase(client: pg.Client, about: About) {
  await client.query('begin isolation level repeatable read read only');
  const migrations = await listRan(client);
  if (migrations.length === 0) throw new CommandError('DATABASE_URL, DATA_DIR: no gateway has used this database.');
  refuseTooOld(migrations);
  await client.query(SETTINGS);
  const { rows: tables } = await client.query<Table>(TABLES);
  // A sequence belongs to no snapshot. Read after its begin, it is not behind the numbers in the rows.
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

/** Each record has its length before it. */
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

/** The same letters match in any Unicode form. */
const deriveKey = (passphrase: string, salt: Buffer) => scryptSync(passphrase.normalize('NFC'), salt, 32, COST);

/**
 * Checks the whole file before any database is touched.
 * @throws CommandError for another passphrase or file, for one that is not whole, and for one of a newer release
 */
export async function openBackup(file: string, passphrase: string): Promise<Backup> {
  const stats = statSync(file);
  // Backups from before 0.2.0 are folders.
  if (stats.isDirectory()) throw new DatabaseTooOld();
  const header = await buffer(createReadStream(file, { end: HEADER_BYTES - 1 }));
  const end = stats.size - TAG_BYTES;
  if (!header.subarray(0, MAGIC.length).equals(MAGIC) || end <= HEADER_BYTES)
    throw new CommandError(`${file} is no backup, or one of another release.`);
  const key = deriveKey(passphrase, header.subarray(MAGIC.length));
  const tag = await buffer(createReadStream(file, { start: end }));
  const open = () => {
    const decipher = createDecipheriv('aes-256-gcm', key, NONCE).setAuthTag(tag);
    return connect(createReadStream(file, { start: HEADER_BYTES, end: end - 1 }), decipher, createGunzip(), () => {});
  };
  try {
    for await (const _chunk of open());
  } catch {
    throw new CommandError(`${file} does not open: it has another passphrase, is damaged, or is not whole.`);
  }
  const records = readRecords(open());
  const manifest = JSON.parse(String((await records.next()).value)) as Manifest;
  const unknown = manifest.migrations.find((name) => !listMigrations().includes(name));
  if (unknown) throw new CommandError(`This backup is of the newer release ${manifest.release}, with ${unknown}.`);
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

/** Fills an empty database and returns the number of rows. A failure leaves empty tables at most. @throws CommandError */
export async function loadBackup(database: Database, { manifest, records }: Backup): Promise<number> {
  if ((await database.pool.query(TABLES)).rowCount)
    throw new CommandError('DATABASE_URL: this database is not empty. A backup is restored into a new one.');
  await migrate(database, { only: manifest.migrations });
  if (manifest.tables.some(({ name }) => name.startsWith('simulator.'))) await prepareSandboxTables(database.pool);
  // The backup has no counts, since they hold transaction ids of its cluster. Counting needs the schema of this release.
  const isCurrent = listMigrations().length === manifest.migrations.length;
  const rows = await inTransaction(database, async (db) => {
    const client = db.pool as pg.PoolClient;
    await client.query(SETTINGS);
    const names = (await client.query<Table>(TABLES)).rows.map(({ name }) => name);
    // The backup has the rows that triggers, migrations and the sandbox write.
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

/** The rows of one table, which an empty record ends. */
async function* takeRows(records: Records): AsyncGenerator<Buffer> {
  for (let next = await records.next(); next.value?.length; next = await records.next()) yield next.value;
}
