// The watch writes to the database each second on its own connection, and compares the clocks of node and database.
// The result lets `/readyz` respond immediately, even while the pool hangs.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { connectTo, DatabaseClient } from './connect.ts';

const EACH_MS = 1_000;
/** The time limit for connecting and for each response, in milliseconds. */
const WITHIN_MS = 2_000;

export type Watch = {
  /** True if the database accepted writes at the last check, and both clocks agreed. */
  isReady(): boolean;
  isClockCorrect(): boolean;
  /** Checks the database now, unless a check is running. Never rejects. */
  look(): Promise<void>;
  close(): Promise<void>;
};

type Watched = {
  databaseUrl: string;
  clock: Clock;
  /** The tolerated difference of both clocks. A node with a larger one would end leases that other nodes hold. */
  toleranceMs: number;
  log: Logger;
  stopping: AbortSignal;
  /** Receives after each check whether commits wait for a standby (orm.ts). */
  holdWrites(areHeld: boolean): void;
  withinMs?: number;
};

/** Starts the watch. Resolves after the first check. */
export async function openWatch(watched: Watched): Promise<Watch> {
  const { databaseUrl, clock, log, stopping, holdWrites, withinMs = WITHIN_MS } = watched;
  const name = `balcao-watch-${randomUUID()}`;
  const time = compareClocks(watched);
  let client: pg.Client | null = null;
  let isClosed = false;
  let takesWrites: boolean | null = null;
  let underWay: Promise<void> | null = null;

  /** Closes the connection of the watch. The next check opens another one. */
  const lose = ({ code, message }: Error & { code?: string }) => {
    if (isClosed) return;
    if (takesWrites !== false)
      log.error({ code, reason: message.split('\n')[0] }, 'database refuses writes: not ready');
    takesWrites = false;
    client?.end().catch(() => {});
    client = null;
  };
  const connect = async () => {
    const options = await connectTo(databaseUrl, { withinMs, isLimit: true });
    if (isClosed) throw new Error('the watch is closed');
    const opened = (client = new DatabaseClient({ ...options, query_timeout: withinMs, application_name: name }));
    // Most databases report their shutdown, so the node becomes unready before the next check.
    opened.on('error', (error) => client === opened && lose(error));
    await opened.connect();
    await opened.query(END_OTHERS, [name]);
    return opened;
  };
  const check = async () => {
    try {
      const connected = client ?? (await connect());
      const startedMs = clock.outside().getTime();
      const [state] = (await connected.query<State>(READ_STATE, [withinMs])).rows as [State];
      const rttMs = clock.outside().getTime() - startedMs;
      time.record(startedMs + rttMs / 2 - state.atMs, rttMs / 2);
      holdWrites(state.areCommitsHeld);
      // After a failover, the same host may be a standby.
      if (state.isReadOnly) throw new Error('the server is read-only');
      await connected.query(TRY_TO_WRITE);
      if (takesWrites === false) log.info('database accepts writes again');
      takesWrites = true;
    } catch (error) {
      lose(error as Error);
    }
  };
  const look = () => (underWay ??= check().finally(() => (underWay = null)));
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
    isReady: () => takesWrites === true && time.isRight(),
    isClockCorrect: time.isRight,
    look,
    async close() {
      isClosed = true;
      await client?.end().catch(() => {});
      await watching;
    },
  };
}

type State = { atMs: number; isReadOnly: boolean; areCommitsHeld: boolean };

/**
 * Reads the state of the server.
 * No timeout may cancel a commit that waits for a standby, because its data is not safe yet.
 */
const READ_STATE = `select extract(epoch from clock_timestamp())::float8 * 1000 as "atMs",
  current_setting('transaction_read_only') = 'on' as "isReadOnly",
  exists (select from pg_stat_activity where datname = current_database() and usename = current_user
    and wait_event = 'SyncRep' and query_start < clock_timestamp() - $1 * interval '1 ms') as "areCommitsHeld"`;

/**
 * A test write without a table. The function's rows exceed the memory, so they use disk. Its commit waits for standbys.
 * Updating a row would be no test, because PostgreSQL writes it into an existing page even on a full disk.
 */
const TRY_TO_WRITE = `set local work_mem = '64kB';
  select count(*) from generate_series(1, 10000);
  select pg_logical_emit_message(true, 'balcao', '')`;

/** Ends earlier connections of the watch. Their commits may wait for a standby, and nothing needs their writes. */
const END_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = $1 and pid <> pg_backend_pid()`;

/** Compares the clocks, and logs when they start or stop to differ. */
function compareClocks({ log, toleranceMs }: Watched) {
  let isRight = true;
  return {
    isRight: () => isRight,
    record(offsetMs: number, unsureMs: number) {
      const wasRight = isRight;
      isRight = Math.abs(offsetMs) - unsureMs <= toleranceMs;
      const offsetSeconds = Math.round(offsetMs) / 1_000;
      if (wasRight && !isRight)
        log.error({ offsetSeconds }, 'clock skew too large (CLOCK_TOLERANCE_S): not ready, jobs paused');
      if (isRight && !wasRight) log.info({ offsetSeconds }, 'clock skew within tolerance again');
    },
  };
}
