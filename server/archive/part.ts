// A month is taken off its tables, written into a file that is read back, and dropped. Each step is one that is there or not: whoever is
// killed in between is gone on from by running it again.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Clock } from '../clock.ts';
import { VERSION } from '../config.ts';
import * as sql from './archive.sql.ts';
import { ArchiveDamaged, fileOf, readWhole, splitLines, writeArchive, type Line, type Manifest } from './file.ts';

/** As a migration: who waits for a lock keeps others waiting, so it steps aside and comes again. */
const TRIES = 200;
const PAUSE_MS = 500;
const DELIVERIES_AT_ONCE = 5_000;
/** Of many codes that are looked at each ten minutes one is always due. */
const OVERDUE_MS = 3_600_000;

/** A connection of which one is held all the time, and times of patience (database/orm.ts). */
export type Archiving = { pool: Pool; clock: Clock; dir: string };

/** It cannot be archived yet. */
export class CannotArchive extends Error {
  readonly part: string;
  constructor(part: string, reasons: string[]) {
    super(`${part}: ${reasons.join('; ')}.`);
    this.name = 'CannotArchive';
    this.part = part;
  }
}

/** Nobody else archives meanwhile; null: somebody does. The lock ends with its connection. */
export async function lockArchive(pool: Pool): Promise<PoolClient | null> {
  const client = await pool.connect();
  const asked = `select pg_try_advisory_lock(hashtextextended('archive', 0)) as ours`;
  if ((await client.query<{ ours: boolean }>(asked)).rows[0]?.ours) return client;
  client.release();
  return null;
}

/** Parts that end before that month, the oldest first; those that are detached already too. */
export async function listParts({ pool }: Pick<Archiving, 'pool'>, before: string): Promise<string[]> {
  const { rows } = await pool.query<{ part: string }>(sql.LIST_PARTS);
  return rows.map(({ part }) => part).filter((part) => part === sql.FIRST || part < before);
}

/**
 * Takes one part to its file. @param over when the months that may be archived are over
 * @returns what was written; null of a part that has nothing in it, which stays
 * @throws CannotArchive, ArchiveDamaged
 */
export async function archivePart(on: Archiving, part: string, over: Date): Promise<Manifest | null> {
  const known = await findArchive(on, part);
  if (!known) {
    if (await isEmpty(on, part)) return null;
    const overdue = new Date(on.clock.now().getTime() - OVERDUE_MS);
    const { rows } = await on.pool.query<{ why: string }>(sql.reasonsOf(part), [over, overdue]);
    if (rows.length > 0)
      throw new CannotArchive(
        part,
        rows.map(({ why }) => why),
      );
    await on.pool.query(sql.keepOf(part), [part]);
    await insist(part, () => detach(on, part));
  }
  const written = await writeWhole(on, part, known?.sha256 ?? null);
  await dropAttempts(on, part);
  await inPatience(on, async (client) => {
    await client.query(sql.dropOf(part));
    await client.query('update archives set dropped_at = $2 where part = $1', [part, on.clock.now()]);
  });
  return written;
}

type Known = { sha256: string | null };

async function findArchive({ pool }: Archiving, part: string): Promise<Known | null> {
  return (await pool.query<Known>('select sha256 from archives where part = $1', [part])).rows[0] ?? null;
}

async function isEmpty({ pool }: Archiving, part: string): Promise<boolean> {
  const { rows } = await pool.query<Counts>(sql.countsOf(part));
  return Number(rows[0]?.events) === 0 && Number(rows[0]?.deliveries) === 0;
}

type Counts = { events: string; deliveries: string };

/** From here on its rows are nobody's to change. @throws CannotArchive where one of its deliveries was asked for meanwhile */
function detach(on: Archiving, part: string): Promise<void> {
  return inPatience(on, async (client) => {
    for (const statement of sql.detachOf(part)) await client.query(statement);
    const { rowCount } = await client.query(sql.isDueOf(part));
    if (rowCount) throw new CannotArchive(part, ['deliveries of it are due']);
    await client.query('insert into archives (part, detached_at) values ($1, $2)', [part, on.clock.now()]);
  });
}

/** Writes the file and reads it back, unless that was done. @param sha256 of what was written and found whole before */
async function writeWhole(on: Archiving, part: string, sha256: string | null): Promise<Manifest> {
  const file = fileOf(on.dir, part);
  if (sha256 !== null) {
    const found = await readWhole(file);
    // Attempts may be gone already: nothing could be written anew.
    if (found.sha256 !== sha256) throw new ArchiveDamaged(file, 'it is another file than the one that was written');
    return found;
  }
  const about = { part, release: VERSION, writtenAt: on.clock.now().toISOString() };
  await inPatience(on, (client) => writeArchive(on.dir, about, readRows(client, part)));
  const found = await readWhole(file);
  const { rows } = await on.pool.query<Counts>(sql.countsOf(part));
  if (Number(rows[0]?.events) !== found.rows.events || Number(rows[0]?.deliveries) !== found.rows.deliveries)
    throw new ArchiveDamaged(file, 'it has not as many rows as the month has');
  await on.pool.query('update archives set sha256 = $2 where part = $1', [part, found.sha256]);
  return found;
}

/** Quotes and commas that no line of JSON has: nothing in one is changed. */
async function* readRows(client: PoolClient, part: string): AsyncIterable<Line> {
  const copied = client.query(
    copyTo(`copy (${sql.rowsOf(part)}) to stdout (format csv, delimiter e'\\x02', quote e'\\x01')`),
  );
  for await (const row of splitLines(copied)) {
    const at = row.indexOf('\u0002');
    yield { paymentId: row.slice(0, at) || null, text: row.slice(at + 1) };
  }
}

type Last = { last: string | null };

async function dropAttempts({ pool }: Archiving, part: string): Promise<void> {
  for (let last: string | null = '0'; last !== null;) {
    const values: unknown[] = [last, DELIVERIES_AT_ONCE];
    const { rows }: { rows: Last[] } = await pool.query<Last>(sql.dropAttemptsOf(part), values);
    last = rows[0]?.last ?? null;
  }
}

async function inPatience<T>({ pool }: Archiving, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(`begin; set local timezone = 'UTC'`);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Again, where a lock was not to be had in the time that others may be kept waiting. @throws CannotArchive where it never was */
async function insist(part: string, run: () => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      return await run();
    } catch (error) {
      if (!['55P03', '40P01'].includes((error as { code?: string }).code ?? '')) throw error;
      if (tried === TRIES)
        throw new CannotArchive(part, ['somebody reads all of it, as a backup does; come again later']);
      await pause(PAUSE_MS);
    }
  }
}
