// The numbers of invoices and of credit notes: each a range of its own, without a gap.
import { sql } from 'kysely';
import { monthOf } from '../../shared/luanda.ts';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';

export type Numbered = { year: number; serial: number; issuedAt: Date };

type Range = 'invoices' | 'credit_notes';

/** The next number of the year, without a gap: held until the transaction ends, given back when it fails. */
export async function takeNumber(core: Pick<Core, 'clock'>, db: Db, range: Range): Promise<Numbered> {
  // A statement of its own: the next one must see what the last holder of the lock committed.
  await LOCKS[range].run(db, {});
  const last = await LASTS[range].first(db, {});
  // Numbers and dates grow together, though nodes' clocks differ.
  const now = core.clock.now();
  const issuedAt = last && last.issuedAt > now ? last.issuedAt : now;
  const year = Number(monthOf(issuedAt).slice(0, 4));
  return { year, serial: last?.year === year ? last.serial + 1 : 1, issuedAt };
}

const lockOf = (range: Range) =>
  prepared((tables) =>
    tables.selectNoFrom(sql`pg_advisory_xact_lock(hashtextextended(${sql.lit(range)}, 0))`.as('lock')),
  );

const lastOf = (range: Range) =>
  prepared((tables) =>
    tables
      .selectFrom(range)
      .select(['year', 'serial', 'issuedAt'])
      .orderBy('year', 'desc')
      .orderBy('serial', 'desc')
      .limit(1),
  );

const LOCKS = { invoices: lockOf('invoices'), credit_notes: lockOf('credit_notes') };
const LASTS = { invoices: lastOf('invoices'), credit_notes: lastOf('credit_notes') };
