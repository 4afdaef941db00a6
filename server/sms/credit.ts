// SMS units that a merchant is given, and what there is: every movement with the balance after it.
import { v7 as uuid } from 'uuid';
import { findRow, insertRow, type Db } from '../database/rows.ts';
import { SmsAccount, SmsLedgerEntry } from './entities.ts';

/** As many as the column holds. */
const MOST_UNITS = 2_147_483_647;

export type Credit = {
  merchantId: string;
  /** Above zero. */
  units: number;
  description: string;
  at: Date;
};

/**
 * Adds units and answers the balance after it; `db` must be a transaction, which holds the account from here on, so that
 * the balance is always the ledger's sum. @throws RangeError for units, or a balance, that cannot be
 */
export async function creditUnits(db: Db, { merchantId, units, description, at }: Credit): Promise<number> {
  if (!Number.isSafeInteger(units) || units < 1) throw new RangeError(`${units} is no number of units`);
  const { rows } = await db.pool.query<{ balance: number }>(
    `insert into sms_accounts as a (merchant_id, balance, updated_at) values ($1::uuid, $2, $3::timestamptz)
     on conflict (merchant_id) do update set balance = a.balance + excluded.balance, updated_at = excluded.updated_at
       where a.balance <= ${MOST_UNITS} - excluded.balance
     returning balance`,
    [merchantId, units, at],
  );
  const balanceAfter = rows[0]?.balance;
  if (balanceAfter === undefined) throw new RangeError(`more than ${MOST_UNITS} units are too many`);
  const entry = { id: uuid(), merchantId, kind: 'credit' as const, quantity: units, balanceAfter, description };
  await insertRow(db, SmsLedgerEntry, { ...entry, createdAt: at });
  return balanceAfter;
}

/** The units that are left; none where none were ever credited. */
export async function findBalance(db: Db, merchantId: string): Promise<number> {
  return (await findRow(db, SmsAccount, 'merchant_id = $1', [merchantId]))?.balance ?? 0;
}
