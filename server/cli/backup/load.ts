// Putting a backup's rows into an empty database: its own migrations first, then every row at once, then what has come since.
import { createDecipheriv } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrate } from '../../database/migrate.ts';
import { listMigrations } from '../../database/migrations.ts';
import type { Database } from '../../database/orm.ts';
import { recountLists } from '../../lists/recount.ts';
import { CommandError } from '../command.ts';
import { FOREIGN_KEYS, SETTINGS, TABLES } from './catalog.sql.ts';
import { fileOf, type Contents, type TableFile } from './manifest.ts';
import type { Secrets } from './seal.ts';
import { listColumns, nameTable } from './write.ts';

export type Backup = { dir: string; contents: Contents; secrets: Secrets };

/** @throws CommandError where this release is older than the backup */
export function refuseNewer({ contents }: Pick<Backup, 'contents'>): void {
  const known = new Set(listMigrations());
  const unknown = contents.migrations.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new CommandError(
      `This backup is of a newer release (${contents.release}, with ${unknown[0]}): restore it with that one.`,
    );
}

/** @throws CommandError where there is a table already: what is there is never mixed with what was */
export async function refuseInUse({ pool }: Database): Promise<void> {
  const { rowCount } = await pool.query(TABLES);
  if (rowCount)
    throw new CommandError('DATABASE_URL: this database is not empty; a backup is restored into a new one.');
}

/** Fills an empty database. What fails leaves its tables, but no row. */
export async function loadBackup(database: Database, backup: Backup): Promise<void> {
  const { contents } = backup;
  await migrate(database, { only: contents.migrations });
  if (contents.tables.some(({ schema }) => schema === 'simulator')) {
    const { prepareTables } = await import('../../../sandbox/tables.ts');
    await prepareTables(database.pool);
  }
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query(SETTINGS);
    await loadRows(client, backup);
    await client.query('commit');
    client.release();
  } catch (error) {
    // The connection may be in the midst of a copy.
    client.release(true);
    throw error;
  }
  await migrate(database);
  await recountLists(database);
}

async function loadRows(client: PoolClient, { dir, contents, secrets }: Backup): Promise<void> {
  const tables = await orderTables(client, contents.tables);
  // What they would do is in the backup as rows; and what is only ever added to could not be emptied.
  for (const table of tables) await client.query(`alter table ${nameTable(table)} disable trigger user`);
  // Whatever a migration or the sandbox wrote by itself is in the backup, as it was then.
  if (tables.length > 0) await client.query(`truncate ${tables.map(nameTable).join(', ')}`);
  const key = Buffer.from(secrets.filesKey, 'base64');
  for (const table of tables) await loadTable(client, dir, table, key);
  for (const table of tables) await client.query(`alter table ${nameTable(table)} enable trigger user`);
  await compareCounts(client, tables);
  for (const { schema, name, value } of contents.sequences)
    await client.query('select setval(format($1, $2::text, $3::text)::regclass, $4)', ['%I.%I', schema, name, value]);
}

/** What others point to comes before them. */
async function orderTables(client: PoolClient, tables: TableFile[]): Promise<TableFile[]> {
  const { rows } = await client.query<{ child: string; parent: string }>(FOREIGN_KEYS);
  const byName = new Map(tables.map((table) => [`${table.schema}.${table.name}`, table]));
  const ordered = new Set<TableFile>();
  const add = (name: string) => {
    const table = byName.get(name);
    if (!table || ordered.has(table)) return;
    byName.delete(name);
    for (const { child, parent } of rows) if (child === name) add(parent);
    ordered.add(table);
  };
  for (const name of byName.keys()) add(name);
  return [...ordered];
}

async function loadTable(client: PoolClient, dir: string, table: TableFile, key: Buffer): Promise<void> {
  const file = fileOf(table);
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(table.iv, 'base64'), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(file)).setAuthTag(Buffer.from(table.tag, 'base64'));
  const rows = client.query(copyFrom(`copy ${nameTable(table)} (${listColumns(table)}) from stdin`));
  await pipeline(createReadStream(join(dir, file)), decipher, createGunzip(), rows);
}

/** @throws CommandError where a table has other rows than the manifest says */
async function compareCounts(client: PoolClient, tables: TableFile[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${nameTable(table)}`);
    const count = Number(rows[0]?.count);
    if (count !== table.rows)
      throw new CommandError(`${table.name} has ${count} rows after the restore, and had ${table.rows}.`);
  }
}
