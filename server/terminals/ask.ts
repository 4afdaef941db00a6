// A terminal's status: the rail is asked, and what it tells is recorded.
import type { Core } from '../core.ts';
import { Problem } from '../http/problem.ts';
import type { GpoRail } from '../providers/provider.ts';
import type { Terminal } from './entities.ts';
import { findTerminal, railUnavailable, storeTold, type Owned } from './find.ts';
import { settleTerminal } from './settle.ts';

/**
 * The terminal as the rail has it now. `isConfirmed` is false when the rail's answer told nothing, and it is as last known.
 * @throws Problem not_found; rail_unavailable when the rail was not reached, or nothing was ever known
 */
export async function askTerminal(
  core: Core,
  rail: GpoRail,
  owned: Owned,
): Promise<{ terminal: Terminal; isConfirmed: boolean }> {
  const known = await findTerminal(core, owned);
  const askedAt = core.clock.now();
  const outcome = await rail.queryTerminal(owned.posId);
  if (outcome.result === 'not_found') throw new Problem('not_found');
  if (outcome.result === 'unreached') throw railUnavailable();
  const isConfirmed = outcome.result === 'told';
  if (!known) {
    if (!isConfirmed) throw railUnavailable();
    return { terminal: await storeTold(core, owned, outcome), isConfirmed };
  }
  const heard = { via: 'status', dueCount: known.dueCount, askedAt } as const;
  return { terminal: await settleTerminal(core, known.id, outcome, heard), isConfirmed };
}
