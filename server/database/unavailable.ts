// Recognizes errors of an unavailable database and of a write without a response. Limits their lines in the log.
import pg, { type Pool, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';

/**
 * Error codes of an unavailable database:
 * - 08, 53300, 57P0, ECONN…: a lost or refused connection.
 * - 57014, 25P03: a timeout.
 * - 25006: a read-only server.
 * - 53100, 53200, 58030: no disk space, no memory, or an unreadable file.
 */
const AWAY = /^(ECONN|EPIPE|EPROTO|ETIMEDOUT|EHOST|ENET|ERR_SSL|57P0|57014|25P03|25006|08|53|58030)/;

const AWAY_WORDS =
  /Connection terminated|not queryable|connect timeout|Query read timeout|timeout exceeded when trying to connect/i;

/** The response to a write was lost: PostgreSQL may have committed the write. */
export class AnswerLost extends Error {
  constructor(cause: unknown) {
    super('no answer to a write; the database may have committed it', { cause });
    this.name = 'AnswerLost';
  }
}

/** Returns the error of a write that was sent: `AnswerLost`, unless PostgreSQL itself refused the write. */
export function errorOfWrite(error: unknown): unknown {
  return wasRefused(error) ? error : new AnswerLost(error);
}

/**
 * Runs a write, and runs `again` if the response was lost. The second run waits for rows that the first run locks.
 * The second run must detect the commit of the first one.
 * @throws AnswerLost of the first run, if the database is unavailable for the second run too
 */
export async function repeatLost<T>(run: () => Promise<T>, again: () => Promise<T> = run): Promise<T> {
  try {
    return await run();
  } catch (lost) {
    if (!(lost instanceof AnswerLost)) throw lost;
    return again().catch((error: unknown) => {
      throw isDatabaseUnavailable(error) || error instanceof AnswerLost ? lost : error;
    });
  }
}

/** True if PostgreSQL refused the statement. 08P01 is no refusal: poolers report a broken connection with it. */
function wasRefused(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !error.code?.startsWith('08');
  const { isUnreached, message } = error as Unreached;
  // The driver refuses a statement on a connection that it knows to be closed.
  return isUnreached === true || message.endsWith(' is not queryable');
}

type Unreached = Error & { isUnreached?: true };

/** Marks every error of opening a connection as "not sent", independent of its message. */
export function markUnreached(pool: Pool): void {
  type Taken = (error: Error | undefined, client: PoolClient | undefined, release: (error?: unknown) => void) => void;
  const connect = pool.connect.bind(pool) as { (): Promise<PoolClient>; (taken: Taken): void };
  const mark = (error: Error): Unreached => Object.assign(error, { isUnreached: true } as const);
  const connectMarked = (taken?: Taken) =>
    taken
      ? connect((error, client, release) => taken(error && mark(error), client, release))
      : connect().catch((error: Error) => Promise.reject(mark(error)));
  pool.connect = connectMarked as Pool['connect'];
}

/** True for errors of a database that is unavailable or shutting down. The request committed nothing. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return findAway(error) !== null;
}

function findAway(error: unknown): Error | null {
  for (let cause = error, depth = 0; cause && depth < 5; cause = (cause as Error).cause, depth++) {
    if (cause instanceof AnswerLost) return null;
    const { code = '', message = '', isUnreached } = cause as Unreached & { code?: string };
    if (isUnreached || AWAY.test(String(code)) || AWAY_WORDS.test(message)) return cause as Error;
    if (cause instanceof AggregateError && cause.errors.some(isDatabaseUnavailable)) return cause;
  }
  return null;
}

const EACH_MS = 1_000;

/**
 * Returns a logger that writes at most one line a second about an unavailable database, without a stack.
 * Every query fails then. The first error is logged immediately, and the following errors are counted by message.
 */
export function limitUnavailableLog(log: Logger, clock: Clock): Logger {
  let said: Record<string, number> | null = null;
  let last: Error | null = null;
  const say = () => {
    const { code, message } = last as Error & { code?: string };
    log.error({ code, reason: String(message).split('\n')[0], said }, 'database unavailable');
    said = {};
    last = null;
    void clock.wait(EACH_MS).then(() => (last ? say() : (said = null)));
  };
  const gather = (level: 'warn' | 'error') =>
    function (this: Logger, ...line: unknown[]) {
      const away = findAway((line[0] as { err?: unknown } | null)?.err);
      if (!away) return log[level].apply(this, line as Parameters<Logger['error']>);
      const about = String(line[1]);
      last = away;
      const isFirst = said === null;
      said = { ...said, [about]: (said?.[about] ?? 0) + 1 };
      if (isFirst) say();
    };
  return Object.assign(Object.create(log) as Logger, { warn: gather('warn'), error: gather('error') });
}
