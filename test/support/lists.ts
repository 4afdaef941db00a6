// Compares the stored counts of every list with the rows that they count.
import { expect } from 'vitest';
import { COUNTED } from '../../server/database/functions/counted-lists.ts';
import { inSnapshot } from '../../server/database/orm.ts';
import { readHours } from '../../server/lists/fold.sql.ts';
import { foldLists } from '../../server/lists/fold.ts';
import { until, type TestApp } from './app.ts';

/** Folds all count deltas. A fold does nothing while another node folds or a transaction is open, so it is repeated. */
export async function foldWhole({ node, sql }: Pick<TestApp, 'node' | 'sql'>): Promise<void> {
  await until(async () => {
    await foldLists(node.core);
    return (await sql('select from list_deltas limit 1')).length === 0;
  }, 'all differences being folded');
}

/** Folds the deltas and expects that all stored counts equal the rows. No other write may run. */
export async function expectCounted({ node, sql }: Pick<TestApp, 'node' | 'sql'>): Promise<void> {
  await foldWhole({ node, sql });
  for (const [list, sources] of Map.groupBy(COUNTED, (counted) => counted.list)) {
    const rows = sources.map((source) => source.rows(source.table)).join(' union all ');
    expect(await sql(differing(rows), [list]), `the counts of ${list}`).toEqual([]);
  }
}

/** Finds counts that differ from the rows. Deltas that are not folded yet count as well. */
const differing = (rows: string) => {
  const expected = `select merchant_id, grain, start, keys, sum(n) as n from (${rows}) r
    cross join lateral (values ('all', '-infinity'), ('day', date_trunc('day', at, 'UTC')), ('hour', date_trunc('hour',
      at, 'UTC'))) g(grain, start)
    where merchant_id is not null and at is not null and (grain = 'all' or at > '-infinity') group by 1, 2, 3, 4
    having sum(n) <> 0`;
  const counted = `select merchant_id, grain, at, keys, n::numeric from list_counts where list = $1 and n <> 0`;
  return `((${expected}) except (${counted})) union all ((${counted}) except (${expected}))
    union all select merchant_id, 'delta', at, keys, n from list_deltas where list = $1`;
};

const EVER = { from: new Date(0), to: new Date('9999-01-01') };

export async function expectTakingsAgree({ node }: Pick<TestApp, 'node'>): Promise<void> {
  await inSnapshot(node.core, async (db) => {
    const { rows } = await db.pool.query<Row>(OWN);
    const compared: Row[] = [];
    for (const { merchantId } of (
      await db.pool.query<{ merchantId: string }>('select id as "merchantId" from merchants')
    ).rows) {
      for (const { at, keys, n } of await readHours(db, 'takings', { merchantId, ...EVER }))
        if (KINDS.includes(keys[0]!))
          compared.push({ merchantId, at: at.toISOString(), kind: keys[0]!, what: keys[1]!, n });
    }
    expect(inOrder(compared)).toEqual(
      inOrder(rows.map((row) => ({ ...row, at: new Date(row.at).toISOString(), n: Number(row.n) }))),
    );
  });
}

type Row = { merchantId: string; at: string; kind: string; what: string; n: number };

const KINDS = ['taken', 'movements', 'returned', 'late'];
const inOrder = (rows: Row[]) => rows.map((row) => JSON.stringify(row)).sort();

// A capture must not count its authorization's money again.
const OWN = `
select t.merchant_id as "merchantId", date_trunc('hour', x.at, 'UTC') as at, x.kind, t.currency as what, sum(x.n) as n
from (select t.* from transactions t join payments p on p.id = t.payment_id and p.currency = t.currency) t
cross join lateral (
  select t.created_at as at, v.* from (values ('taken', t.amount_minor), ('movements', 1::bigint), ('late',
    t.late::int::bigint)) v(kind, n)
  union all select r.completed_at, 'returned', r.amount_minor from refunds r where r.transaction_id = t.id
    and r.status = 'Succeeded') x
where x.n <> 0 group by 1, 2, 3, 4`;
