// Errors of a database that is away, or whose answer to a write was lost; and how little of that goes into the log.
import pg, { type Pool, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';

/**
 * Lost connections and those that are refused (08, 53300, 57P0, ECONN…), time that is over (57014, 25P03), a server that may not be
 * written (25006), and one that lacks disk (53100), memory (53200) or a file that can be read (58030).
 */
const AWAY = /^(ECONN|EPIPE|EPROTO|ETIMEDOUT|EHOST|ENET|ERR_SSL|57P0|57014|25P03|25006|08|53|58030)/;

const AWAY_WORDS =
  /Connection terminated|not queryable|connect timeout|Query read timeout|timeout exceeded when trying to connect/i;

/** A write went out and its answer never came: PostgreSQL may have committed it. */
export class AnswerLost extends Error {
  constructor(cause: unknown) {
    super('the database gave no answer to a write, which it may have committed', { cause });
    this.name = 'AnswerLost';
  }
}

/** The error of a write that was sent: `AnswerLost`, unless PostgreSQL itself refused the write. */
export function errorOfWrite(error: unknown): unknown {
  return wasRefused(error) ? error : new AnswerLost(error);
}

/**
 * Runs a write, and `again` if its answer was lost. The second run waits for rows that a running first one holds.
 * The second run must detect the commit of the first one.
 * @throws AnswerLost of the first run, if the second run cannot tell either
 */
export async function repeatLost<T>(run: () => Promise<T>, again: () => Promise<T> = run): Promise<T> {
  try {
    return await run();
  } catch (lost) {
    if (!(lost instanceof AnswerLost)) throw lost;
    return again().catch((error: unknown) => {
      throw isDatabaseAway(error) || error instanceof AnswerLost ? lost : error;
    });
  }
}

/** A pooler reports a connection that broke under a statement as 08P01. That is no refusal. */
function wasRefused(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !error.code?.startsWith('08');
  const { isUnreached, message } = error as Unreached;
  // The driver refuses a statement on a connection that it knows to be closed.
  return isUnreached === true || message.endsWith(' is not queryable');
}

type Unreached = Error & { isUnreached?: true };

/** Marks every error of taking a connection as "not sent", without a look at its message. */
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

/** True for errors of a database that is away or going away. Nothing of the request was committed. */
export function isDatabaseAway(error: unknown): boolean {
  return findAway(error) !== null;
}

function findAway(error: unknown): Error | null {
  for (let cause = error, depth = 0; cause && depth < 5; cause = (cause as Error).cause, depth++) {
    if (cause instanceof AnswerLost) return null;
    const { code = '', message = '', isUnreached } = cause as Unreached & { code?: string };
    if (isUnreached || AWAY.test(String(code)) || AWAY_WORDS.test(message)) return cause as Error;
    if (cause instanceof AggregateError && cause.errors.some(isDatabaseAway)) return cause;
  }
  return null;
}

const EACH_MS = 1_000;

/**
 * The same log, in which a database in trouble takes a line a second, without a stack: everybody who asks it fails then. The first
 * error is said at once, those that follow together.
 */
export function gatherAway(log: Logger, clock: Clock): Logger {
  let said: Record<string, number> | null = null;
  let last: Error | null = null;
  const say = () => {
    const { code, message } = last as Error & { code?: string };
    log.error({ code, reason: String(message).split('\n')[0], said }, 'the database is away or refuses');
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
