// SMS units that a merchant is given, and what there is: every movement with the balance after it.
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { em, prepared, type Db } from '../database/db.ts';
import { SmsLedgerEntry } from './entities.ts';

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
  const credited = await addUnits.first(db, { merchantId, units, at });
  if (!credited) throw new RangeError(`more than ${MOST_UNITS} units are too many`);
  const { balance: balanceAfter } = credited;
  const entry = { id: uuid(), merchantId, kind: 'credit' as const, quantity: units, balanceAfter, description };
  await em(db).insert(SmsLedgerEntry, { ...entry, createdAt: at });
  return balanceAfter;
}

/** No row where they would be too many. */
const addUnits = prepared((tables, { merchantId, units, at }: Omit<Credit, 'description'>) =>
  tables
    .insertInto('sms_accounts')
    .values({ merchantId, balance: units, updatedAt: at })
    .onConflict((account) =>
      account
        .column('merchantId')
        .doUpdateSet((eb) => ({
          balance: eb('sms_accounts.balance', '+', eb.ref('excluded.balance')),
          updatedAt: eb.ref('excluded.updatedAt'),
        }))
        .where((eb) => eb('sms_accounts.balance', '<=', eb(sql.lit(MOST_UNITS), '-', eb.ref('excluded.balance')))),
    )
    .returning('balance'),
);

/** The units that are left; none where none were ever credited. */
export async function findBalance(db: Db, merchantId: string): Promise<number> {
  return (await selectBalance.first(db, { merchantId }))?.balance ?? 0;
}

const selectBalance = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables.selectFrom('sms_accounts').select('balance').where('merchantId', '=', merchantId),
);
