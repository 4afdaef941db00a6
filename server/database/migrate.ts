// Bringing the schema up to date beside nodes that work on it: one step after the other, none of which keeps anybody waiting for long.
import { setTimeout as pause } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { listUnknown, refuseTooNew } from './floor.ts';
import { areFunctionsCurrent, createFunctions } from './functions.ts';
import { listMigrations, listRan, MIGRATIONS } from './migrations.ts';
import { closeDatabase, openDatabase, type Database, type Opening } from './orm.ts';
import { reachDatabase, type Reached } from './reach.ts';
import { CannotStart } from '../config.ts';

/** Any number: all nodes must use the same one. */
const MIGRATION_LOCK = 7_262_022;

/**
 * What was there before migrations had to be bearable, and what makes it so, in one transaction: beside the first without the last an
 * older node could not record money.
 */
const AT_ONCE_UNTIL = '20261208_older_nodes';

/** The tables of 0.1.0 that it changes; all of them are held before anything is done, or none: so nobody is in anybody's way. */
const CHANGED_AT_ONCE =
  'payments transactions attempts events payment_references inbox merchants invoices sms_accounts sms_batches sms_messages'.split(
    ' ',
  );
/** For each; together less than a second, as in orm.ts. */
const HOLD_WITHIN_MS = 80;

/** A step that cannot have its lock steps aside, for whom it kept waiting meanwhile, and comes again: for half an hour. */
const TRIES = 1_200;
const PAUSE_MS = 1_500;
const TURN_PAUSE_MS = 100;

/** Whether every migration of this release has run; false as well when nobody can tell yet. One query, without the migrator. */
export async function isMigrated(database: Pick<Database, 'pool'>): Promise<boolean> {
  const ran = new Set(await listRan(database.pool));
  return listMigrations().every((name) => ran.has(name));
}

/**
 * Migrates only where something is left to migrate: by patient connections, since it may take long.
 * @throws SchemaTooNew, CannotStart
 */
export async function openMigrated(url: string, opening: Opening, options: MigrateOptions = {}): Promise<Reached> {
  const database = await reachDatabase(url, opening, { log: options.log });
  try {
    await refuseTooNew(database.pool);
    const unknown = await listUnknown(database.pool);
    if (unknown.length > 0)
      options.log?.(`a newer release has changed the database (${unknown[0]}); this one can work beside it`);
    // A newer release has functions of its own, which this one leaves as they are.
    const isCurrent = unknown.length > 0 || (await areFunctionsCurrent(database.pool));
    if ((await isMigrated(database)) && isCurrent) return database;
    // Locks and settings of migrations are a session's.
    if (database.pooling === 'transaction' && !opening.directUrl)
      throw new CannotStart(
        'DATABASE_DIRECT_URL: this release changes the database, which a pooler that lends its connections by the transaction cannot do; name the PostgreSQL itself here.',
      );
    const patient = await openDatabase(opening.directUrl ?? url, { ...opening, poolMax: 2, isPatient: true });
    await migrate(patient, options).finally(() => closeDatabase(patient));
    return database;
  } catch (error) {
    await closeDatabase(database);
    throw error;
  }
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
    await takeTurn(lock, options);
    const ran = new Set(await listRan(pool));
    database.orm.config.get('migrations').migrationsList ??= MIGRATIONS;
    const pending = (options.only ?? listMigrations()).filter((name) => !ran.has(name));
    const first = pending.filter((name) => name <= AT_ONCE_UNTIL);
    if (first.length > 0) await insist(() => runAtOnce(database, first), AT_ONCE_UNTIL, options);
    for (const name of pending.slice(first.length)) await insist(() => runAlone(database, name), name, options);
    const isNewest = (await listUnknown(pool)).length === 0;
    if (!options.only && isNewest) await insist(() => createFunctions(pool), 'functions', options);
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    lock.release();
  }
}

/** Asks again and again: whoever waited inside of the database would be a reader there, and an index waits for all readers. */
async function takeTurn(lock: PoolClient, { pauseMs = TURN_PAUSE_MS }: MigrateOptions): Promise<void> {
  for (;;) {
    const asked = 'select pg_try_advisory_lock($1) as ours';
    if ((await lock.query<{ ours: boolean }>(asked, [MIGRATION_LOCK])).rows[0]?.ours) return;
    await pause(pauseMs);
  }
}

async function runAtOnce({ orm, pool }: Database, names: string[]): Promise<void> {
  const found = await pool.query<{ name: string }>(
    `select tablename::text as name from pg_tables where schemaname = 'public' and tablename = any($1)`,
    [CHANGED_AT_ONCE],
  );
  const held = CHANGED_AT_ONCE.filter((table) => found.rows.some(({ name }) => name === table));
  orm.config.get('migrations').allOrNothing = true;
  // It makes its own table by another connection: not while everything is held.
  await orm.migrator.getExecuted();
  await orm.em.fork().transactional(async (em) => {
    if (held.length > 0) {
      await em.execute(`set local lock_timeout = ${HOLD_WITHIN_MS}`);
      await em.execute(`lock table ${held.join(', ')} in access exclusive mode`);
    }
    await orm.migrator.up({ migrations: names, transaction: em.getTransactionContext() });
  });
}

async function runAlone({ orm }: Database, name: string): Promise<void> {
  // It may be one that runs outside of a transaction.
  orm.config.get('migrations').allOrNothing = false;
  await orm.migrator.up({ migrations: [name] });
}

async function insist(run: () => Promise<void>, name: string, { log, pauseMs }: MigrateOptions): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error) || tried === TRIES) throw error;
      if (tried % 20 === 1) log?.(`migration ${name} waits for who works on its tables`);
      await pause(pauseMs ?? PAUSE_MS);
    }
  }
}

/** `lock_not_available`, or two that wait for each other. */
function isLocked(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code === '55P03' || code === '40P01' || (cause !== undefined && isLocked(cause));
}
