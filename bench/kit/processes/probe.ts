// A probe that is preloaded into a measured server: reports the server's memory, and ends it with the bench.
import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../child.ts';

serveParent({
  /** Returns the resident memory in bytes, after full garbage collections. */
  async memory(): Promise<number> {
    // The second garbage collection frees objects that finalizers released in the first.
    for (let round = 0; round < 2; round++) {
      globalThis.gc?.();
      await pause(300);
    }
    return process.memoryUsage.rss();
  },
});
