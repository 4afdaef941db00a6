// The ORM on PostgreSQL: connection, and migrations under one lock for all nodes.
import { MikroORM, type EntityClass } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { ClientBase, Pool, PoolClient, QueryConfig } from 'pg';
import type { Logger } from 'pino';
import { inChildSpan } from '../metrics/span.ts';
import { errorOfWrite, markUnreached } from './away.ts';
import { connectTo, DatabaseClient } from './connect.ts';
import type { Db, EventListeners } from './db.ts';
import { spanOf } from './queries.ts';

/** Without a log the failure of a callback after a commit goes unreported. */
export type Database = { orm: MikroORM; pool: Pool; listeners: EventListeners; log?: Pick<Logger, 'error'> };

export type OpenDatabase = Database & {
  /**
   * True makes PostgreSQL refuse to begin a write. While commits wait for a standby, each one holds a connection,
   * and reads need the other connections.
   */
  holdWrites(areHeld: boolean): void;
};

export type Opening = {
  entities: EntityClass<object>[];
  poolMax: number;
  isPatient?: boolean;
  silenceMs?: number;
};

/**
 * Settings of each session.
 * PostgreSQL cancels a slow statement and ends an idle transaction, which would keep rows locked.
 * It finds out within 90 s that a node is gone.
 * A node sets them by a statement, because a pooler refuses them as parameters of a start.
 */
export const SETTINGS = {
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
  tcp_keepalives_idle: 60,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
};
const CONNECT_WITHIN_MS = 5_000;

/**
 * A migration may take long.
 * A waiting lock holds up every later statement on its table, so a migration waits for less than the second after which
 * PostgreSQL looks for deadlocks.
 */
export const PATIENCE = {
  ...SETTINGS,
  lock_timeout: 800,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};

/** Pool options that give each connection these settings. */
export function withSettings(settings: Record<string, number>) {
  const text = Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${value}`)
    .join('; ');
  return { onConnect: (client: ClientBase) => client.query({ text, query_timeout: CONNECT_WITHIN_MS } as QueryConfig) };
}

/**
 * Opens a pool, which connects when a query needs it. `isPatient` (for migrations) waits as long as it takes.
 * `entities` are the tables of the gateway, without those of the simulator.
 */
export async function openDatabase(url: string, options: Opening): Promise<OpenDatabase> {
  const { entities, poolMax, isPatient = false, silenceMs = SILENCE_MS } = options;
  const { database, ...connecting } = await connectTo(url, { withinMs: CONNECT_WITHIN_MS });
  const orm = await MikroORM.init({
    dbName: database,
    entities,
    extensions: [Migrator],
    pool: { min: 0, max: poolMax },
    driverOptions: {
      ...connecting,
      // A new connection plans every statement again, so a quiet minute does not close one.
      idleTimeoutMillis: 300_000,
      ...withSettings(isPatient ? PATIENCE : SETTINGS),
    },
    // A misspelt name would otherwise become an empty database.
    ensureDatabase: false,
    forceUtcTimezone: true,
    allowGlobalContext: false,
    disableIdentityMap: true,
    schemaGenerator: { ignoreSchema: ['simulator'], ignoreTriggers: true },
    migrations: { snapshot: false, silent: true },
  });
  const pool = await orm.em.getConnection().getNativeClient();
  // Without a listener a lost idle connection would end the process.
  pool.on('error', () => {});
  markUnreached(pool);
  if (!isPatient) endSilent(pool, silenceMs);
  return { orm, pool, listeners: new Set(), holdWrites: watchWrites(pool) };
}

/**
 * Ends all connections.
 * MikroORM ends the pool only if it ran a query itself, and an open connection keeps the process alive.
 */
export async function closeDatabase({ orm, pool }: { orm: MikroORM; pool: Pool }): Promise<void> {
  await orm.close(true);
  if (!pool.ended) await pool.end();
}

/** A server that sends nothing for so long is unavailable. It is longer than `statement_timeout`. */
const SILENCE_MS = 12_000;

/** The time limit runs only while a caller uses the connection, because an idle connection receives nothing. */
function endSilent(pool: Pool, silenceMs: number): void {
  const setSilence = (client: PoolClient, ms: number) => client instanceof DatabaseClient && client.endAfterSilence(ms);
  pool.on('acquire', (client) => setSilence(client, silenceMs));
  pool.on('release', (_error, client) => setSilence(client, 0));
}

function watchWrites(pool: Pool): OpenDatabase['holdWrites'] {
  let areHeld = false;
  const readOnly = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    if (areHeld === readOnly.has(client)) return;
    if (areHeld) readOnly.add(client);
    else readOnly.delete(client);
    // This statement runs before the caller's statement, which fails too if this one fails.
    client.query(areHeld ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only', () => {});
  });
  return (held) => void (areHeld = held);
}

/** One transaction on a connection of its own. An error of `work` rolls it back. */
export function inTransaction<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  return runBetween(database, 'begin', work);
}

/** Runs again once if another transaction committed the same row first. The second run finds that row. */
export function repeatOnDuplicate<T>(run: () => Promise<T>): Promise<T> {
  return run().catch((error: unknown) => {
    if ((error as { code?: string }).code === '23505') return run();
    throw error;
  });
}

/** A read-only transaction in which every query sees the same moment, such as the page of a list and its total. */
export function inSnapshot<T>(database: Database, read: (db: Db) => Promise<T>): Promise<T> {
  return runBetween(database, SNAPSHOT, read);
}

const SNAPSHOT = 'begin isolation level repeatable read read only';

async function runBetween<T>(database: Database, begin: string, work: (db: Db) => Promise<T>): Promise<T> {
  const { orm, pool, listeners, log } = database;
  const client = await pool.connect();
  const after: (() => void)[] = [];
  let isCommitting = false;
  let result: T;
  try {
    await client.query(begin);
    result = await work({ orm, pool: client, listeners, afterCommit: (run) => void after.push(run) });
    isCommitting = true;
    const { command } = await inChildSpan(spanOf('commit'), () => client.query('commit'));
    isCommitting = false;
    // PostgreSQL answers ROLLBACK to a commit if a statement of the transaction had failed.
    if (command === 'ROLLBACK') throw new Error('the transaction was rolled back instead of committed');
  } catch (error) {
    await undo(client);
    throw isCommitting && begin !== SNAPSHOT ? errorOfWrite(error) : error;
  }
  client.release();
  for (const run of after) {
    // The transaction is committed, so a callback that fails stops neither its caller nor the other callbacks.
    try {
      run();
    } catch (error) {
      log?.error({ err: error }, 'a callback after a commit failed');
    }
  }
  return result;
}

/** Rolls back, and closes a connection that cannot. */
async function undo(client: PoolClient): Promise<void> {
  try {
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}
