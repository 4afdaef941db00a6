// What other nodes changed: each node tails new events every second, so that losing Redis costs a second (decisions §12).
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { counts } from '../counts.ts';
import { prepared, type Db } from '../database/db.ts';
import type { Changes } from './notify.ts';

const TAIL_MS = 1_000;
/** Sequences commit out of order: rows this far behind the newest seen are read again. */
const OVERLAP = 500;

type Node = Db & { clock: Clock; log: Logger; stopping: AbortSignal };

/** Until the node stops, tells local watchers of every payment with a new event, whoever wrote it. */
export async function pollEvents(node: Node, tell: Changes['tell']): Promise<void> {
  let told: number[] | null = null;
  let newest: number | null = null;
  while (!node.stopping.aborted) {
    try {
      newest ??= (await findNewest.one(node, {})).seq ?? 0;
      const rows = await listNew.all(node, { from: newest - OVERLAP, told: told ?? [] });
      for (const { seq, merchantId, paymentId, revision } of rows) {
        // The first time too: a stream may have read its feed, or its payment, just before one of these.
        tell(`events:${merchantId}`);
        // Most of it this node wrote itself and told at once: by the revision its watchers know that they have it.
        if (paymentId) tell(`payment:${paymentId}`, { revision: revision ?? undefined });
        newest = Math.max(newest, seq);
      }
      counts.tailSeq.set(newest);
      counts.tailedAt.set(node.clock.outside().getTime() / 1000);
      const from = newest - OVERLAP;
      told = [...(told ?? []), ...rows.map(({ seq }) => seq)].filter((seq) => seq > from);
    } catch (error) {
      node.log.warn({ err: error }, 'could not poll events');
    }
    await node.clock.wait(TAIL_MS, node.stopping);
  }
}

const findNewest = prepared((tables) =>
  tables.selectFrom('events').select((eb) => eb.fn.max<number | null>('seq').as('seq')),
);

const listNew = prepared((tables, { from, told }: { from: number; told: number[] }) =>
  tables
    .selectFrom('events as e')
    .leftJoin('payments as p', 'p.id', 'e.paymentId')
    .select(['e.seq', 'e.merchantId', 'e.paymentId', 'p.revision'])
    .where('e.seq', '>', from)
    .where('e.seq', '<>', sql<number>`all(${told}::bigint[])`)
    .orderBy('e.seq')
    .limit((eb) => eb.lit(5_000)),
);
