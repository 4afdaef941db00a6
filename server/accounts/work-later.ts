// Work after the answer: how long it takes, or that it failed, tells the caller nothing.
import type { Core } from '../core.ts';

/** Begins `work` once the answer no longer waits for it; a failure is logged. */
export function workLater(core: Pick<Core, 'inBackground' | 'log'>, work: () => Promise<void>): void {
  const run = async () => {
    await new Promise(setImmediate);
    try {
      await work();
    } catch (error) {
      core.log.error({ err: error }, 'could not do what was asked by a stranger');
    }
  };
  core.inBackground(run());
}
