// The ORM on PostgreSQL: connection, and migrations under one lock for all nodes.
import { MikroORM, type EntityClass } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { inInnerSpan } from '../metrics/span.ts';
import { endSilent, type Abandoned } from './abandoned.ts';
import { errorOfWrite, markUnreached } from './away.ts';
import { connectTo } from './connect.ts';
import type { Db, EventListeners } from './db.ts';
import { MIGRATIONS } from './migrations.ts';
import { setTimeouts, withTimeouts, type Pooling } from './pooling.ts';
import { spanOf } from './queries.ts';

/** Without a log the failure of a callback after a commit goes unreported. */
export type Database = { orm: MikroORM; pool: Pool; listeners: EventListeners; log?: Pick<Logger, 'error'> };

/** As its process has it; a patient one abandons nothing. */
export type OpenDatabase = Database & { abandoned: Abandoned | null };

export type Opening = {
  entities: EntityClass<object>[];
  poolMax: number;
  isPatient?: boolean;
  /** The same database past a pooler. */
  directUrl?: string | undefined;
  /** How it is reached, where that is known: by itself, unless told otherwise. */
  pooling?: Pooling;
  silenceMs?: number;
};

/** A database that does not answer is away: nobody waits for it longer than this, and it keeps nothing locked. */
export const TIMEOUTS = { statement_timeout: 10_000, idle_in_transaction_session_timeout: 15_000 };
const CONNECT_WITHIN_MS = 5_000;
const POOL = {
  // A new connection costs both sides dearly, and plans every statement anew: a quiet moment is no reason to let one go.
  idleTimeoutMillis: 300_000,
};

/**
 * A migration may take long; but who waits for a lock keeps all waiting that come after it, and so waits for a moment only: for less
 * than the second after which PostgreSQL looks for a deadlock, and ends whoever looks.
 */
export const PATIENCE = { lock_timeout: 800, statement_timeout: 0, idle_in_transaction_session_timeout: 0 };

/** Connects lazily; `isPatient` (for migrations) waits as long as it takes; `entities` are all tables of the house (the simulator's are its own). */
export async function openDatabase(url: string, options: Opening): Promise<OpenDatabase> {
  const { pooling = 'none' } = options;
  const { database, ...connecting } = connectTo(url, { withinMs: CONNECT_WITHIN_MS });
  const orm = await MikroORM.init({
    dbName: database,
    entities: options.entities,
    extensions: [Migrator],
    pool: { min: 0, max: options.poolMax },
    driverOptions: {
      ...connecting,
      ...POOL,
      ...(options.isPatient ? setTimeouts(PATIENCE) : withTimeouts(pooling, TIMEOUTS)),
    },
    // A misspelt name would otherwise become an empty database.
    ensureDatabase: false,
    forceUtcTimezone: true,
    allowGlobalContext: false,
    disableIdentityMap: true,
    schemaGenerator: { ignoreSchema: ['simulator', 'parts'], ignoreTriggers: true },
    migrations: {
      path: MIGRATIONS,
      pathTs: MIGRATIONS,
      glob: '!(*.d).ts',
      emit: 'ts',
      snapshot: false,
      silent: true,
    },
  });
  const pool = await orm.em.getConnection().getNativeClient();
  // Without a listener a database that stops would take the process with it; queries in flight fail by themselves.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  giveBackDead(pool);
  markUnreached(pool);
  const isTaken = (client: PoolClient) => taken.has(client);
  const abandoned = options.isPatient ? null : endSilent(pool, isTaken, options.silenceMs ?? SILENCE_MS);
  return { orm, pool, listeners: new Set(), abandoned };
}

/** Ends all connections. MikroORM ends the pool only if it ran a query itself, and an open connection keeps the process alive. */
export async function closeDatabase({ orm, pool }: { orm: MikroORM; pool: Pool }): Promise<void> {
  await orm.close(true);
  if (!pool.ended) await pool.end();
}

/** Beyond the database's own time for a statement: whoever says nothing for so long is not there any more. */
const SILENCE_MS = 12_000;

/** Connections in somebody's hands. */
const taken = new WeakSet<PoolClient>();

/**
 * The query builder never gives back a connection that dies inside a transaction, since its commit and rollback both
 * fail: each would take a place of the pool for good, until every request waits for ever.
 */
export function giveBackDead(pool: Pool): void {
  const watched = new WeakSet<PoolClient>();
  pool.on('release', (_error, client) => taken.delete(client));
  pool.on('acquire', (client) => {
    taken.add(client);
    if (watched.has(client)) return;
    watched.add(client);
    // After the failed query was told to its caller, who may give the connection back itself.
    client.once('end', () => setImmediate(() => taken.has(client) && client.release(true)));
  });
}

/** One transaction on a connection of its own; whatever throws inside undoes it all. */
export function inTransaction<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  return runBetween(database, 'begin', work);
}

/** Runs again, once, when another committed the same first: the second run finds it. */
export function repeatOnDuplicate<T>(run: () => Promise<T>): Promise<T> {
  return run().catch((error: unknown) => {
    if ((error as { code?: string }).code === '23505') return run();
    throw error;
  });
}

/** Reads that all see the same moment: what one change moved together is seen moved together. */
export function inSnapshot<T>(database: Database, read: (db: Db) => Promise<T>): Promise<T> {
  return runBetween(database, SNAPSHOT, read);
}

const SNAPSHOT = 'begin isolation level repeatable read read only';

/** A transaction that sees, and changes, only what was committed when it began; it fails (40001) where another changed it meanwhile. */
export function inMoment<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  return runBetween(database, 'begin isolation level repeatable read', work);
}

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
    const { command } = await inInnerSpan(spanOf('commit'), () => client.query('commit'));
    isCommitting = false;
    // PostgreSQL answers so where the work went on after a statement of it had failed.
    if (command === 'ROLLBACK') throw new Error('the transaction was rolled back instead of committed');
  } catch (error) {
    await undo(client);
    throw isCommitting && begin !== SNAPSHOT ? errorOfWrite(error) : error;
  }
  client.release();
  for (const run of after) runAfter(run, log);
  return result;
}

/** The transaction is committed by now: a callback that fails stops neither its caller nor the other callbacks. */
function runAfter(run: () => void, log: Database['log']): void {
  try {
    run();
  } catch (error) {
    log?.error({ err: error }, 'a callback after a commit failed');
  }
}

/** A connection that cannot undo what was begun is closed, unless it ended and was given back meanwhile. */
async function undo(client: PoolClient): Promise<void> {
  const isUndone = await client.query('rollback').then(
    () => true,
    () => false,
  );
  if (taken.has(client)) client.release(!isUndone);
}
