// The clock of all timestamps and waits, which tests and the sandbox can move.

export type Clock = {
  now(): Date;
  /**
   * Real time, for values that other systems check by their own clocks: tokens, signatures, authenticator codes.
   * A sandbox's movable clock may be ahead of real time.
   */
  outside(): Date;
  /** Waits for `delayMs` or until the abort. The promise never rejects and does not keep the process alive. */
  wait(delayMs: number, signal?: AbortSignal): Promise<void>;
};

const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  outside: () => new Date(),
  // `timers/promises` creates two errors for each aborted wait, and every network call has such a wait.
  wait: (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(delayMs, LONGEST_MS)).unref();
      signal?.addEventListener('abort', end);
    }),
};

/** A clock that can be set ahead. Running waits keep their duration, so that calls do not time out early. */
export type MovableClock = Clock & { aheadMs(): number; setAhead(ms: number): void };

export function movableClock(base: Clock): MovableClock {
  let ahead = 0;
  return {
    ...base,
    now: () => new Date(base.now().getTime() + ahead),
    aheadMs: () => ahead,
    setAhead(ms) {
      ahead = ms;
    },
  };
}

/** Real time, for token and session expiry. The sandbox clock does not affect it. */
export const outsideClock = (clock: Clock): Clock => ({ ...clock, now: clock.outside });
