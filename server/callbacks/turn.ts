// One after the other: whatever makes deliveries due by hand, and the removal of where they would go.
import { sql } from 'kysely';
import { prepared, type Db } from '../database/db.ts';

/**
 * Until the end of the transaction `db` nobody else of this merchant's has the turn, so that nothing is replayed to an
 * endpoint that goes meanwhile. The endpoints' rows are not held for it: attempts that end write there.
 */
export async function takeTurn(db: Db, merchantId: string): Promise<void> {
  await lockTurn.run(db, { name: `endpoints ${merchantId}` });
}

const lockTurn = prepared((tables, { name }: { name: string }) =>
  tables.selectNoFrom(sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))`.as('lock')),
);
