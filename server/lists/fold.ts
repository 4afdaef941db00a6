// The background task that moves differences of lists into the counts.
import { runStatement } from '../database/db.ts';
import type { Database } from '../database/orm.ts';
import type { Host } from '../jobs/engine.ts';
import { FOLD } from './fold.sql.ts';

const PAUSE_MS = 1_000;
const BATCH = 10_000;

/** Folds every second until the node stops. A row lock lets one node fold at a time. */
export async function countLists(host: Host & Database): Promise<void> {
  while (!host.stopping.aborted) {
    await foldLists(host, host.stopping).catch((error: unknown) => {
      host.log.warn({ err: error }, 'could not fold list counts');
    });
    await host.clock.wait(PAUSE_MS, host.stopping);
  }
}

/** Moves every difference of a finished transaction, unless another node folds now. */
export async function foldLists(database: Pick<Database, 'pool'>, stopping?: AbortSignal): Promise<void> {
  let moved = BATCH;
  while (moved === BATCH && !stopping?.aborted)
    [{ moved } = { moved: 0 }] = await runStatement<{ moved: number }>(database, FOLD, [BATCH]);
}
