// The simulator's tables. They have their own schema, which the gateway's ORM and migrations do not touch.
import { sql } from 'kysely';
import pg from 'pg';
import { connectTo } from '../../server/database/connect.ts';
import { Refusal } from './refusal.ts';
import { prepared } from './schema.ts';
import { INBOX_TABLES, RAIL_TABLES_SQL } from './tables.sql.ts';

/** Opens the simulator's pool, which connects at its first use. A lost connection must not end the process. */
export async function openPool(databaseUrl: string, log: (message: string, error: unknown) => void): Promise<pg.Pool> {
  const pool = new pg.Pool({ ...(await connectTo(databaseUrl, { withinMs: 5_000 })), max: 4 });
  pool.on('error', (error) => log('database connection lost', error));
  return pool;
}

/** Creates missing tables of the simulator. Simulators that start at the same time do this in turn. */
export async function prepareTables(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (db) => {
    await lockTables.run(db, {});
    await db.query(RAIL_TABLES_SQL + INBOX_TABLES);
  });
}

/** Creates only the inbox's tables, for a sandbox whose rails run elsewhere. */
export async function prepareInbox(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (db) => {
    await lockTables.run(db, {});
    await db.query(INBOX_TABLES);
  });
}

/** Runs `work` in a transaction, which rolls back on any error. */
export async function inTransaction<T>(pool: pg.Pool, work: (db: pg.PoolClient) => Promise<T>): Promise<T> {
  const db = await pool.connect();
  let failure: Error | undefined;
  try {
    await db.query('begin');
    const result = await work(db);
    await db.query('commit');
    return result;
  } catch (error) {
    if (!(error instanceof Refusal)) failure = error as Error;
    await db.query('rollback').catch((lost: Error) => {
      failure = lost;
    });
    throw error;
  } finally {
    // A failed connection is discarded, because it may be dead or still inside the transaction.
    db.release(failure);
  }
}

/**
 * Makes work on the given ids run in turn, until the transaction ends.
 * Advisory locks are taken instead of row locks, because the rows may not exist yet.
 */
export async function lockIds(db: pg.PoolClient, ...ids: string[]): Promise<void> {
  await lockThings.run(db, { ids });
}

/** A lock number that no advisory lock of the gateway uses. */
const TABLES_LOCK = 7_262_023;

const lockTables = prepared((tables) =>
  tables.selectNoFrom((eb) => eb.fn('pg_advisory_xact_lock', [eb.lit(TABLES_LOCK)]).as('locked')),
);

const lockThings = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom(sql<{ id: string }>`unnest(${ids}::text[])`.as<'thing'>(sql`thing(id)`))
    .select((eb) =>
      eb.fn('pg_advisory_xact_lock', [eb.fn('hashtextextended', ['id', eb.lit(TABLES_LOCK)])]).as('locked'),
    ),
);
