// What other nodes changed: each node tails new events every second, so that losing Redis costs a second (decisions §12).
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { counts } from '../metrics/counts.ts';
import { prepared, type Db } from '../database/db.ts';
import type { Changes } from './notify.ts';

const TAIL_MS = 1_000;
/** Sequences commit out of order: behind so many of the newest seen, and not before, is nothing read again. */
const OVERLAP = 500;

type Node = Db & { clock: Clock; log: Logger; stopping: AbortSignal };

/** Until the node stops, tells local watchers of every payment with a new event, whoever wrote it. */
export async function pollEvents(node: Node, tell: Changes['tell']): Promise<void> {
  let told: number[] = [];
  let from: number | null = null;
  while (!node.stopping.aborted) {
    try {
      from ??= ((await findNewest.one(node, {})).seq ?? 0) - OVERLAP;
      const rows = await listNew.all(node, { from, told });
      for (const { merchantId, paymentId, revision } of rows) {
        // The first time too: a stream may have read its feed, or its payment, just before one of these.
        tell(`events:${merchantId}`);
        // Most of it this node wrote itself and told at once: by the revision its watchers know that they have it.
        if (paymentId) tell(`payment:${paymentId}`, { revision: revision ?? undefined });
      }
      told = [...told, ...rows.map(({ seq }) => seq)].sort((a, b) => a - b);
      // By rows, not by numbers: a sequence has gaps.
      from = told.at(-OVERLAP - 1) ?? from;
      told = told.slice(-OVERLAP);
      counts.tailSeq.set(told.at(-1) ?? from + OVERLAP);
      counts.tailedAt.set(node.clock.outside().getTime() / 1000);
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
