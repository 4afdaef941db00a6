// A loop over rows that come due: it sleeps until the next one, or until it is told of a new one. And work under way.
import type { Clock } from '../../server/clock.ts';

export type Loop = { poke(): void; stop(): Promise<void> };

/** Another simulator on the same database may have stopped and left its rows to us. */
const LOOK_AGAIN_MS = 15_000;
/** After a failed step, which means that the database is away. */
const RETRY_MS = 1_000;

type Surroundings = { clock: Clock; log: (message: string, error: unknown) => void };

/** Runs `step`, which does what is due and says when the next row will be, over and over until stopped. */
export function startLoop({ clock, log }: Surroundings, step: () => Promise<Date | null>): Loop {
  let wake = new AbortController();
  let isStopped = false;
  const run = async () => {
    while (!isStopped) {
      wake = new AbortController();
      const waitMs = await step().then(
        (nextAt) => (nextAt ? nextAt.getTime() - clock.now().getTime() : LOOK_AGAIN_MS),
        (error: unknown) => {
          log('the database does not answer, trying again', error);
          return RETRY_MS;
        },
      );
      if (!isStopped && waitMs > 0) await clock.wait(Math.min(waitMs, LOOK_AGAIN_MS), wake.signal);
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

/** Keeps a piece of work in the set for as long as it runs, so that stopping can wait for it. */
export function trackUntilDone<T>(running: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  running.add(work);
  return work.finally(() => running.delete(work));
}
