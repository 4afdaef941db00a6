// A database that is away, or takes nothing: which errors say so, and how little of that goes into the log.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';

/**
 * Lost connections and those that are refused (08, 53300, 57P0, ECONN…), time that is over (57014, 25P03), a server that may not be
 * written (25006), and one that lacks disk (53100), memory (53200) or a file that can be read (58030).
 */
const AWAY = /^(ECONN|EPIPE|ETIMEDOUT|57P0|57014|25P03|25006|08|53|58030)/;

const AWAY_WORDS =
  /Connection terminated|not queryable|connect timeout|Query read timeout|timeout exceeded when trying to connect/i;

/** True for errors of a database that is away or going away: the request had no effect that was acknowledged. */
export function isDatabaseAway(error: unknown): boolean {
  return findAway(error) !== null;
}

function findAway(error: unknown): Error | null {
  for (let cause = error, depth = 0; cause && depth < 5; cause = (cause as Error).cause, depth++) {
    const { code = '', message = '' } = cause as { code?: string; message?: string };
    if (AWAY.test(String(code)) || AWAY_WORDS.test(message)) return cause as Error;
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
