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
  /** A column whose values take turns (see `Kind`). */
  turns?: string;
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
  return {
    kind,
    name: kind.name,
    gatherMs,
    limits: { perKey: atOnce, atOnce: 2 * atOnce },
    async claim({ busy, room }) {
      const limit = room - (busy.get(ALL) ?? 0);
      if (limit <= 0) return { jobs: [] };
      const now = host.clock.now();
      const values = [now, new Date(now.getTime() + leaseMs), limit];
      const found = await runStatement<ClaimRow>(host, statement, values);
      const claims = found.flatMap(({ id, dueCount }) => (id === null ? [] : [{ id, dueCount }]));
      const rows = claims.length > 0 ? await read(claims) : [];
      const jobs = rows.map((row) => ({ id: row.id, key: ALL, run: (leave: () => void) => work.run(row, leave) }));
      return { jobs, nextAt: soon(host, found[0]?.nextAt ?? null) };
    },
  };
}

type ClaimRow = { id: string | null; dueCount: number; nextAt: Date | null };

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
