// Time as the house knows it: every wait and every timestamp comes from here, so that tests can travel.

export type Clock = {
  now(): Date;
  /** Resolves after `delayMs` of this clock, or at once when the signal aborts. Never rejects, never keeps the process alive. */
  wait(delayMs: number, signal?: AbortSignal): Promise<void>;
};

const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
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
