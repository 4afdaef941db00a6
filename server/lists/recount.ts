// Counts the rows of every list again, for use after a restore.
import { COUNTED } from '../database/functions/counted-lists.ts';
import type { Database } from '../database/orm.ts';
import { addCounts } from './fold.sql.ts';

/**
 * Replaces all counts by a new count of the rows, in one transaction.
 * The transaction's snapshot decides which rows it counts and which differences it deletes, so nodes may keep writing.
 * It also deletes the transaction ids of another cluster, which are part of the differences.
 */
export async function recountLists({ pool }: Pick<Database, 'pool'>): Promise<void> {
  // PostgreSQL runs the statements of one message in one transaction.
  await pool.query(`set transaction isolation level repeatable read; set local statement_timeout = 0; ${RECOUNT}`);
}

const recount = ({ list, table, rows }: (typeof COUNTED)[number]) =>
  addCounts(`(
    select '${list}' as list, merchant_id, date_trunc('hour', at, 'UTC') as at, keys, sum(n) as n
    from (${rows(table)}) c where merchant_id is not null and at is not null group by merchant_id, 3, keys)`);

/**
 * The statements of a recount, which the transaction that fills an empty database runs too.
 * The lock statement waits for a running fold before PostgreSQL takes the snapshot.
 */
export const RECOUNT = `
  lock table list_folds in exclusive mode;
  delete from list_deltas;
  delete from list_counts;
  update list_folds set upto = '0';
  ${COUNTED.map(recount).join(';\n')}`;
