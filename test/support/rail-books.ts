// Compares our settlements with the simulator's books, period by period.
import { expect } from 'vitest';
import { addMinor, toMinor } from '../../shared/money.ts';
import type { TestApp } from './app.ts';
import { cents, expectReproducible } from './books.ts';
import { HOUR_MS } from '../../shared/durations.ts';

/** Finds open work, and transactions of the simulator that the gateway has not recorded. */
export const BUSY = `select 'payment ' || id as busy from payments where status = 'Processing' or operation is not null
  union all select 'refund ' || id from refunds where status in ('Pending', 'Processing')
  union all select 'push of ' || id from simulator.purchases where status = 'PENDING' and decide_at is not null
  union all select 'order ' || id from simulator.purchases o where status = 'APPROVED'
    and kind in ('purchase', 'capture', 'scan')
    and not exists (select from transactions t where t.rail = 'gpo' and t.provider_ref = o.transaction_id)
  union all select 'given back ' || id from simulator.purchases o where status = 'APPROVED' and kind = 'refund'
    and not exists (select from refunds r where r.provider_ref = o.transaction_id and r.status = 'Succeeded')
  union all select 'cash ' || c.transaction_id from simulator.ppr_payments c
    where not exists (
      select from transactions t where t.rail = 'ppr' and t.provider_ref = ltrim(c.transaction_id, '0'))`;

type Sums = { taken: number; refunded: number };

/** Returns the sums, in cêntimos, of the periods that end after `since`. */
function sumRailBooks(books: any, since: Date): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  const firstPeriod = Math.floor((since.getTime() + 5 * HOUR_MS) / (24 * HOUR_MS));
  const add = (rail: string, period: string, amount: string, field: keyof Sums) => {
    if (Number(period) < firstPeriod) return;
    const read = toMinor(amount, 'AOA');
    const known = sums.get(`${rail} ${period}`) ?? { taken: 0, refunded: 0 };
    const minor = 'minor' in read ? read.minor : Number.NaN;
    sums.set(`${rail} ${period}`, { ...known, [field]: addMinor(known[field], minor) });
  };
  const scans = books.qrcodes.flatMap(({ payments }: any) => payments);
  for (const { status, clearingPeriod, amount } of [...books.data, ...books.captures, ...scans])
    if (status === 'APPROVED' || status === 'ACCEPTED') add('gpo', clearingPeriod, amount, 'taken');
  for (const { period, amount } of books.referencePayments) add('ppr', period, amount, 'taken');
  for (const { status, rail, clearingPeriod, amount } of books.refunds)
    if (status === 'APPROVED') add(rail, clearingPeriod, amount, 'refunded');
  return sums;
}

/**
 * Compares each closed period of each account with the rail's books, and repeats each report. Returns all movements.
 * @param settlements the settlements of the periods, from the API's list
 */
export async function expectRailBooks(
  app: Pick<TestApp, 'call' | 'sql'>,
  { settlements, books, since }: { settlements: any[]; books: any; since: Date },
): Promise<any[]> {
  const ours = new Map<string, Sums>();
  const found: any[] = [];
  for (const own of settlements) {
    const { account, clearingPeriod, taken, refunded } = own;
    ours.set(`${account.id} ${clearingPeriod}`, { taken: cents(taken), refunded: cents(refunded) });
    found.push(...(await expectReproducible(app, own)).movements);
  }
  const sorted = (sums: Map<string, Sums>) => new Map([...sums].toSorted());
  expect(sorted(ours)).toEqual(sorted(sumRailBooks(books, since)));
  return found;
}
