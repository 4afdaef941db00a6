// A loop over due rows: it sleeps until the next row is due or until a new row wakes it. Also tracks running work.
import type { Clock } from '../../server/clock.ts';

export type Loop = { poke(): void; stop(): Promise<void> };

/** Interval at which the loop also finds rows of another simulator that has stopped. */
const POLL_MS = 15_000;
/** Delay after a failed step, which usually means that the database is unavailable. */
const RETRY_MS = 1_000;

type Surroundings = { clock: Clock; log: (message: string, error: unknown) => void };

/** Runs `step` until stopped. A step handles the due rows and returns when the next row is due. */
export function startLoop({ clock, log }: Surroundings, step: () => Promise<Date | null>): Loop {
  let wake = new AbortController();
  let isStopped = false;
  const run = async () => {
    while (!isStopped) {
      wake = new AbortController();
      const waitMs = await step().then(
        (nextAt) => (nextAt ? nextAt.getTime() - clock.now().getTime() : POLL_MS),
        (error: unknown) => {
          log('database unavailable, will retry', error);
          return RETRY_MS;
        },
      );
      if (!isStopped && waitMs > 0) await clock.wait(Math.min(waitMs, POLL_MS), wake.signal);
    }
  };
  const finished = run();
  return {
    poke: () => wake.abort(),
    stop() {
      isStopped = true;
      wake.abort();
      return finished;
    },
  };
}

/** Keeps running work in the set, so that a stop can wait for it. */
export function trackUntilDone<T>(running: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  running.add(work);
  return work.finally(() => running.delete(work));
}
