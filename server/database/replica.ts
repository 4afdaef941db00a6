// Lists, files and statements read from a replica: only while it has all that was committed before they were asked for. Else, and
// wherever it is away, the database itself answers.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { CannotStart } from '../config.ts';
import { counts } from '../metrics/counts.ts';
import { isDatabaseAway } from './away.ts';
import { connectTo } from './connect.ts';
import { prepared, type Db } from './db.ts';
import { giveBackDead, inSnapshot, TIMEOUTS, type Database } from './orm.ts';
import { setTimeouts } from './pooling.ts';

/** Runs a read that changes nothing; again on the database itself where the replica fails in the midst of it. */
export type Reading = <T>(read: (db: Database) => Promise<T>) => Promise<T>;

/** Reads that all see the same moment (orm.ts, inSnapshot), of a replica where there is one. */
export function inReading<T>({ reading }: { reading: Reading }, read: (db: Db) => Promise<T>): Promise<T> {
  return reading((database) => inSnapshot(database, read));
}

export type Replica = { reading: Reading; close(): Promise<void> };

export type ReplicaOptions = {
  /** Without it the database itself answers everything. */
  url: string | undefined;
  poolMax: number;
  clock: Clock;
  log: Logger;
  /** How long who asks waits for what was just committed to arrive. */
  patienceMs?: number;
};

const PATIENCE_MS = 100;
const LOOK_AGAIN_MS = 5;
/** A replica that does not say for so long how far it is, is away. */
const SILENCE_MS = 500;
/** A replica that was away is not asked for so long. */
const AWAY_MS = 5_000;

/**
 * One that cannot be reached holds up no start.
 * @throws CannotStart for a server that is no copy of the database
 */
export async function openReplica(database: Database, options: ReplicaOptions): Promise<Replica> {
  const { url, clock, log, patienceMs = PATIENCE_MS } = options;
  if (!url) return { reading: (read) => read(database), close: async () => {} };
  const readPrimary: Reading = (read) => {
    counts.reads.inc({ from: 'primary' });
    return read(database);
  };
  const pool = openPool(url, options);
  const copy: Database = { ...database, pool };
  let awayUntilMs = 0;
  const leave = (error: unknown) => {
    if (clock.now().getTime() >= awayUntilMs)
      log.warn({ err: error }, 'the replica is away, lists come from the database');
    awayUntilMs = clock.now().getTime() + AWAY_MS;
  };
  await refuseStranger(database, copy).catch((error: unknown) => {
    if (error instanceof CannotStart) throw error;
    leave(error);
  });
  const isUsable = async () => {
    if (clock.now().getTime() < awayUntilMs) return false;
    const { position } = await findPosition.one(database, {});
    try {
      return await hasReached(copy, position, patienceMs);
    } catch (error) {
      leave(error);
      return false;
    }
  };
  return {
    async reading(read) {
      if (!(await isUsable())) return readPrimary(read);
      try {
        const found = await read(copy);
        counts.reads.inc({ from: 'replica' });
        return found;
      } catch (error) {
        if (!isReplicas(error)) throw error;
        leave(error);
        return readPrimary(read);
      }
    },
    close: () => pool.end(),
  };
}

function openPool(url: string, { poolMax }: ReplicaOptions): pg.Pool {
  const pool = new pg.Pool({
    ...connectTo(url, { withinMs: SILENCE_MS, isLimit: true }),
    max: poolMax,
    idleTimeoutMillis: 300_000,
    ...setTimeouts(TIMEOUTS),
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  giveBackDead(pool);
  return pool;
}

/** What of an error is the replica's own: it is away, or replaying had to take away what was being read (40001). */
const isReplicas = (error: unknown) => isDatabaseAway(error) || (error as { code?: string }).code === '40001';

async function refuseStranger(database: Database, copy: Database): Promise<void> {
  const [own, other] = await Promise.all([
    findIdentity.one(database, {}),
    within(SILENCE_MS, findIdentity.one(copy, {})),
  ]);
  if (own.cluster !== other.cluster || own.database !== other.database)
    throw new CannotStart('DATABASE_READ_URL: is no replica of the database that DATABASE_URL names.');
}

/** Copies of a server have its identity, and each database in it its number. */
const findIdentity = prepared((tables) =>
  tables.selectNoFrom([
    sql<string>`(select system_identifier::text from pg_control_system())`.as('cluster'),
    sql<number>`(select oid::int8 from pg_database where datname = current_database())`.as('database'),
  ]),
);

/** How far the database's log is safe, which is where every commit is that was acknowledged. */
const findPosition = prepared((tables) =>
  tables.selectNoFrom(sql<string>`pg_current_wal_flush_lsn()::text`.as('position')),
);

/** Whether the replica has replayed so much before patience ends; never one that follows nobody, whose log may be another's by now. */
async function hasReached(copy: Db, position: string, patienceMs: number): Promise<boolean> {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const { follows, has } = await within(SILENCE_MS, findReached.one(copy, { position }));
    if (has || !follows || waitedMs >= patienceMs) return follows && has;
    await pause(LOOK_AGAIN_MS);
  }
}

const findReached = prepared((tables, { position }: { position: string }) =>
  tables.selectNoFrom([
    sql<boolean>`pg_is_in_recovery() and exists (select from pg_stat_wal_receiver)`.as('follows'),
    sql<boolean>`coalesce(pg_last_wal_replay_lsn() >= ${position}::pg_lsn, false)`.as('has'),
  ]),
);

/** @throws Error for an answer that does not come within that time */
async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = pause(ms, null, { signal: ended.signal }).then(() => {
    throw new Error('Connection terminated: it does not answer');
  });
  answer.catch(() => {});
  return Promise.race([answer, late]).finally(() => ended.abort());
}
