// Assigns the numbers of invoices and of credit notes. Each kind has its own consecutive numbers without gaps.
import { monthOf } from '../../shared/luanda.ts';
import type { Core } from '../core.ts';
import { em, takeLock, type Db } from '../database/db.ts';
import { CreditNote, Invoice } from './entities.ts';

export type Numbered = { year: number; serial: number; issuedAt: Date };

const RANGES = { invoices: Invoice, credit_notes: CreditNote };

/** Takes the year's next number. Its lock lasts until the transaction ends, and a rollback releases the number. */
export async function takeNumber(core: Pick<Core, 'clock'>, db: Db, range: keyof typeof RANGES): Promise<Numbered> {
  // The lock has its own statement, so that the next statement sees the commit of the lock's last holder.
  await takeLock(db, range);
  const newest = { orderBy: { year: 'desc', serial: 'desc' }, limit: 1 } as const;
  const [last] = await em(db).find<Invoice | CreditNote>(RANGES[range], {}, newest);
  // The nodes' clocks may differ, so a document's date is never earlier than that of the previous number.
  const now = core.clock.now();
  const issuedAt = last && last.issuedAt > now ? last.issuedAt : now;
  const year = Number(monthOf(issuedAt).slice(0, 4));
  return { year, serial: last?.year === year ? last.serial + 1 : 1, issuedAt };
}
