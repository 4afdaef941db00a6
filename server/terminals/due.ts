// Terminals whose time has come: the rail is asked how an opening or closing without an outcome went.
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { leaseMs } from '../due/schedule.ts';
import type { Claim, DueWork } from '../due/work.ts';
import type { GpoRail } from '../providers/provider.ts';
import { settleTerminal } from './settle.ts';

/** The due work of terminals. The call is never repeated: only asked about, since a merchant can repeat it. */
export function terminalDueWork(core: Core, rail: GpoRail): DueWork {
  return { table: 'terminals', leaseMs: leaseMs(core.config), run: (claim) => resolveTerminal(core, rail, claim) };
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
