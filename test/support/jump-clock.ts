// The real clock, which a test can set forward: for processes that share real time with another one.
import type { Clock } from '../../server/clock.ts';

export type JumpClock = Clock & {
  /** From now on it is this much later; waits that are over by then end at once. */
  jump(ms: number): void;
};

export function jumpClock(): JumpClock {
  let aheadMs = 0;
  const rearm = new Set<() => void>();
  const now = () => Date.now() + aheadMs;
  return {
    now: () => new Date(now()),
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
          timer = setTimeout(finish, Math.max(0, end - now())).unref();
        };
        if (signal?.aborted) return resolve();
        signal?.addEventListener('abort', finish, { once: true });
        rearm.add(arm);
        arm();
      }),
    jump(ms) {
      aheadMs += ms;
      for (const arm of rearm) arm();
    },
  };
}
