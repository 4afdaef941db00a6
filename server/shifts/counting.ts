// The only author of the rule by which money counts in a cashier's shift.
//
// A payment and a refund carry the open shift of the person who made them. Their money counts in that shift if the
// shift is still open when the gateway records the money. Otherwise it counts in no shift. The recording transaction
// locks the shift's row for share, and a close locks it for update. So a closed shift never changes, and each movement
// counts in at most one shift.
//
// Lock order: the payment's row, then the shift's row. A close locks only the shift's row and waits for no other lock.
// A share lock does not wait behind a waiting close. So a transaction may lock more payments after the shift's row.
import { prepared, type Db } from '../database/db.ts';

/** Finds the open shift of a person at a merchant. */
export const findOpenShift = prepared((tables, { merchantId, userId }: { merchantId: string; userId: string }) =>
  tables
    .selectFrom('shifts')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where('userId', '=', userId)
    .where('status', '=', 'open'),
);

/**
 * Returns the shift that counts money of a payment or refund, in the transaction that records the money.
 * @param shiftId the shift that the payment or refund carries
 * @returns null if there is no shift, or if the shift is closed
 */
export async function findCountingShift(db: Db, shiftId: string | null | undefined): Promise<string | null> {
  if (!shiftId) return null;
  return (await lockOpenShift.first(db, { id: shiftId }))?.id ?? null;
}

const lockOpenShift = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('shifts').select('id').where('id', '=', id).where('status', '=', 'open').forShare(),
);
