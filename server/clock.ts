// Time as the house knows it: every wait and every timestamp comes from here, so that tests can travel.
import { setTimeout as sleep } from 'node:timers/promises';

export type Clock = {
  now(): Date;
  /** Resolves after `delayMs` of this clock, or at once when the signal aborts. Never rejects, never keeps the process alive. */
  wait(delayMs: number, signal?: AbortSignal): Promise<void>;
};

export const systemClock: Clock = {
  now: () => new Date(),
  wait: (delayMs, signal) =>
    sleep(Math.min(delayMs, 2 ** 31 - 1), undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(() => {}),
};
