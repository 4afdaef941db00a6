// The real clock, which a test can set forward. Processes that run together need such a clock.
import type { Clock } from '../../server/clock.ts';

export type JumpClock = Clock & {
  /** Advances the clock. Elapsed waits end immediately. */
  jump(ms: number): void;
  /** Stops the clock during `work`. After `work` the clock shows the same time as without the stop. */
  standStill<T>(work: () => Promise<T>): Promise<T>;
};

export function jumpClock(): JumpClock {
  let aheadMs = 0;
  let stoodAt: number | null = null;
  const rearm = new Set<() => void>();
  const now = () => stoodAt ?? Date.now() + aheadMs;
  const rearmAll = () => rearm.forEach((arm) => arm());
  return {
    now: () => new Date(now()),
    outside: () => new Date(now()),
    wait: (delayMs, signal) =>
      new Promise<void>((resolve) => {
        const end = now() + delayMs;
        let timer: NodeJS.Timeout;
        const finish = () => {
          clearTimeout(timer);
          rearm.delete(arm);
          signal?.removeEventListener('abort', finish);
          resolve();
        };
        const arm = () => {
          clearTimeout(timer);
          if (stoodAt !== null && end > stoodAt) return;
          timer = setTimeout(finish, Math.max(0, end - now())).unref();
        };
        if (signal?.aborted) return resolve();
        signal?.addEventListener('abort', finish, { once: true });
        rearm.add(arm);
        arm();
      }),
    jump(ms) {
      aheadMs += ms;
      if (stoodAt !== null) stoodAt += ms;
      rearmAll();
    },
    async standStill(work) {
      stoodAt = now();
      rearmAll();
      try {
        return await work();
      } finally {
        stoodAt = null;
        rearmAll();
      }
    },
  };
}
