// Database locks, with which a test stops several requests at one point and releases them together.
import pg from 'pg';
import { until, type TestApp } from './app.ts';
import { querySql } from './database.ts';

/** Keeps the locks of `statement` until the returned function is called. */
export async function holdLock(databaseUrl: string, statement: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  // A test may kill the database while this lock is held.
  holder.on('error', () => {});
  await holder.connect();
  await holder.query(`begin; ${statement}`);
  return () => holder.end().catch(() => {});
}

/** Counts the statements with this text that wait for a lock. Quotes around names are ignored. */
export async function countWaiting(databaseUrl: string, text: string): Promise<number> {
  return (await listWaiting(databaseUrl, text)).length;
}

/** Returns the transaction of each such statement. Null: the transaction has not written yet. */
export async function listWaiting(databaseUrl: string, text: string): Promise<(string | null)[]> {
  const waiting = `select backend_xid::text as id from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and replace(query, '"', '') ilike $1`;
  const rows = await querySql(databaseUrl, waiting, [`%${text.replaceAll('"', '')}%`]);
  return rows.map(({ id }) => id);
}

/** Makes two calls wait for a payment's row in this order, then releases the row. */
export async function raceForPayment<A, B>(
  { databaseUrl }: Pick<TestApp, 'databaseUrl'>,
  paymentId: string,
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B]> {
  const release = await holdLock(databaseUrl, `select from payments where id = '${paymentId}' for update`);
  // PostgreSQL shows only the beginning of a statement.
  const isWaiting = (count: number) =>
    until(async () => (await countWaiting(databaseUrl, 'select payments.id%')) === count, `${count} waiting`);
  try {
    const before = one();
    await isWaiting(1);
    const after = other();
    await isWaiting(2);
    await release();
    return await Promise.all([before, after]);
  } finally {
    await release();
  }
}
