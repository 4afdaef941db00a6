// Time as the house knows it: every wait and every timestamp comes from here, so that tests can travel.

export type Clock = {
  now(): Date;
  /**
   * What others' clocks show, for what they check by them: tokens, signatures, an authenticator's codes. A sandbox's own
   * time may be ahead of it.
   */
  outside(): Date;
  /** Resolves after `delayMs` of this clock, or at once when the signal aborts. Never rejects, never keeps the process alive. */
  wait(delayMs: number, signal?: AbortSignal): Promise<void>;
};

const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  outside: () => new Date(),
  // Not timers/promises: every call over the network has such a deadline, and there each that is met makes two errors.
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

/** A clock that can be put ahead of another. What waits goes on to wait as long as ever: a call under way does not end by it. */
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

/** The same time as everybody's: for who may come in, which a sandbox's own time does not change. */
export const outsideClock = (clock: Clock): Clock => ({ ...clock, now: clock.outside });
