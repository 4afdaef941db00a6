// Bringing the schema up to date beside nodes that work on it: one step after the other, none of which keeps anybody waiting for long.
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { MIGRATIONS, openDatabase, type Database, type Opening } from './orm.ts';

/** Any number: all nodes must use the same one. */
const MIGRATION_LOCK = 7_262_022;

/**
 * What was there before migrations had to be bearable, and what makes it so, in one transaction: beside the first without the last an
 * older node could not record money.
 */
const AT_ONCE_UNTIL = '20261208_older_nodes';

/** A step that cannot have its lock steps aside, for whom it kept waiting meanwhile, and comes again: for half an hour. */
const TRIES = 120;
const PAUSE_MS = 15_000;

/** Names of this release's migrations, in their order. */
export function listMigrations(): string[] {
  return readdirSync(MIGRATIONS)
    .map((file) => basename(file, '.ts'))
    .toSorted();
}

/** Whether every migration of this release has run; false as well when nobody can tell yet. One query, without the migrator. */
export async function isMigrated(database: Pick<Database, 'pool'>): Promise<boolean> {
  const ran = new Set(await listRan(database.pool));
  return listMigrations().every((name) => ran.has(name));
}

/** Migrates only where something is left to migrate: by patient connections, since it may take long. */
export async function openMigrated(url: string, opening: Opening, options: MigrateOptions = {}): Promise<Database> {
  const database = await openDatabase(url, opening);
  try {
    if (await isMigrated(database)) return database;
    const patient = await openDatabase(url, { ...opening, poolMax: 2, isPatient: true });
    await migrate(patient, options).finally(() => patient.orm.close(true));
    return database;
  } catch (error) {
    await database.orm.close(true);
    throw error;
  }
}

async function listRan(pool: Pool): Promise<string[]> {
  const ran = await pool
    .query<{ name: string }>('select name from mikro_orm_migrations order by id')
    .catch(() => ({ rows: [] }));
  return ran.rows.map(({ name }) => name);
}

export type MigrateOptions = {
  /** These alone, where they are still to run: the schema as it was with them. */
  only?: readonly string[];
  /** Told where a step has to come again. */
  log?: (message: string) => void;
  pauseMs?: number;
};

/**
 * Brings the schema up to date, by a database that was opened as patient; several nodes starting at once wait for one another.
 * @throws the database's error, where a lock was not to be had in half an hour too
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<void> {
  const { pool } = database;
  const lock = await pool.connect();
  try {
    await lock.query('set lock_timeout = 0');
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const ran = new Set(await listRan(pool));
    const pending = (options.only ?? listMigrations()).filter((name) => !ran.has(name));
    const first = pending.filter((name) => name <= AT_ONCE_UNTIL);
    if (first.length > 0) await runStep(database, first, options);
    for (const name of pending.slice(first.length)) await runStep(database, [name], options);
  } finally {
    await unlock(lock);
  }
}

async function unlock(lock: PoolClient): Promise<void> {
  await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
  // Its lock_timeout is nobody else's.
  lock.release(true);
}

async function runStep({ orm }: Database, names: string[], { log, pauseMs }: MigrateOptions): Promise<void> {
  // One by itself may be one that runs outside of a transaction.
  orm.config.get('migrations').allOrNothing = names.length > 1;
  for (let tried = 1; ; tried++) {
    try {
      await orm.migrator.up({ migrations: names });
      return;
    } catch (error) {
      if (!isLocked(error) || tried === TRIES) throw error;
      log?.(`${names.at(-1)} waits for who works on its tables, and tries again`);
      await pause(pauseMs ?? PAUSE_MS);
    }
  }
}

/** `lock_not_available`, or two that wait for each other. */
function isLocked(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code === '55P03' || code === '40P01' || (cause !== undefined && isLocked(cause));
}
