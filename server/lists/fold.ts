// The background task that adds the differences of lists to their counts.
import { runStatement } from '../database/db.ts';
import type { Database } from '../database/orm.ts';
import type { Host } from '../jobs/engine.ts';
import { FOLD_DELTAS } from './fold.sql.ts';

const PAUSE_MS = 1_000;
const BATCH = 10_000;

/** Folds differences into counts every second until the node stops. A row lock lets only one node fold at a time. */
export async function countLists(host: Host & Database): Promise<void> {
  while (!host.stopping.aborted) {
    await foldLists(host, host.stopping).catch((error: unknown) => {
      host.log.warn({ err: error }, 'could not fold list counts');
    });
    await host.clock.wait(PAUSE_MS, host.stopping);
  }
}

/** Moves the differences of all finished transactions into the counts, unless another node is doing so. */
export async function foldLists(database: Pick<Database, 'pool'>, stopping?: AbortSignal): Promise<void> {
  let moved = BATCH;
  while (moved === BATCH && !stopping?.aborted)
    [{ moved } = { moved: 0 }] = await runStatement<{ moved: number }>(database, FOLD_DELTAS, [BATCH]);
}
