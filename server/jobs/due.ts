// Jobs that are rows with a `due_at`, of any table: claimed by lease, done or rescheduled by whoever claimed them.
import { query, runStatement } from '../database/db.ts';
import { ALL, POLL_MS, type Host, type LookOut, type Queue } from './engine.ts';
import { claimStatement, watchStatement, type Kind } from './claim.sql.ts';

/** A claimed row: done or rescheduled by whoever runs it, and only while the claim (its count) still stands. */
export type Claim = { id: string; dueCount: number };

export type DueWork<Row extends Claim = Claim> = {
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
    | 'certification_requests'
    | 'settlements'
    | 'reconciliations'
    | 'erasures'
    | 'sms_batches'
    | 'sms_messages';
  /** Where a table has several kinds of work: this one's name, and SQL of its rows. */
  only?: { name: string; where: string };
  /** A column whose values take turns (see `Kind`). Each value may have `atOnce` slots of SHARES times as many. */
  turns?: string;
  /** Values that may have fewer slots now. `busy` says how many each has, of `slots` in all. */
  limit?(busy: ReadonlyMap<string, number>, slots: number): ReadonlyMap<string, number>;
  /** How long a claim lasts: after a crash another node takes the row over when it ends. */
  leaseMs: number;
  /** Under way at once on this node; default: AT_ONCE. */
  atOnce?: number;
  /** Default: GATHER_MS. */
  gatherMs?: number;
  run(row: Row, leave: () => void): Promise<void>;
};

/** A queue of due rows. */
export type DueQueue = Queue & { kind: Kind };

const AT_ONCE = 16;
/** Of values that take turns, one that never ends its jobs leaves seven eighths of the slots to the others. */
const SHARES = 8;
/** A claim for each row that is done would be as much work as the row. */
const GATHER_MS = 50;

/** The queue of a kind of work. */
export function dueQueue(host: Host, work: DueWork): DueQueue {
  return readingQueue(host, work, async (claims) => claims);
}

/** The same where what a run needs to know is read of all that are claimed together. @param read leaves out what is no more to be done */
export function readingQueue<Row extends Claim>(
  host: Host,
  work: DueWork<Row>,
  read: (claims: Claim[]) => Promise<Row[]>,
): DueQueue {
  const { table, only, turns, leaseMs, atOnce = AT_ONCE, gatherMs = GATHER_MS } = work;
  const kind = { name: only?.name ?? table, table, where: only?.where, turns };
  const statement = claimStatement(kind);
  const slots = (turns ? SHARES : 2) * atOnce;
  return {
    kind,
    name: kind.name,
    gatherMs,
    limits: { perKey: atOnce, atOnce: slots },
    async claim({ busy, room }) {
      const taken = [...busy.values()].reduce((sum, count) => sum + count, 0);
      const limit = turns ? slots - taken : room - taken;
      if (limit <= 0) return { jobs: [] };
      const now = host.clock.now();
      const values = [now, new Date(now.getTime() + leaseMs), limit];
      const found = await runStatement<ClaimRow>(host, statement, turns ? [...values, ...roomsOf(busy)] : values);
      const claims = found.flatMap(({ id, dueCount, key }) => (id === null ? [] : [{ id, dueCount, key }]));
      const keys = new Map(claims.map(({ id, key }) => [id, key]));
      const rows = claims.length > 0 ? await read(claims) : [];
      const jobs = rows.map((row) => ({
        id: row.id,
        key: keys.get(row.id) ?? ALL,
        run: (leave: () => void) => work.run(row, leave),
      }));
      const isCutShort = turns && claims.length === limit;
      return { jobs, nextAt: isCutShort ? now : soon(host, found[0]?.nextAt ?? null) };
    },
  };

  /** The slots that each value may still have: of the listed values, and of every other. */
  function roomsOf(busy: ReadonlyMap<string, number>): [string[], number[], number] {
    const rooms = new Map([...busy].map(([key, count]) => [key, Math.max(0, atOnce - count)]));
    for (const [key, count] of work.limit?.(busy, slots) ?? []) rooms.set(key, count);
    return [[...rooms.keys()], [...rooms.values()], atOnce];
  }
}

type ClaimRow = { id: string | null; dueCount: number; key: string; nextAt: Date | null };

/** Later than that everybody looks once before. */
function soon({ clock }: Host, at: Date | null): Date | null {
  return at && at.getTime() - clock.now().getTime() <= POLL_MS ? at : null;
}

/** Looks for what comes due within the next moments, of every queue in one query, and tells whose it is. */
export function watchDue(host: Host, queues: DueQueue[]): LookOut {
  const statement = watchStatement(queues.map(({ kind }) => kind));
  return async () => {
    const until = new Date(host.clock.now().getTime() + POLL_MS);
    const firsts = await runStatement<{ name: string; at: Date }>(host, statement, [until]);
    for (const { name, at } of firsts) host.jobs.wakeAt(name, at);
  };
}

/** Sets when a claimed row is due again (null: never), unless the claim was lost to another node meanwhile. */
export async function reschedule(host: Host, table: DueWork['table'], claim: Claim, dueAt: Date | null): Promise<void> {
  await query((tables) =>
    tables.updateTable(table).set({ dueAt }).where('id', '=', claim.id).where('dueCount', '=', claim.dueCount),
  ).run(host);
}
