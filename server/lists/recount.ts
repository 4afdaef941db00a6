// Counting every list again by its rows, after a restore.
import { COUNTED } from '../database/functions/counted-lists.ts';
import type { Database } from '../database/orm.ts';
import { addCounts } from './fold.sql.ts';

/**
 * Replaces all counts by those of the rows, in one transaction. Its snapshot decides which rows it counts and which
 * differences it drops, so nodes may write during it. Transaction ids of another cluster go with the differences.
 */
export async function recountLists({ pool }: Pick<Database, 'pool'>): Promise<void> {
  // One message is one transaction.
  await pool.query(`set transaction isolation level repeatable read; set local statement_timeout = 0; ${RECOUNT}`);
}

const recount = ({ list, table, rows }: (typeof COUNTED)[number]) =>
  addCounts(`(
    select '${list}' as list, merchant_id, date_trunc('hour', at, 'UTC') as at, keys, sum(n) as n
    from (${rows(table)}) c where merchant_id is not null and at is not null group by merchant_id, 3, keys)`);

/**
 * The statements, for the transaction that fills an empty database. Transaction ids of another cluster go with the differences.
 * The lock waits for a fold before the snapshot is taken.
 */
export const RECOUNT = `
  lock table list_folds in exclusive mode;
  delete from list_deltas;
  delete from list_counts;
  update list_folds set upto = '0';
  ${COUNTED.map(recount).join(';\n')}`;
