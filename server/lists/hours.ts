// Sums by hour, as they are kept ahead of being asked for and with what is new since.
import { runStatement, type Db } from '../database/db.ts';
import { hoursStatement } from './lists.sql.ts';
import { PAYMENTS, TAKINGS } from './table.ts';

const HOURS = { payments: hoursStatement(PAYMENTS), takings: hoursStatement(TAKINGS) };

/** So much of what has `keys` in the hour that begins at `at`. */
export type HourSum = { at: Date; keys: string[]; n: number };

/**
 * A merchant's sums from one moment on and before another: of `payments` how many were made, by status, type and currency; of `takings`
 * by kind (taken, movements, returned, late, failed) and currency or failure code.
 * `isWhole` false: the node is far behind, as after an upgrade, and the sums hold what it has come to.
 */
export async function readHours(
  db: Db,
  of: keyof typeof HOURS,
  { merchantId, from, to }: { merchantId: string; from: Date; to: Date },
): Promise<{ isWhole: boolean; sums: HourSum[] }> {
  type Row = { at: Date | null; keys: string[]; n: number; isWhole: boolean };
  const rows = await runStatement<Row>(db, HOURS[of], [merchantId, from, to]);
  return {
    isWhole: rows.every(({ isWhole }) => isWhole),
    sums: rows.flatMap(({ at, keys, n }) => (at ? [{ at, keys, n }] : [])),
  };
}
