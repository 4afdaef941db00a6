// Creates all tables of the sandbox for a restored backup. In normal operation each part creates its own at start.
import type { Pool } from 'pg';
import { openShopStore } from './shop/merchant-arrivals.ts';
import { prepareTables as prepareRails } from './simulator/tables.ts';

/** Creates the missing tables. */
export async function prepareTables(pool: Pool): Promise<void> {
  await prepareRails(pool);
  await openShopStore(pool).prepare();
}
