// Usage: payments received by day in Luanda, counted once each.
import { addMinor, toMajor } from '../../shared/money.ts';
import type { Db } from '../database/rows.ts';
import { addDays, startOf } from '../../shared/luanda.ts';

export type Span = { from: string; to: string };

type Amount = { currency: string; amount: number };
type Counted = { payments: number; gpo: number; ppr: number; amounts: Amount[] };

/** A span's days on which something came, the oldest first, and their totals; both ends count. */
export type Usage = Span & { data: ({ day: string } & Counted)[]; totals: Counted };

type Row = { day: string; currency: string; gpo: number; ppr: number; minor: number };

export async function readUsage(db: Db, merchantId: string, { from, to }: Span): Promise<Usage> {
  const { rows } = await db.pool.query<Row>({
    name: 'read_usage',
    text: READ,
    values: [merchantId, startOf(from), startOf(addDays(to, 1))],
  });
  const days = Map.groupBy(rows, ({ day }) => day);
  const data = [...days].map(([day, ofDay]) => ({ day, ...countRows(ofDay) }));
  return { from, to, data, totals: countRows(rows) };
}

function countRows(rows: Row[]): Counted {
  const [gpo, ppr] = [sum(rows.map((row) => row.gpo)), sum(rows.map((row) => row.ppr))];
  const byCurrency = [...Map.groupBy(rows, ({ currency }) => currency)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const amounts = byCurrency.map(([currency, of]) => ({
    currency,
    amount: toMajor(addMinor(...of.map(({ minor }) => minor)), currency),
  }));
  return { payments: gpo + ppr, gpo, ppr, amounts };
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);

const READ = `
select to_char(occurred_at at time zone 'Africa/Luanda', 'YYYY-MM-DD') as day, currency,
  (count(*) filter (where payment_type = 'GPO'))::float8 as gpo, (count(*) filter (where payment_type = 'PPR'))::float8 as ppr,
  sum(amount_minor)::float8 as minor
from usage_entries where merchant_id = $1::uuid and occurred_at >= $2::timestamptz and occurred_at < $3::timestamptz
group by 1, 2 order by 1, 2`;
