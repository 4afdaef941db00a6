// Creates all tables of the sandbox, for a restored backup. At a normal start each module creates its own tables.
import type { Pool } from 'pg';
import { openShopStore } from './shop/merchant-arrivals.ts';
import { prepareTables as prepareRails } from './simulator/tables.ts';

/** Creates the missing tables of the sandbox. */
export async function prepareTables(pool: Pool): Promise<void> {
  await prepareRails(pool);
  await openShopStore(pool).prepare();
}
