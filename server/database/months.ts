// Tables that grow without end are kept in parts, a month each: the newest takes what is written, an old one can be taken off whole. Each
// month has numbers of its own, so that a row's part follows from its number, and an order by number is an order by month.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { runStatement, takeLock, type Db } from './db.ts';
import {
  LOOK,
  makeStatements,
  MONTH_SIZE,
  moveStatement,
  PARTED,
  partOf,
  suffixOf,
  type PartedTable,
} from './months.sql.ts';
import { inTransaction, type Database } from './orm.ts';

const LOOK_MS = 3_600_000;

/** Months from January 1970 on, of UTC. */
export const monthOf = (moment: Date) => moment.getUTCFullYear() * 12 + moment.getUTCMonth() - 1970 * 12;

/** When it begins. */
export const beginOf = (month: number) => new Date(Date.UTC(1970, month));

type Host = Database & { clock: Clock; log: Logger; stopping: AbortSignal };

/** Until the node stops, has the parts of this month and the next there, and what is written in those of this month. */
export async function watchMonths(host: Host): Promise<void> {
  while (!host.stopping.aborted) {
    await host.clock.wait(LOOK_MS, host.stopping);
    if (!host.stopping.aborted) await openMonths(host);
  }
}

/**
 * The same, once; several nodes may do so at once. Never throws: the part that is written into stays until there is another, so that a
 * write never waits for one.
 */
export async function openMonths(host: Omit<Host, 'stopping'>): Promise<void> {
  const month = monthOf(host.clock.now());
  try {
    const tables = await look(host, month);
    // A part is there before the first number of its own is given, and numbers are given back by no transaction.
    if (tables.some(({ missing }) => missing.length > 0))
      await inTransaction(host, (db) => makeParts(db, [month, month + 1]));
    if (tables.some((table) => isBehind(table, month))) await inTransaction(host, (db) => moveNumbers(db, month));
  } catch (error) {
    host.log.warn({ err: error }, 'could not open the parts of a month');
  }
}

/** Makes the parts of these months that are not there; `db` must be a transaction. */
export async function makeParts(db: Db, months: number[]): Promise<void> {
  await takeLock(db, 'months');
  for (const month of months) {
    const missing = new Set((await look(db, month, month)).flatMap((found) => found.missing));
    for (const table of PARTED) {
      if (!missing.has(partOf(table, month))) continue;
      for (const statement of makeStatements(table, month)) await db.pool.query(statement);
    }
  }
}

/** Nobody else moves them meanwhile, so that they only ever go on. */
async function moveNumbers(db: Db, month: number): Promise<void> {
  await takeLock(db, 'months');
  for (const found of await look(db, month))
    if (isBehind(found, month)) await runStatement(db, moveStatement(found.table), [month * MONTH_SIZE]);
}

type Found = { table: PartedTable; last: number; isWaiting: boolean; missing: string[] };

function look(db: Pick<Db, 'pool'>, month: number, until = month + 1): Promise<Found[]> {
  const months = Array.from({ length: until - month + 1 }, (_, nth) => month + nth);
  const parts = months.flatMap((one) => PARTED.map((table) => partOf(table, one)));
  return runStatement<Found>(db, LOOK, [parts, suffixOf(month)]);
}

function isBehind({ last, isWaiting }: Found, month: number): boolean {
  return last < month * MONTH_SIZE && !isWaiting;
}
