// The background task that adds the words of payments to the index of word parts.
import { sql } from 'kysely';
import { prepared } from '../database/db.ts';
import type { Core } from '../core.ts';

/** Most payments get their money within this time, so most words are indexed once. */
const PAUSE_MS = 15_000;
const BATCH = 1_000;

/** Indexes new words until the node stops. A search reads the words that are not indexed yet one by one. */
export async function indexPayments(core: Core): Promise<void> {
  while (!core.stopping.aborted) {
    await indexFreshWords(core).catch((error: unknown) => {
      core.log.warn({ err: error }, 'could not index the words of payments');
    });
    await core.clock.wait(PAUSE_MS, core.stopping);
  }
}

/** Indexes all words that are not indexed yet, except those that another node is indexing. */
export async function indexFreshWords(core: Pick<Core, 'orm' | 'pool' | 'listeners' | 'stopping'>): Promise<void> {
  let indexed = BATCH;
  while (indexed === BATCH && !core.stopping.aborted) indexed = (await indexBatch.all(core, { most: BATCH })).length;
}

const indexBatch = prepared((tables, { most }: { most: number }) =>
  tables
    .updateTable('payment_search')
    .set({ isIndexed: true })
    .where(
      'paymentId',
      '=',
      sql<string>`any(array(select payment_id from payment_search where not is_indexed
        order by merchant_id, payment_id limit ${most} for update skip locked))`,
    )
    .returning('paymentId'),
);
