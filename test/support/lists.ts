// Compares the counts of every list with its rows.
import { expect } from 'vitest';
import { foldLists } from '../../server/lists/fold.ts';
import { COUNTED } from '../../server/database/functions/counted-lists.ts';
import { until, type TestApp } from './app.ts';

/** Folds until no difference is left. One fold moves nothing while another node folds, and waits for open transactions of any kind. */
export async function foldWhole({ node, sql }: Pick<TestApp, 'node' | 'sql'>): Promise<void> {
  await until(async () => {
    await foldLists(node.core);
    return (await sql('select from list_deltas limit 1')).length === 0;
  }, 'all differences being folded');
}

/** Folds and expects that the counts of each grain equal the rows. No other write may run. */
export async function expectCounted({ node, sql }: Pick<TestApp, 'node' | 'sql'>): Promise<void> {
  await foldWhole({ node, sql });
  for (const [list, sources] of Map.groupBy(COUNTED, (counted) => counted.list)) {
    const rows = sources.map((source) => source.rows(source.table)).join(' union all ');
    expect(await sql(differing(rows), [list]), `the counts of ${list}`).toEqual([]);
  }
}

/** Rows of one side only. The deltas that a fold has left count as well. */
const differing = (rows: string) => {
  const expected = `select merchant_id, grain, start, keys, sum(n) as n from (${rows}) r
    cross join lateral (values ('all', '-infinity'), ('day', date_trunc('day', at, 'UTC')), ('hour', date_trunc('hour', at, 'UTC'))) g(grain, start)
    where merchant_id is not null and at is not null and (grain = 'all' or at > '-infinity') group by 1, 2, 3, 4
    having sum(n) <> 0`;
  const counted = `select merchant_id, grain, at, keys, n::numeric from list_counts where list = $1 and n <> 0`;
  return `((${expected}) except (${counted})) union all ((${counted}) except (${expected}))
    union all select merchant_id, 'delta', at, keys, n from list_deltas where list = $1`;
};
