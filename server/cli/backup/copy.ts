// Copies a database into a sealed file and back: one snapshot of every table as COPY's text, loaded in one transaction.
import { randomBytes } from 'node:crypto';
import { closeSync, createWriteStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { VERSION } from '../../config.ts';
import { connectTo, DatabaseClient } from '../../database/connect.ts';
import { migrate } from '../../database/migrate.ts';
import { listMigrations } from '../../database/migrations.ts';
import type { Database } from '../../database/orm.ts';
import { recountLists } from '../../lists/recount.ts';
import { prepareSandboxTables } from '../../sandbox.ts';
import { CommandError } from '../shell.ts';
import { MIGRATIONS, SEQUENCES, SETTINGS, TABLES } from './catalog.sql.ts';
import { MAX_BYTES, openSealed, seal, toRecord, type Records } from './sealed-file.ts';

const CONNECT_WITHIN_MS = 60_000;

/** The first record. Each table follows: its description, its rows in COPY's text, and an empty record. */
export type About = {
  environment: 'sandbox' | 'production';
  /** The value of SECRETS_KEYS. */
  secretsKeys: string;
  /** The moment of the snapshot. */
  takenAt: string;
};
type Opening = About & { release: string; migrations: string[]; isSimulated: boolean };
type Table = { name: string; columns: string[]; parents: string[] };
/** The last record. */
type Totals = { rows: number; sequences: { name: string; value: string }[] };

/** Writes the backup into a new file, which appears once it is whole. @throws CommandError if it cannot be written */
export async function writeBackup(
  url: string,
  about: About,
  { file, passphrase }: { file: string; passphrase: string },
) {
  if (existsSync(file)) throw new CommandError(`${file} exists already. Each backup has a file of its own.`);
  const draft = `${file}.partial-${randomBytes(4).toString('hex')}`;
  const client = new DatabaseClient(await connectTo(url, { withinMs: CONNECT_WITHIN_MS }));
  client.on('error', () => {});
  await client.connect();
  const totals: Totals = { rows: 0, sequences: [] };
  const written = createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true });
  try {
    await pipeline(copyAll(client, about, totals), createGzip(), (source) => seal(source, passphrase), written);
    if (written.bytesWritten > MAX_BYTES) throw new CommandError('The backup is larger than 64 GiB. Use pgBackRest.');
    renameSync(draft, file);
    syncFolder(dirname(file));
    return { file, takenAt: about.takenAt, rows: totals.rows };
  } catch (error) {
    rmSync(draft, { force: true });
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!/^E[A-Z]+$/.test(code)) throw error;
    throw new CommandError(`The backup could not be written, and no part of it is left: ${message}.`);
  } finally {
    await client.end();
  }
}

const recordOf = (value: Opening | Table | Totals) => toRecord(Buffer.from(JSON.stringify(value)));

async function* copyAll(client: pg.Client, about: About, totals: Totals): AsyncGenerator<Buffer> {
  await client.query('begin isolation level repeatable read read only');
  const migrations = (await client.query<{ name: string }>(MIGRATIONS)).rows.map(({ name }) => name);
  await client.query(SETTINGS);
  const tables = orderTables((await client.query<Table>(TABLES)).rows);
  const isSimulated = tables.some(({ name }) => name.startsWith('simulator.'));
  yield recordOf({ ...about, release: VERSION, migrations, isSimulated });
  for (const table of tables) {
    yield recordOf(table);
    const rows = client.query(copyTo(`copy (select ${table.columns.join(', ')} from ${table.name}) to stdout`));
    for await (const chunk of rows as AsyncIterable<Buffer>) yield toRecord(chunk);
    yield toRecord(Buffer.alloc(0));
    // The count of rows arrives behind the last of them.
    await client.query('select 1');
    totals.rows += rows.rowCount;
  }
  // Read after the rows: a sequence belongs to no snapshot, and is never behind the numbers that it gave.
  totals.sequences = (await client.query<Totals['sequences'][number]>(SEQUENCES)).rows;
  yield recordOf(totals);
}

/** Puts each table behind the tables that its foreign keys name. */
function orderTables(tables: Table[]): Table[] {
  const ordered = new Set<Table>();
  const add = (table: Table) => {
    for (const parent of tables) if (table.parents.includes(parent.name) && !ordered.has(parent)) add(parent);
    ordered.add(table);
  };
  tables.forEach(add);
  return [...ordered];
}

/** Writes the new name to the disk, where the system offers it. */
function syncFolder(dir: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** An open backup. `load` fills an empty database and returns the count of rows; a failure leaves empty tables at most. */
export type Backup = { about: Opening; load(database: Database): Promise<number> };

/** Checks the whole file before any database is touched. @throws CommandError if it is not whole, or of another passphrase */
export async function openBackup(file: string, passphrase: string): Promise<Backup> {
  const open = await openSealed(file, passphrase);
  const records = open();
  const about = await readNext<Opening>(records);
  await records.return();
  return { about, load: (database) => loadAll(database, about, open()) };
}

async function readNext<T>(records: Records): Promise<T> {
  const { value } = await records.next();
  return JSON.parse(String(value)) as T;
}

/** @throws CommandError if the backup is of a newer release */
export function refuseNewer({ about }: Backup): void {
  const known = new Set(listMigrations());
  const unknown = about.migrations.find((name) => !known.has(name));
  if (unknown) throw new CommandError(`This backup is of the newer release ${about.release}, with ${unknown}.`);
}

/** @throws CommandError if the database has tables: a restore never mixes data */
export async function refuseInUse({ pool }: Database): Promise<void> {
  if ((await pool.query(TABLES)).rowCount)
    throw new CommandError('DATABASE_URL: this database is not empty. A backup is restored into a new one.');
}

/** The backup's own migrations come first, the newer ones last. */
async function loadAll(database: Database, about: Opening, records: Records): Promise<number> {
  await migrate(database, { only: about.migrations });
  if (about.isSimulated) await prepareSandboxTables(database.pool);
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query(SETTINGS);
    await readNext<Opening>(records);
    const rows = await loadRows(client, records);
    await client.query('commit');
    client.release();
    await migrate(database);
    // Counts hold transaction ids of the other cluster.
    await recountLists(database);
    return rows;
  } catch (error) {
    // A copy may be open on this connection.
    client.release(true);
    throw error;
  }
}

async function loadRows(client: pg.PoolClient, records: Records): Promise<number> {
  const known = (await client.query<Table>(TABLES)).rows;
  // The backup has the rows that triggers, migrations and the sandbox write.
  for (const { name } of known) await client.query(`alter table ${name} disable trigger user`);
  await client.query(`truncate ${known.map(({ name }) => name).join(', ')}`);
  let count = 0;
  let next = await readNext<Table | Totals>(records);
  for (; 'columns' in next; next = await readNext<Table | Totals>(records)) {
    const rows = client.query(copyFrom(`copy ${next.name} (${next.columns.join(', ')}) from stdin`));
    await pipeline(takeRows(records), rows);
    count += rows.rowCount;
  }
  if (count !== next.rows) throw new CommandError(`The backup has ${next.rows} rows, and ${count} were restored.`);
  for (const { name } of known) await client.query(`alter table ${name} enable trigger user`);
  for (const { name, value } of next.sequences) await client.query('select setval($1::regclass, $2)', [name, value]);
  return count;
}

/** The rows of one table, which an empty record ends. */
async function* takeRows(records: Records): AsyncGenerator<Buffer> {
  for (;;) {
    const { value, done } = await records.next();
    if (done || value.length === 0) return;
    yield value;
  }
}
