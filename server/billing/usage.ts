// Usage: payments received by day in Luanda, counted once each.
import { sql } from 'kysely';
import { addMinor, toMajor } from '../../shared/money.ts';
import { prepared, type Db } from '../database/db.ts';
import { addDays, startOf } from '../../shared/luanda.ts';

export type Span = { from: string; to: string };

type Amount = { currency: string; amount: number };
type Counted = { payments: number; gpo: number; ppr: number; amounts: Amount[] };

/** A span's days on which something came, the oldest first, and their totals; both ends count. */
export type Usage = Span & { data: ({ day: string } & Counted)[]; totals: Counted };

export async function readUsage(db: Db, merchantId: string, { from, to }: Span): Promise<Usage> {
  const rows = await sumDays.all(db, { merchantId, from: startOf(from), before: startOf(addDays(to, 1)) });
  const days = Map.groupBy(rows, ({ day }) => day);
  const data = [...days].map(([day, ofDay]) => ({ day, ...countRows(ofDay) }));
  return { from, to, data, totals: countRows(rows) };
}

type Days = { merchantId: string; from: Date; before: Date };

const sumDays = prepared((tables, { merchantId, from, before }: Days) =>
  tables
    .selectFrom('usage_entries')
    .select((eb) => [
      sql<string>`to_char(${eb.ref('occurredAt')} at time zone 'Africa/Luanda', 'YYYY-MM-DD')`.as('day'),
      'currency',
      eb.fn.countAll<number>().filterWhere('paymentType', '=', 'GPO').as('gpo'),
      eb.fn.countAll<number>().filterWhere('paymentType', '=', 'PPR').as('ppr'),
      eb.cast<number>(eb.fn.sum('amountMinor'), 'float8').as('minor'),
    ])
    .where('merchantId', '=', merchantId)
    .where('occurredAt', '>=', from)
    .where('occurredAt', '<', before)
    .groupBy(['day', 'currency'])
    .orderBy('day')
    .orderBy('currency'),
);

type SumsOfDay = Awaited<ReturnType<typeof sumDays.all>>[number];

function countRows(rows: SumsOfDay[]): Counted {
  const [gpo, ppr] = [sum(rows.map((row) => row.gpo)), sum(rows.map((row) => row.ppr))];
  const byCurrency = [...Map.groupBy(rows, ({ currency }) => currency)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const amounts = byCurrency.map(([currency, of]) => ({
    currency,
    amount: toMajor(addMinor(...of.map(({ minor }) => minor)), currency),
  }));
  return { payments: gpo + ppr, gpo, ppr, amounts };
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
