// What other nodes changed: each node tails new events every second, so that losing Redis costs a second (decisions §12).
import type { Core } from '../core.ts';
import type { Changes } from './changes.ts';

const TAIL_MS = 1_000;
/** Sequences commit out of order: rows this far behind the newest seen are read again. */
const OVERLAP = 500;

/** Until the node stops, tells local watchers of every payment with a new event, whoever wrote it. */
export async function tailEvents(core: Core, tell: Changes['tell']): Promise<void> {
  let told: number[] | null = null;
  let newest: number | null = null;
  while (!core.stopping.aborted) {
    try {
      if (newest === null) newest = await readNewest(core);
      const rows = await readNew(core, newest - OVERLAP, told ?? []);
      for (const { seq, merchant_id, payment_id, revision } of rows) {
        // The first time too: a stream may have read its feed just before one of these.
        tell(`events:${merchant_id}`);
        // Most of it this node wrote itself and told at once: by the revision its watchers know that they have it.
        if (told && payment_id) tell(`payment:${payment_id}`, { revision: revision ?? undefined });
        newest = Math.max(newest, seq);
      }
      const from = newest - OVERLAP;
      told = [...(told ?? []), ...rows.map(({ seq }) => seq)].filter((seq) => seq > from);
    } catch (error) {
      core.log.warn({ err: error }, 'could not tail events');
    }
    await core.clock.wait(TAIL_MS, core.stopping);
  }
}

async function readNewest(core: Core): Promise<number> {
  const { rows } = await core.pool.query<{ seq: string | null }>('select max(seq) as seq from events');
  return Number(rows[0]?.seq ?? 0);
}

type Told = { seq: number; merchant_id: string; payment_id: string | null; revision: number | null };

async function readNew(core: Core, from: number, told: number[]): Promise<Told[]> {
  const { rows } = await core.pool.query<Omit<Told, 'seq'> & { seq: string }>({
    name: 'tail_events',
    text: `select e.seq, e.merchant_id, e.payment_id, p.revision from events e left join payments p on p.id = e.payment_id
           where e.seq > $1 and e.seq <> all($2::bigint[]) order by e.seq limit 5000`,
    values: [from, told],
  });
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}
