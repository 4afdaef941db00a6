// Preloaded into a server under test: tells its resident memory after a full collection.
import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../child.ts';

serveParent({
  async memory(): Promise<number> {
    // Twice with a pause: what finalizers let go of in the first round is returned in the second.
    for (let round = 0; round < 2; round++) {
      globalThis.gc?.();
      await pause(300);
    }
    return process.memoryUsage.rss();
  },
});
