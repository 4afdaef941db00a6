// Housekeeping once a day: what is kept for a time only is deleted in small steps.
import type { Core } from '../core.ts';

const DAY_MS = 24 * 3_600_000;
const BATCH = 5_000;

/** Answers stored by Idempotency-Key are replayed for this long (decisions §1). */
const KEYS_KEPT_MS = 7 * DAY_MS;

/** Until the node stops, deletes what is past its time: at the start, then daily. Several nodes may do so at once. */
export async function cleanDaily(core: Core): Promise<void> {
  while (!core.stopping.aborted) {
    try {
      await deleteOldKeys(core, new Date(core.clock.now().getTime() - KEYS_KEPT_MS));
    } catch (error) {
      core.log.warn({ err: error }, 'could not delete old idempotency keys');
    }
    await core.clock.wait(DAY_MS, core.stopping);
  }
}

async function deleteOldKeys(core: Core, before: Date): Promise<void> {
  let deleted: number | null = BATCH;
  while (deleted === BATCH && !core.stopping.aborted) {
    ({ rowCount: deleted } = await core.pool.query(
      `delete from idempotency_keys where (merchant_id, key) in
         (select merchant_id, key from idempotency_keys where created_at < $1::timestamptz limit ${BATCH})`,
      [before],
    ));
  }
}
