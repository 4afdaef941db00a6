// Queues of due rows: a row of a table is a job once its `due_at` has passed.
// A node claims rows by lease. The node that claimed a row finishes or reschedules it.
import { query, runStatement } from '../database/db.ts';
import { ALL_JOBS, POLL_MS, type Host, type Watcher, type Queue } from './engine.ts';
import { claimStatement, watchStatement, type Kind } from './claim.sql.ts';

/** A claimed row. Its job may change the row only while `due_count` equals `dueCount`: no later claim exists. */
export type Claim = { id: string; dueCount: number };

export type DueWork<Row extends Claim = Claim> = {
  /** The table of due rows, with `id`, `due_at` and `due_count`. */
  table:
    | 'attempts'
    | 'payments'
    | 'payment_references'
    | 'inbox'
    | 'rail_feeds'
    | 'terminals'
    | 'mails'
    | 'notifications'
    | 'billing_accounts'
    | 'certification_requests'
    | 'settlements'
    | 'reconciliations'
    | 'erasures'
    | 'sms_batches'
    | 'sms_messages';
  /** For a table with several kinds of work: the name of this kind, and the SQL condition of its rows. */
  only?: { name: string; where: string };
  /** The key column of a keyed queue. A key may use `concurrency` slots, and all keys together SHARES times as many. */
  turns?: string;
  /** Returns the keys that may claim fewer rows now, with their limits. `slots`: all slots of the queue. */
  limit?(busy: ReadonlyMap<string, number>, slots: number): ReadonlyMap<string, number>;
  /** The lease of a claim. After a crash, another node takes the row over when the lease ends. */
  leaseMs: number;
  /** The concurrent jobs of one key, or of a queue without keys, on this node. Default: AT_ONCE. */
  concurrency?: number;
  /** The wait before a claim, so that rows share it. Default: GATHER_MS. */
  gatherMs?: number;
  run(row: Row, leave: () => void): Promise<void>;
};

/** A queue whose jobs are due rows of a table. */
export type DueQueue = Queue & { kind: Kind };

const AT_ONCE = 16;
/** A queue has this many times the slots of one key, so a blocked key uses at most one eighth of the slots. */
const SHARES = 8;
/**
 * The default wait before a claim.
 * Rows are claimed in batches, because single claims would cost as much as the work.
 */
const GATHER_MS = 50;

/** Creates a queue whose jobs need only the id and the claim of their row. */
export function dueQueue(host: Host, work: DueWork): DueQueue {
  return preloadingQueue(host, work, async (claims) => claims);
}

/**
 * Creates a queue that reads all rows of a claim with one query before their jobs start.
 * @param read returns the rows that still need a run
 */
export function preloadingQueue<Row extends Claim>(
  host: Host,
  work: DueWork<Row>,
  read: (claims: Claim[]) => Promise<Row[]>,
): DueQueue {
  const { table, only, turns, leaseMs, concurrency = AT_ONCE, gatherMs = GATHER_MS } = work;
  const kind = { name: only?.name ?? table, table, where: only?.where, keyColumn: turns };
  const statement = claimStatement(kind);
  const slots = (turns ? SHARES : 2) * concurrency;
  return {
    kind,
    name: kind.name,
    gatherMs,
    limits: { perKey: concurrency, max: slots },
    async claim({ busy, slotsPerKey }) {
      const taken = [...busy.values()].reduce((sum, count) => sum + count, 0);
      const limit = turns ? slots - taken : slotsPerKey - taken;
      if (limit <= 0) return { jobs: [] };
      const now = host.clock.now();
      const values = [now, new Date(now.getTime() + leaseMs), limit];
      const found = await runStatement<ClaimRow>(host, statement, turns ? [...values, ...freeSlots(busy)] : values);
      const claims = found.flatMap(({ id, dueCount, key }) => (id === null ? [] : [{ id, dueCount, key }]));
      const keys = new Map(claims.map(({ id, key }) => [id, key]));
      const rows = claims.length > 0 ? await read(claims) : [];
      const jobs = rows.map((row) => ({
        id: row.id,
        key: keys.get(row.id) ?? ALL_JOBS,
        run: (leave: () => void) => work.run(row, leave),
      }));
      const isCutShort = turns && claims.length === limit;
      return { jobs, nextAt: isCutShort ? now : soon(host, found[0]?.nextAt ?? null) };
    },
  };

  /** Returns the claim parameters $4 to $6: keys with their own limits, these limits, and the limit of other keys. */
  function freeSlots(busy: ReadonlyMap<string, number>): [string[], number[], number] {
    const rooms = new Map([...busy].map(([key, count]) => [key, Math.max(0, concurrency - count)]));
    for (const [key, count] of work.limit?.(busy, slots) ?? []) rooms.set(key, count);
    return [[...rooms.keys()], [...rooms.values()], concurrency];
  }
}

type ClaimRow = { id: string | null; dueCount: number; key: string; nextAt: Date | null };

/** Returns null for a time after the next poll, because the watcher finds that row. */
function soon({ clock }: Host, at: Date | null): Date | null {
  return at && at.getTime() - clock.now().getTime() <= POLL_MS ? at : null;
}

/** Creates a watcher that finds soon-due rows of all queues with one query, and wakes their queues. */
export function watchDue(host: Host, queues: DueQueue[]): Watcher {
  const statement = watchStatement(queues.map(({ kind }) => kind));
  return async () => {
    const until = new Date(host.clock.now().getTime() + POLL_MS);
    const firsts = await runStatement<{ name: string; at: Date }>(host, statement, [until]);
    for (const { name, at } of firsts) host.jobs.wakeAt(name, at);
  };
}

/** Sets when a claimed row is due again. Null means never. Does nothing if another node has claimed the row since. */
export async function reschedule(host: Host, table: DueWork['table'], claim: Claim, dueAt: Date | null): Promise<void> {
  await query((tables) =>
    tables.updateTable(table).set({ dueAt }).where('id', '=', claim.id).where('dueCount', '=', claim.dueCount),
  ).run(host);
}
