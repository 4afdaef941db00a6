// The watch writes to the database each second by a connection of its own, and compares both clocks. So `/readyz` answers at once, even
// while the pool hangs.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { connectTo, DatabaseClient } from './connect.ts';

const EACH_MS = 1_000;
/** Each of: to be let in, to be answered. */
const WITHIN_MS = 2_000;

export type Watch = {
  /** The database takes writes, and this node has its time; as of the last look. */
  isReady(): boolean;
  isOnTime(): boolean;
  /** Looks now, unless a look is under way. It never rejects. */
  look(): Promise<void>;
  close(): Promise<void>;
};

export type Watched = {
  databaseUrl: string;
  clock: Clock;
  /** How far the clock's outside time may be from the database's: further off, a node ends what others think alive. */
  toleranceMs: number;
  log: Logger;
  stopping: AbortSignal;
  /** Learns at each look whether commits wait for a standby (orm.ts). */
  holdWrites(areHeld: boolean): void;
  withinMs?: number;
};

/** Begins to watch; resolves when it has looked once. */
export async function openWatch(watched: Watched): Promise<Watch> {
  const { clock, stopping } = watched;
  const news = createNews(watched);
  const line = createLine(watched, news);
  let underWay: Promise<void> | null = null;
  const look = () => (underWay ??= lookOnce(watched, line, news).finally(() => (underWay = null)));
  const watch = async () => {
    for (;;) {
      await clock.wait(EACH_MS, stopping);
      if (stopping.aborted) return;
      await look();
    }
  };
  await look();
  const watching = watch();
  return {
    isReady: () => news.takesWrites() && news.isOnTime(),
    isOnTime: news.isOnTime,
    look,
    async close() {
      await line.close();
      await watching;
    },
  };
}

async function lookOnce(watched: Watched, line: Line, news: News): Promise<void> {
  const { clock, holdWrites, withinMs = WITHIN_MS } = watched;
  try {
    const client = await line.take();
    const startedMs = clock.outside().getTime();
    const [state] = (await client.query<State>(READ_STATE, [withinMs])).rows as [State];
    const rttMs = clock.outside().getTime() - startedMs;
    news.tellClock(startedMs + rttMs / 2 - state.atMs, rttMs / 2);
    holdWrites(state.areCommitsHeld);
    // Another server may answer in its place by now.
    if (state.isReadOnly) throw new Error('it is read-only');
    await client.query(TRY_TO_WRITE);
    news.tellDatabase(null);
  } catch (error) {
    line.lose(error as Error);
  }
}

type State = { atMs: number; isReadOnly: boolean; areCommitsHeld: boolean };

/** A commit that waits for a standby is not cancelled: readers would see it, and callers learn of it, before it is safe. */
const READ_STATE = `select extract(epoch from clock_timestamp())::float8 * 1000 as "atMs",
  current_setting('transaction_read_only') = 'on' as "isReadOnly",
  exists (select from pg_stat_activity where datname = current_database() and usename = current_user
    and wait_event = 'SyncRep' and query_start < clock_timestamp() - $1 * interval '1 ms') as "areCommitsHeld"`;

/**
 * A write without a table. The rows of the function exceed the memory, so they need room on the disk. The commit waits for standbys.
 * An update of a row would be no test: PostgreSQL writes it into its page even on a full disk.
 */
const TRY_TO_WRITE = `set local work_mem = '64kB';
  select count(*) from generate_series(1, 10000);
  select pg_logical_emit_message(true, 'balcao', '')`;

/** An earlier connection may hang in its commit until a standby is back. Its write is not needed. */
const END_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()`;

type Line = ReturnType<typeof createLine>;

/** One connection, opened when it is wanted; each that fails is followed by another. */
function createLine({ databaseUrl, withinMs = WITHIN_MS }: Watched, news: News) {
  const name = `balcao-watch-${randomUUID()}`;
  let own: pg.Client | null = null;
  let isClosed = false;
  const lose = (error: Error) => {
    if (isClosed) return;
    news.tellDatabase(error);
    own?.end().catch(() => {});
    own = null;
  };
  return {
    lose,
    async take(): Promise<pg.Client> {
      if (own) return own;
      const options = await connectTo(databaseUrl, { withinMs, isLimit: true });
      if (isClosed) throw new Error('the watch is closed');
      const client = (own = new DatabaseClient({ ...options, query_timeout: withinMs, application_name: name }));
      // At once, and not when it is looked at again: a database that goes away mostly says so.
      client.on('error', (error) => own === client && lose(error));
      await client.connect();
      await client.query(END_OTHERS, [name]);
      return client;
    },
    async close() {
      isClosed = true;
      await own?.end().catch(() => {});
    },
  };
}

type News = ReturnType<typeof createNews>;

/** Keeps the last state, and logs each change of it. */
function createNews({ log, toleranceMs }: Watched) {
  let takesWrites: boolean | null = null;
  let isOnTime = true;
  return {
    takesWrites: () => takesWrites === true,
    isOnTime: () => isOnTime,
    /** @param error why it takes no writes; null: it does */
    tellDatabase(error: Error | null) {
      const { code, message } = (error ?? {}) as { code?: string; message?: string };
      if (error && takesWrites !== false)
        log.error({ code, reason: message?.split('\n')[0] }, 'the database takes no writes: not ready');
      if (!error && takesWrites === false) log.info('the database takes writes again');
      takesWrites = error === null;
    },
    tellClock(offsetMs: number, unsureMs: number) {
      const isOff = Math.abs(offsetMs) - unsureMs > toleranceMs;
      const offsetSeconds = Math.round(offsetMs) / 1_000;
      if (isOff && isOnTime)
        log.error({ offsetSeconds }, 'this clock is not the database’s: not ready, and no work that is due is taken');
      if (!isOff && !isOnTime) log.info({ offsetSeconds }, 'this clock is the database’s again');
      isOnTime = !isOff;
    },
  };
}
