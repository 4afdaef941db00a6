// The simulator's own tables, in a schema that the gateway's ORM and migrations never look at.
import { sql } from 'kysely';
import pg from 'pg';
import { connectTo } from '../../server/database/connect.ts';
import { Refusal } from './refusal.ts';
import { prepared } from './schema.ts';
import { INBOX, TABLES } from './tables.sql.ts';

/** Connects lazily; a database that stops must not take the process with it. */
export async function openPool(databaseUrl: string, log: (message: string, error: unknown) => void): Promise<pg.Pool> {
  const pool = new pg.Pool({ ...(await connectTo(databaseUrl, { withinMs: 5_000 })), max: 4 });
  pool.on('error', (error) => log('a database connection was lost', error));
  return pool;
}

/** Makes what is missing; several simulators starting at once wait for one another. */
export async function prepareTables(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (db) => {
    await lockTables.run(db, {});
    await db.query(TABLES + INBOX);
  });
}

/** The inbox alone: it is there also where every rail is elsewhere. */
export async function prepareInbox(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (db) => {
    await lockTables.run(db, {});
    await db.query(INBOX);
  });
}

/** A transaction of its own; whatever throws inside undoes it all. */
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
    // A connection that failed is not used again: it may be dead, or still inside the transaction.
    db.release(failure);
  }
}

/** Waits for whoever does something to these things, one after the other, which may not exist yet, until the transaction ends. */
export async function lockThing(db: pg.PoolClient, ...ids: string[]): Promise<void> {
  await lockThings.run(db, { ids });
}

/** Any number that the gateway's own locks do not use. */
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
