// Every table of the pretend world, for who restores a sandbox's backup: each part of it makes its own when it starts.
import type { Pool } from 'pg';
import { openMemory } from './shop/merchant-arrivals.ts';
import { prepareTables as prepareRails } from './simulator/tables.ts';

/** Makes what is missing. */
export async function prepareTables(pool: Pool): Promise<void> {
  await prepareRails(pool);
  await openMemory(pool).prepare();
}
