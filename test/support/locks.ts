// Holding a lock of the database, so that a test can stop everybody at one point and let them go on at the same moment.
import pg from 'pg';
import { until, type TestApp } from './app.ts';
import { querySql } from './database.ts';

/** What `statement` locks stays locked until the answered function is called. */
export async function holdLock(databaseUrl: string, statement: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  // The database may be killed while it is held.
  holder.on('error', () => {});
  await holder.connect();
  await holder.query(`begin; ${statement}`);
  return () => holder.end().catch(() => {});
}

/** How many statements with this text wait for somebody's lock; whether its names are in quotes is nothing to it. */
export async function countWaiting(databaseUrl: string, text: string): Promise<number> {
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and replace(query, '"', '') ilike $1`;
  return (await querySql(databaseUrl, waiting, [`%${text.replaceAll('"', '')}%`])).length;
}

/** Has two wait for a payment's row, the one before the other, and lets them go. */
export async function raceForPayment<A, B>(
  { databaseUrl }: Pick<TestApp, 'databaseUrl'>,
  paymentId: string,
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B]> {
  const release = await holdLock(databaseUrl, `select from payments where id = '${paymentId}' for update`);
  // By its beginning: PostgreSQL shows no more of a statement than that.
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
