// Terminals whose time has come: the rail is asked how an opening or closing without an outcome went.
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { leaseMs } from '../jobs/schedule.ts';
import { dueQueue, type Claim, type DueQueue } from '../jobs/due.ts';
import type { GpoRail } from '../providers/provider.ts';
import { settleTerminal } from './settle.ts';

/** The terminals that come due. The call is never repeated: only asked about, since a merchant can repeat it. */
export function terminalQueue(core: Core, rail: GpoRail): DueQueue {
  const run = (claim: Claim) => resolveTerminal(core, rail, claim);
  return dueQueue(core, { table: 'terminals', leaseMs: leaseMs(core.config), run });
}

async function resolveTerminal(core: Core, rail: GpoRail, { id, dueCount }: Claim): Promise<void> {
  const terminal = await findPosId.first(core, { id });
  if (!terminal) return;
  const askedAt = core.clock.now();
  const outcome = await rail.queryTerminal(terminal.posId);
  await settleTerminal(core, id, outcome, { via: 'poll', dueCount, askedAt });
}

const findPosId = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('terminals').select('posId').where('id', '=', id),
);
