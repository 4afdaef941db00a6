// A loop over due rows. It sleeps until the next row is due or until a new row wakes it.
import type { Clock } from '../../server/clock.ts';

export type Loop = { poke(): void; stop(): Promise<void> };

/** The interval at which the loop also finds rows of another simulator that has stopped. */
const POLL_MS = 15_000;
/** The delay after a failed step of the loop. The usual reason is an unavailable database. */
const RETRY_MS = 1_000;

type Surroundings = { clock: Clock; log: (message: string, error: unknown) => void };

/** Runs `step` again and again until stopped. A step handles the due rows and returns the time of the next due row. */
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

/** Keeps running work in the set until it is done, so that a stop can wait for it. */
export function trackUntilDone<T>(running: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  running.add(work);
  return work.finally(() => running.delete(work));
}
