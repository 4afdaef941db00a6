// Whether the event loop keeps up: where it is late again and again new requests are sent away, before balancers take the node for dead.
import type { Clock } from '../../clock.ts';
import { counts } from '../../metrics/counts.ts';
import { tryLater } from '../problem.ts';

const EVERY_MS = 250;
const LATE_MS = 500;
const IN_A_ROW = 4;

const COME_AGAIN_S = 2;

export type Lag = {
  /** Late for so long that what is begun now would only wait. */
  isHeld(): boolean;
};

/**
 * One pause, however long, holds nobody off: it is over when it is seen. One look in time ends it.
 * @param readMs a clock that knows no jumps
 */
export function watchLag(
  clock: Pick<Clock, 'wait'>,
  stopping: AbortSignal,
  readMs: () => number = () => performance.now(),
): Lag {
  let late = 0;
  const watch = async () => {
    while (!stopping.aborted) {
      const dueMs = readMs() + EVERY_MS;
      await clock.wait(EVERY_MS, stopping);
      late = readMs() - dueMs > LATE_MS ? late + 1 : 0;
    }
  };
  void watch();
  return { isHeld: () => late >= IN_A_ROW };
}

/** @throws Problem service_unavailable where the loop is late: what was begun ends sooner when nothing else begins */
export function refuseLate(lag: Lag): void {
  if (!lag.isHeld()) return;
  counts.shed.inc();
  throw tryLater('service_unavailable', COME_AGAIN_S);
}
