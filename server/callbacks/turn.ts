// One after the other: whatever makes deliveries due by hand, and the removal of where they would go.
import { takeLock, type Db } from '../database/db.ts';

/**
 * Until the end of the transaction `db` nobody else of this merchant's has the turn, so that nothing is replayed to an
 * endpoint that goes meanwhile. The endpoints' rows are not held for it: attempts that end write there.
 */
export function takeTurn(db: Db, merchantId: string): Promise<void> {
  return takeLock(db, `endpoints ${merchantId}`);
}
