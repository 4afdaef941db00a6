// Migrates the schema while nodes run, one step after the other. No step blocks a running node for more than a second.
import { setTimeout as pause } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { refuseTooNew, refuseTooOld } from './floor.ts';
import { areFunctionsCurrent, createFunctions } from './functions.ts';
import { listRan, MIGRATIONS, type NamedMigration } from './migrations.ts';
import { closeDatabase, openDatabase, type Database, type OpenDatabase, type Opening } from './orm.ts';
import { reachDatabase } from './reach.ts';

/** The number of the advisory lock that all nodes take for migrations. */
const MIGRATION_LOCK = 7_262_022;

/** A step without its lock lets waiting statements pass and tries again, for half an hour. */
const TRIES = 1_200;
const PAUSE_MS = 1_500;
const TURN_PAUSE_MS = 100;

export type MigrateOptions = {
  /** The migrations of the release. A test passes those of a later release. */
  migrations?: readonly NamedMigration[];
  /** Runs only these migrations. */
  only?: readonly string[];
  /** Receives a message if a step has to try again, or if a newer release has changed the database. */
  log?: (message: string) => void;
  pauseMs?: number;
};

/** True if every migration of this release has run; false as well if the database does not answer. */
export async function isMigrated({ pool }: Pick<Database, 'pool'>): Promise<boolean> {
  return listMissing(await listRan(pool), MIGRATIONS).length === 0;
}

/**
 * Opens a database, and first migrates it if a migration is missing.
 * Migrations may take long, so they have connections of their own.
 * @throws SchemaTooNew, CannotStart
 */
export async function openMigrated(url: string, opening: Opening, options: MigrateOptions = {}): Promise<OpenDatabase> {
  const { log, migrations = MIGRATIONS } = options;
  const database = await reachDatabase(url, opening, { log });
  try {
    const { pool } = database;
    const ran = await listRan(pool);
    refuseTooOld(ran);
    await refuseTooNew(pool, migrations);
    const [unknown] = listUnknown(ran, migrations);
    if (unknown) log?.(`a newer release has changed the database (${unknown}); this one can work beside it`);
    // A newer release has functions of its own. This one leaves them as they are.
    const isCurrent = unknown !== undefined || (await areFunctionsCurrent(pool));
    if (isCurrent && listMissing(ran, migrations).length === 0) return database;
    const patient = await openDatabase(url, { ...opening, poolMax: 2, isPatient: true });
    // MikroORM keeps the connection of a migration that lost its database, so a pool with an error may never end.
    await migrate(patient, options).catch((error: unknown) => {
      void closeDatabase(patient);
      throw error;
    });
    await closeDatabase(patient);
    return database;
  } catch (error) {
    await closeDatabase(database);
    throw error;
  }
}

/**
 * Migrates a database that was opened with `isPatient`. Nodes that start concurrently migrate one after the other.
 * @throws the database's error, also if a lock was not free within half an hour
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<void> {
  const { orm, pool } = database;
  const { migrations = MIGRATIONS, only } = options;
  const lock = await pool.connect();
  try {
    await takeTurn(lock, options);
    const ran = await listRan(pool);
    const pending = listMissing(ran, migrations).filter((name) => only?.includes(name) ?? true);
    Object.assign(orm.config.get('migrations'), { migrationsList: migrations, allOrNothing: false });
    for (const name of pending) await insist(() => orm.migrator.up({ migrations: [name] }), name, options);
    const isNewest = listUnknown(ran, migrations).length === 0;
    if (!only && isNewest) await insist(() => createFunctions(pool), 'functions', options);
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    lock.release();
  }
}

/** Migrations of this release that a database has not run, in their order. */
const listMissing = (ran: readonly string[], migrations: readonly NamedMigration[]): string[] =>
  migrations.map(({ name }) => name).filter((name) => !ran.includes(name));

/** Migrations that a newer release has run, and this one does not know. */
const listUnknown = (ran: readonly string[], migrations: readonly NamedMigration[]): string[] =>
  ran.filter((name) => !migrations.some((known) => known.name === name));

/** Polls for the lock. A statement that waits for it would be a reader, and an index waits for all readers. */
async function takeTurn(lock: PoolClient, { pauseMs = TURN_PAUSE_MS }: MigrateOptions): Promise<void> {
  for (;;) {
    const tried = 'select pg_try_advisory_lock($1) as ours';
    if ((await lock.query<{ ours: boolean }>(tried, [MIGRATION_LOCK])).rows[0]?.ours) return;
    await pause(pauseMs);
  }
}

async function insist(run: () => Promise<unknown>, name: string, { log, pauseMs }: MigrateOptions): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await run();
      return;
    } catch (error) {
      if (!isLocked(error) || tried === TRIES) throw error;
      if (tried % 20 === 1) log?.(`migration ${name} waits for a lock on its tables`);
      await pause(pauseMs ?? PAUSE_MS);
    }
  }
}

/** True for PostgreSQL's `lock_not_available` and for a deadlock. */
function isLocked(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code === '55P03' || code === '40P01' || (cause !== undefined && isLocked(cause));
}
