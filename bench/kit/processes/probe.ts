// Is preloaded into a measured server: reports its memory, and ends it when the bench ends.
import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../child.ts';

serveParent({
  /** Resident memory after full collections, in bytes. */
  async memory(): Promise<number> {
    // The second round returns what finalizers released in the first.
    for (let round = 0; round < 2; round++) {
      globalThis.gc?.();
      await pause(300);
    }
    return process.memoryUsage.rss();
  },
});
