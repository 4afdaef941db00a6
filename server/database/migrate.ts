// Migrates the schema while nodes run, step by step. No step blocks a running node for more than a second.
import { setTimeout as pause } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { refuseTooNew, refuseTooOld } from './floor.ts';
import { areFunctionsCurrent, createFunctions } from './functions.ts';
import { listRan, MIGRATIONS, type NamedMigration } from './migrations.ts';
import { closeDatabase, openDatabase, type Database, type OpenDatabase, type Opening } from './orm.ts';
import { reachDatabase } from './wait-for-database.ts';

/** The number of the advisory lock that all nodes take for migrations. */
const MIGRATION_LOCK = 7_262_022;

/** The tries of a step. Without its lock, a step lets waiting statements pass and tries again, for half an hour. */
const TRIES = 1_200;
const PAUSE_MS = 1_500;
const TURN_PAUSE_MS = 100;

export type MigrateOptions = {
  /** The migrations of the release. Tests pass those of a later release. */
  migrations?: readonly NamedMigration[];
  /** Runs only these migrations. */
  only?: readonly string[];
  /** Receives a message if a step must try again, or if a newer release has changed the database. */
  log?: (message: string) => void;
  pauseMs?: number;
};

/**
 * Opens a database, and migrates it first if a migration is missing.
 * Migrations may take long, so they have their own connections.
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
    if (unknown) log?.(`a newer release has changed the database (${unknown}); this release still works with it`);
    // A newer release has its own functions in the database. This release leaves them unchanged.
    const isCurrent = unknown !== undefined || (await areFunctionsCurrent(pool));
    if (isCurrent && listMissing(ran, migrations).length === 0) return database;
    const patient = await openDatabase(url, { ...opening, poolMax: 2, isPatient: true });
    // If a migration loses its database, MikroORM keeps the connection, so closing its pool may never end.
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
 * @throws the database's error, for example if a lock was not free within half an hour
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

/** Lists the migrations of this release that a database has not run, in their order. */
const listMissing = (ran: readonly string[], migrations: readonly NamedMigration[]): string[] =>
  migrations.map(({ name }) => name).filter((name) => !ran.includes(name));

/** Lists executed migrations that this release does not know, because a newer release has run them. */
const listUnknown = (ran: readonly string[], migrations: readonly NamedMigration[]): string[] =>
  ran.filter((name) => !migrations.some((known) => known.name === name));

/**
 * Polls for the migration lock.
 * A waiting statement would hold a snapshot, and concurrent index builds wait for those.
 */
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
