// Compares the hourly sums of merchants with their transactions and refunds.
import { expect } from 'vitest';
import { inSnapshot } from '../../server/database/orm.ts';
import { readHours } from '../../server/lists/fold.sql.ts';
import type { TestApp } from './app.ts';

const EVER = { from: new Date(0), to: new Date('9999-01-01') };

export async function expectTakingsAgree({ node }: Pick<TestApp, 'node'>): Promise<void> {
  await inSnapshot(node.core, async (db) => {
    const { rows } = await db.pool.query<Row>(OWN);
    const told: Row[] = [];
    for (const { merchantId } of (
      await db.pool.query<{ merchantId: string }>('select id as "merchantId" from merchants')
    ).rows) {
      for (const { at, keys, n } of await readHours(db, 'takings', { merchantId, ...EVER }))
        if (KINDS.includes(keys[0]!))
          told.push({ merchantId, at: at.toISOString(), kind: keys[0]!, what: keys[1]!, n });
    }
    expect(inOrder(told)).toEqual(
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
  select t.created_at as at, v.* from (values ('taken', t.amount_minor), ('movements', 1::bigint), ('late', t.late::int::bigint)) v(kind, n)
  union all select r.completed_at, 'returned', r.amount_minor from refunds r where r.transaction_id = t.id and r.status = 'Succeeded') x
where x.n <> 0 group by 1, 2, 3, 4`;
