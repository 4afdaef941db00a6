// Queries the rail for a terminal's state, either by polling or on request.
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import { dueQueue, type Claim, type DueQueue } from '../jobs/due.ts';
import { leaseMs } from '../jobs/schedule.ts';
import type { Terminal } from './entities.ts';
import { findTerminal, railUnavailable, insertReported, type OwnedTerminal } from './find.ts';
import { applyTerminalOutcome } from './apply-outcome.ts';
import { TERMINAL_RAIL } from './states.ts';

/**
 * Queries the terminal's state at the rail.
 * If the rail's answer has no state, `isConfirmed` is false and the terminal has its last known state.
 * @throws Problem not_found; rail_unavailable if no request reached the rail, or no state is known
 */
export async function queryTerminalState(
  core: Core,
  owned: OwnedTerminal,
): Promise<{ terminal: Terminal; isConfirmed: boolean }> {
  const known = await findTerminal(core, owned);
  const queriedAt = core.clock.now();
  const outcome = await (await core.rails.gpo(TERMINAL_RAIL)).queryTerminal(owned.posId);
  if (outcome.result === 'not_found') throw new Problem('not_found');
  if (outcome.result === 'unreached') throw railUnavailable();
  const isConfirmed = outcome.result === 'told';
  if (!known) {
    if (!isConfirmed) throw railUnavailable();
    return { terminal: await insertReported(core, owned, outcome), isConfirmed };
  }
  const source = { via: 'status', dueCount: known.dueCount, queriedAt } as const;
  return { terminal: await applyTerminalOutcome(core, known.id, outcome, source), isConfirmed };
}

/** Creates the queue of due terminals. It only queries states: merchants repeat openings and closings themselves. */
export function terminalQueue(core: Core): DueQueue {
  const run = (claim: Claim) => resolveTerminal(core, claim);
  return dueQueue(core, { table: 'terminals', leaseMs: leaseMs(core.config), run });
}

async function resolveTerminal(core: Core, { id, dueCount }: Claim): Promise<void> {
  const terminal = await findPosId.first(core, { id });
  if (!terminal) return;
  const queriedAt = core.clock.now();
  const outcome = await (await core.rails.gpo(TERMINAL_RAIL)).queryTerminal(terminal.posId);
  await applyTerminalOutcome(core, id, outcome, { via: 'poll', dueCount, queriedAt });
}

const findPosId = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('terminals').select('posId').where('id', '=', id),
);
