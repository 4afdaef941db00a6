// A clock that moves only when a test says so.
import type { Clock } from '../../server/clock.ts';

export type TestClock = Clock & {
  /** Advances the clock and ends every wait in its order. The tasks of one wait run before the next wait ends. */
  advance(ms: number): Promise<void>;
  /** Moves the clock over hours or days in one step, like a machine after a sleep. Each elapsed wait ends once. */
  leap(ms: number): void;
  /** Leaps to the last second of this time, and advances through that second. */
  pass(ms: number): Promise<void>;
  /** The current waits with their ends and their lengths. */
  waits(): { at: number; ms: number }[];
};

type Waiter = { at: number; ms: number; wake: () => void };

export function testClock(start = '2026-03-02T09:00:00.000Z'): TestClock {
  let time = Date.parse(start);
  const waiters = new Set<Waiter>();
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const clock: TestClock = {
    now: () => new Date(time),
    outside: () => new Date(time),
    wait: (delayMs, signal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted) return resolve();
        const waiter: Waiter = { at: time + delayMs, ms: delayMs, wake: () => (waiters.delete(waiter), resolve()) };
        waiters.add(waiter);
        signal?.addEventListener('abort', waiter.wake, { once: true });
      }),
    async advance(ms) {
      const until = time + ms;
      await turn();
      for (;;) {
        const next = [...waiters].filter((waiter) => waiter.at <= until).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        time = Math.max(time, next.at);
        next.wake();
        await turn();
      }
      time = until;
    },
    leap(ms) {
      time += ms;
      for (const waiter of [...waiters].filter(({ at }) => at <= time)) waiter.wake();
    },
    async pass(ms) {
      await turn();
      clock.leap(ms - LAST_MS);
      await clock.advance(LAST_MS);
    },
    waits: () => [...waiters].map(({ at, ms }) => ({ at, ms })),
  };
  return clock;
}

const LAST_MS = 1_000;
