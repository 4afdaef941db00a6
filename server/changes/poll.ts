// Polls the new events of all nodes every second. Without Redis a live update is late by at most a second.
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { counts } from '../metrics/counts.ts';
import { prepared, type Db } from '../database/db.ts';
import type { Changes } from './notify.ts';

const TAIL_MS = 1_000;
/** Sequence numbers commit out of order, so each poll rereads this many events before the newest one that it read. */
const OVERLAP = 500;

type Node = Db & { clock: Clock; log: Logger; stopping: AbortSignal };

/** Notifies this node's subscribers of new events of all nodes, until the node stops. */
export async function pollEvents(node: Node, tell: Changes['notifyLocal']): Promise<void> {
  let seen: number[] = [];
  let from: number | null = null;
  while (!node.stopping.aborted) {
    try {
      from ??= ((await findNewest.one(node, {})).seq ?? 0) - OVERLAP;
      const rows = await listNew.all(node, { from, seen });
      for (const { merchantId, paymentId, revision } of rows) {
        // The first poll notifies too: a stream may have read its feed or payment just before one of these events.
        tell(`events:${merchantId}`);
        // This node wrote most of these events itself. Their revision lets its subscribers skip a second read.
        if (paymentId) tell(`payment:${paymentId}`, { revision: revision ?? undefined });
      }
      seen = [...seen, ...rows.map(({ seq }) => seq)].sort((a, b) => a - b);
      // The overlap is a number of rows and not of sequence numbers, because a sequence has gaps.
      from = seen.at(-OVERLAP - 1) ?? from;
      seen = seen.slice(-OVERLAP);
      counts.lastReadSeq.set(seen.at(-1) ?? from + OVERLAP);
      counts.changesReadAt.set(node.clock.outside().getTime() / 1000);
    } catch (error) {
      node.log.warn({ err: error }, 'could not poll events');
    }
    await node.clock.wait(TAIL_MS, node.stopping);
  }
}

const findNewest = prepared((tables) =>
  tables.selectFrom('events').select((eb) => eb.fn.max<number | null>('seq').as('seq')),
);

const listNew = prepared((tables, { from, seen }: { from: number; seen: number[] }) =>
  tables
    .selectFrom('events as e')
    .leftJoin('payments as p', 'p.id', 'e.paymentId')
    .select(['e.seq', 'e.merchantId', 'e.paymentId', 'p.revision'])
    .where('e.seq', '>', from)
    .where('e.seq', '<>', sql<number>`all(${seen}::bigint[])`)
    .orderBy('e.seq')
    .limit((eb) => eb.lit(5_000)),
);
