// The ORM on PostgreSQL: connections, their settings, and transactions.
import { MikroORM, type EntityClass } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { ClientBase, Pool, PoolClient, QueryConfig } from 'pg';
import type { Logger } from 'pino';
import { inChildSpan } from '../metrics/span.ts';
import { errorOfWrite, markUnreached } from './unavailable.ts';
import { connectTo, DatabaseClient } from './connect.ts';
import type { Db, EventListeners } from './db.ts';
import { spanOf } from './queries.ts';

/** The open database. Without `log`, an error of a callback after a commit is not reported. */
export type Database = { orm: MikroORM; pool: Pool; listeners: EventListeners; log?: Pick<Logger, 'error'> };

export type OpenDatabase = Database & {
  /**
   * True makes PostgreSQL refuse new writes. While commits wait for a standby, each one holds a connection.
   * Reads need the remaining connections.
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
 * The settings of each database session.
 * PostgreSQL cancels a slow statement and ends an idle transaction, which would keep rows locked.
 * PostgreSQL notices within 90 s that a node has disappeared.
 * A node sets them by a statement, because connection poolers refuse them as startup parameters.
 */
export const SESSION_SETTINGS = {
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
  tcp_keepalives_idle: 60,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
};
const CONNECT_WITHIN_MS = 5_000;

/**
 * The session settings for migrations, which may take long.
 * A statement that waits for a lock blocks every later statement on its table.
 * A migration therefore waits for less than a second, after which PostgreSQL would check for deadlocks.
 */
export const MIGRATION_SETTINGS = {
  ...SESSION_SETTINGS,
  lock_timeout: 800,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};

/** Returns pool options that give each connection these settings. */
export function withSettings(settings: Record<string, number>) {
  const text = Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${value}`)
    .join('; ');
  return { onConnect: (client: ClientBase) => client.query({ text, query_timeout: CONNECT_WITHIN_MS } as QueryConfig) };
}

/**
 * Opens a pool, which connects at its first query. `isPatient` (for migrations): statements have no time limit.
 * @param options `entities` are the tables of the gateway, without those of the simulator
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
      // Idle connections stay open for five minutes, because a new connection must plan every statement again.
      idleTimeoutMillis: 300_000,
      ...withSettings(isPatient ? MIGRATION_SETTINGS : SESSION_SETTINGS),
    },
    // MikroORM does not create the database, because a misspelled name would become an empty database.
    ensureDatabase: false,
    forceUtcTimezone: true,
    allowGlobalContext: false,
    disableIdentityMap: true,
    schemaGenerator: { ignoreSchema: ['simulator'], ignoreTriggers: true, ignoreRoutines: true },
    migrations: { snapshot: false, silent: true },
  });
  const pool = await orm.em.getConnection().getNativeClient();
  // Without a listener, the error of a lost idle connection would end the process.
  pool.on('error', () => {});
  markUnreached(pool);
  if (!isPatient) endSilent(pool, silenceMs);
  return { orm, pool, listeners: new Set(), holdWrites: watchWrites(pool) };
}

/**
 * Closes all connections of a database.
 * MikroORM closes the pool only if it ran a query itself, and an open connection keeps the process alive.
 */
export async function closeDatabase({ orm, pool }: { orm: MikroORM; pool: Pool }): Promise<void> {
  await orm.close(true);
  if (!pool.ended) await pool.end();
}

/** A server that sends nothing for this long is unavailable. It is longer than `statement_timeout`. */
const SILENCE_MS = 12_000;

/** Ends silent connections. Only used connections have a time limit, because an idle connection receives nothing. */
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

/** Runs `work` in one transaction on its own connection. An error of `work` rolls the transaction back. */
export function inTransaction<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  return runBetween(database, 'begin', work);
}

/** Runs again once if another transaction has committed the same row first. The second run finds that row. */
export function repeatOnDuplicate<T>(run: () => Promise<T>): Promise<T> {
  return run().catch((error: unknown) => {
    if ((error as { code?: string }).code === '23505') return run();
    throw error;
  });
}

/** Runs a read-only transaction in which all queries see one snapshot, such as a list's page and its total. */
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
    // PostgreSQL returns ROLLBACK to a commit if a statement of the transaction has failed.
    if (command === 'ROLLBACK') throw new Error('the transaction was rolled back instead of committed');
  } catch (error) {
    await undo(client);
    throw isCommitting && begin !== SNAPSHOT ? errorOfWrite(error) : error;
  }
  client.release();
  for (const run of after) {
    // The transaction is committed, so a failing callback stops neither its caller nor the other callbacks.
    try {
      run();
    } catch (error) {
      log?.error({ err: error }, 'a callback after a commit failed');
    }
  }
  return result;
}

/** Rolls a transaction back. Closes the connection if this fails. */
async function undo(client: PoolClient): Promise<void> {
  try {
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}
