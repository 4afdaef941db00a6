// Whether the counts of every list say what its rows do.
import { expect } from 'vitest';
import type { Database } from '../../server/database/orm.ts';
import { foldLists, type Mark } from '../../server/lists/fold.ts';
import { LISTS, SUMMED } from '../../server/lists/table.ts';
import { until, type TestApp } from './app.ts';

/** All events that there are now are counted, also those that somebody else is counting at this moment. */
export async function foldEvents(database: Database): Promise<void> {
  const marks = new Map<string, Mark>();
  const { rows } = await database.pool.query('select coalesce(max(seq), 0) as seq from events');
  const behind = `select from unnest($1::text[]) l(name) left join list_folds f on f.list = l.name where coalesce(f.upto, 0) < $2::bigint`;
  const names = SUMMED.filter(({ source }) => source === 'events').map(({ name }) => name);
  await until(async () => {
    await foldLists(database, marks);
    return (await database.pool.query(behind, [names, rows[0].seq])).rowCount === 0;
  }, 'all events being counted');
}

/** Counts what is left, a batch of anything, and compares. Nobody writes meanwhile. */
export async function expectCounted({ node, sql }: Pick<TestApp, 'node' | 'sql'>): Promise<void> {
  await foldLists(node.core, new Map());
  for (const { name, table, at, keys, events } of LISTS) {
    const values = `array[${[...(events ? ['status'] : []), ...Object.values(keys)].join(', ')}]::text[]`;
    const differing = await sql(
      `with hours as (
        select merchant_id, date_trunc('hour', ${at}, 'UTC') as at, ${values} as keys, count(*) as n from ${table}
        where merchant_id is not null group by 1, 2, 3
      ), counted as (select merchant_id, at, keys, n, grain from list_counts where list = $1 and n <> 0)
      (select merchant_id, at::text, keys, n::int from hours except select merchant_id, at::text, keys, n::int from counted where grain = 'hour')
      union all (select merchant_id, at::text, keys, n::int from counted where grain = 'hour' except select merchant_id, at::text, keys, n::int from hours)
      union all select merchant_id, 'all', keys, sum(case grain when 'all' then n when 'day' then -n end)::int from counted group by 1, 3
        having sum(case grain when 'all' then n when 'day' then -n else 0 end) <> 0
      union all select merchant_id, 'day', keys, 0 from counted group by 1, 3
        having sum(case grain when 'hour' then n when 'day' then -n else 0 end) <> 0`,
      [name],
    );
    expect(differing, `the counts of the list ${name}`).toEqual([]);
  }
}
