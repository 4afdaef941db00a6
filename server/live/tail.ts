// What other nodes changed: each node tails new events every second, so that losing Redis costs a second (decisions §12).
import type { Core } from '../core.ts';
import type { Topic } from './changes.ts';

const TAIL_MS = 1_000;
/** Sequences commit out of order: rows this far behind the newest seen are read again. */
const OVERLAP = 500;

/** Until the node stops, tells local watchers of every payment with a new event, whoever wrote it. */
export async function tailEvents(core: Core, tell: (topic: Topic) => void): Promise<void> {
  let told: Set<number> | null = null;
  let newest: number | null = null;
  while (!core.stopping.aborted) {
    try {
      if (newest === null) newest = await readNewest(core);
      const rows = await readSince(core, newest - OVERLAP);
      for (const { seq, payment_id } of rows) {
        if (told && !told.has(seq) && payment_id) tell(`payment:${payment_id}`);
        newest = Math.max(newest, seq);
      }
      told = new Set(rows.map((row) => row.seq));
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

async function readSince(core: Core, seq: number): Promise<{ seq: number; payment_id: string | null }[]> {
  const { rows } = await core.pool.query<{ seq: string; payment_id: string | null }>({
    name: 'tail_events',
    text: 'select seq, payment_id from events where seq > $1 order by seq limit 5000',
    values: [seq],
  });
  return rows.map((row) => ({ seq: Number(row.seq), payment_id: row.payment_id }));
}
