// Work that is due: rows with a due_at are claimed by lease and done, at the latest a second after their time.
import { once } from 'node:events';
import type { Core } from '../core.ts';
import { query, runStatement } from '../database/db.ts';
import { claimStatement, watchStatement, type Kind } from './work.sql.ts';

/** A claimed row: done or rescheduled by whoever runs it, and only while the claim (its count) still stands. */
export type Claim = { id: string; dueCount: number };

export type DueWork = {
  /** A table with `id`, `due_at` and `due_count`. */
  table:
    | 'attempts'
    | 'payments'
    | 'payment_references'
    | 'inbox'
    | 'rail_feeds'
    | 'terminals'
    | 'mails'
    | 'billing_accounts'
    | 'sms_batches'
    | 'sms_messages';
  /** Where a table has several kinds of work: this one's name, and SQL of its rows. */
  only?: { name: string; where: string };
  /** How long a claim lasts: after a crash another node takes the row over when it ends. */
  leaseMs: number;
  /** SQL of the ids to be claimed next, of those due at $1, $3 at most; default: those due first. */
  pick?: string;
  run(claim: Claim): Promise<void>;
};

/** Rows of other nodes, and rows made due earlier than planned, are looked for so often, whatever their work. */
const POLL_MS = 1_000;
/** What comes due within this is claimed together: often enough that rows do not pile up into a burst. */
const GATHER_MS = 50;
const MAX_AT_ONCE = 16;
/** A claim for each row that is done would be as much work as the row. */
const CLAIM_AGAIN_AT = MAX_AT_ONCE / 2;

/**
 * Runs due rows until the node stops; resolves when the last one is done.
 * A run that throws leaves its row leased: it comes back when the lease ends.
 */
export async function runDueWork(core: Core, works: DueWork[]): Promise<void> {
  await Promise.all([...works.map((work) => runWork(core, work)), watch(core, works)]);
}

/** Looks for what comes due within the next moments, of every work in one query, and tells whose it is. */
async function watch(core: Core, works: DueWork[]): Promise<void> {
  const statement = watchStatement(works.map(kindOf));
  while (!core.stopping.aborted) {
    try {
      const soon = new Date(core.clock.now().getTime() + POLL_MS);
      const firsts = await runStatement<{ name: string; at: Date }>(core, statement, [soon]);
      for (const { name, at } of firsts) pauses.get(core.pool)?.get(name)?.abort(at);
    } catch (error) {
      core.log.warn({ err: error }, 'could not look for due work');
    }
    await core.clock.wait(POLL_MS, core.stopping);
  }
}

async function runWork(core: Core, work: DueWork): Promise<void> {
  const running = new Set<Promise<void>>();
  while (!core.stopping.aborted) {
    try {
      const room = MAX_AT_ONCE - running.size;
      const { claims, nextAt } = await claimDue(core, work, room);
      for (const claim of claims) {
        const run = runClaim(core, work, claim).finally(() => running.delete(run));
        running.add(run);
      }
      // Only a full claim can have left something behind.
      if (claims.length < room) await pause(core, nameOf(work), nextAt);
      else while (running.size > CLAIM_AGAIN_AT) await Promise.race(running);
    } catch (error) {
      core.log.warn({ err: error, table: work.table }, 'could not claim due work');
      await core.clock.wait(POLL_MS, core.stopping);
    }
  }
  await Promise.all(running);
}

const nameOf = ({ table, only }: DueWork) => only?.name ?? table;

function kindOf(work: DueWork): Kind {
  const { table, only, pick } = work;
  return { name: nameOf(work), table, where: only?.where, pick };
}

/** By the work's name. */
const pauses = new WeakMap<Core['pool'], Map<string, AbortController>>();

/** Rows were made due now: this node need not wait until somebody looks. @param name of the work, or its table */
export function wakeDueWork({ pool }: Pick<Core, 'pool'>, name: string): void {
  pauses.get(pool)?.get(name)?.abort();
}

/** Until the next row is due, if that is soon; else until somebody says so. */
async function pause(core: Core, name: string, nextAt: Date | null): Promise<void> {
  const { pool, clock, stopping } = core;
  const waking = new AbortController();
  const named = pauses.get(pool) ?? new Map<string, AbortController>();
  pauses.set(pool, named.set(name, waking));
  const ends = AbortSignal.any([stopping, waking.signal]);
  const msUntil = (at: Date) => at.getTime() - clock.now().getTime();
  if (nextAt && msUntil(nextAt) <= POLL_MS) await clock.wait(Math.max(GATHER_MS, msUntil(nextAt)), ends);
  else if (!ends.aborted) await once(ends, 'abort');
  const { aborted, reason } = waking.signal;
  if (!aborted || stopping.aborted) return;
  if (!(reason instanceof Date)) await clock.wait(GATHER_MS, stopping);
  // Until then it can be woken again.
  else if (msUntil(reason) > 0) await pause(core, name, reason);
}

async function runClaim(core: Core, work: DueWork, claim: Claim): Promise<void> {
  try {
    await work.run(claim);
  } catch (error) {
    core.log.error(
      { err: error, table: work.table, id: claim.id },
      'due work failed; it comes back when its lease ends',
    );
  }
}

/** The rows claimed, and when the first of those that were not due yet will be. */
type Claimed = { claims: Claim[]; nextAt: Date | null };

async function claimDue(core: Core, work: DueWork, limit: number): Promise<Claimed> {
  const now = core.clock.now();
  const values = [now, new Date(now.getTime() + work.leaseMs), limit];
  const rows = await runStatement<ClaimRow>(core, claimStatement(kindOf(work)), values);
  const claims = rows.flatMap(({ id, dueCount }) => (id === null ? [] : [{ id, dueCount }]));
  return { claims, nextAt: rows[0]?.nextAt ?? null };
}

type ClaimRow = { id: string | null; dueCount: number; nextAt: Date | null };

/** Sets when a claimed row is due again (null: never), unless the claim was lost to another node meanwhile. */
export async function reschedule(core: Core, table: DueWork['table'], claim: Claim, dueAt: Date | null): Promise<void> {
  await query((tables) =>
    tables.updateTable(table).set({ dueAt }).where('id', '=', claim.id).where('dueCount', '=', claim.dueCount),
  ).run(core);
}
