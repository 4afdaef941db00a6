// Preloaded into a server under test: tells its resident memory, as it is or after a full collection, and how long its event loop stands still.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../child.ts';

const loop = monitorEventLoopDelay({ resolution: 1 });

serveParent({
  watchLoop() {
    loop.reset();
    loop.enable();
  },
  /** The longest that the event loop stood still since then, in ms. */
  longestStop() {
    loop.disable();
    return loop.max / 1e6;
  },
  resident: () => process.memoryUsage.rss(),
  async memory(): Promise<number> {
    // Twice with a pause: what finalizers let go of in the first round is returned in the second.
    for (let round = 0; round < 2; round++) {
      globalThis.gc?.();
      await pause(300);
    }
    return process.memoryUsage.rss();
  },
});
