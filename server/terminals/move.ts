// Opens and closes terminals: commits the transition, then calls the rail. apply-outcome.ts records the answer.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { repeatLost } from '../database/unavailable.ts';
import type { Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { leaseMs } from '../jobs/schedule.ts';
import { Problem } from '../http/problem.ts';
import type { TerminalOrder, TerminalOutcome } from '../providers/provider.ts';
import type { Terminal } from './entities.ts';
import { findOrQueryTerminal, railUnavailable, type OwnedTerminal } from './find.ts';
import { lockTerminal, applyTerminalOutcome } from './apply-outcome.ts';
import { ACTIONS, TERMINAL_RAIL, transition, UNDERWAY, type Action } from './states.ts';

export type MoveRequest = OwnedTerminal & { action: Action; supervisorId: string | null };

/**
 * Opens or closes a terminal at the rail and returns its new state, which may still be `Opening` or `Closing`.
 * A terminal that already has that state, or moves there, is returned without a call to the rail.
 * @throws Problem terminal_busy (moving to the other state), supervisor_required, supervisor_refused, rail_unavailable.
 * After an error the terminal has its previous state.
 */
export async function moveTerminal(core: Core, request: MoveRequest): Promise<Terminal> {
  const { id } = await findOrQueryTerminal(core, request);
  const { terminal, order } = await repeatLost(() => inTransaction(core, (db) => claimMove(core, db, id, request)));
  if (!order) return terminal;
  const outcome = await (await core.rails.gpo(TERMINAL_RAIL)).moveTerminal(order);
  const settled = await applyTerminalOutcome(core, id, outcome, { via: 'answer', operationId: order.operationId });
  const refusal = settled.status === ACTIONS[request.action].goal ? null : problemOf(outcome);
  if (refusal) throw refusal;
  return settled;
}

type ClaimedTerminal = { terminal: Terminal; order: TerminalOrder | null };

/** Claims an opening or closing under the row's lock. Of concurrent requests, one sends the order to the rail. */
async function claimMove(core: Core, db: Db, id: string, request: MoveRequest): Promise<ClaimedTerminal> {
  const { action, supervisorId, posId } = request;
  const terminal = await lockTerminal(db, id);
  const { goal, underway } = ACTIONS[action];
  if (terminal.status === goal || terminal.status === underway) return { terminal, order: null };
  if (UNDERWAY[terminal.status]) throw new Problem('terminal_busy');
  if (terminal.supervisorRequired && supervisorId === null) throw new Problem('supervisor_required');
  const operationId = uuid();
  const at = core.clock.now();
  const dueAt = new Date(at.getTime() + leaseMs(core.config));
  const set = { operationId, sentAt: at, dueAt };
  await transition(db, terminal, action, { set, details: { by: 'merchant', operationId }, at });
  return { terminal, order: { operationId, posId, action, supervisorId } };
}

/** Returns the problem of a call that certainly had no effect. Null if the call had or may have had an effect. */
function problemOf({ result, refusal }: TerminalOutcome): Problem | null {
  if (result === 'unreached') return railUnavailable();
  if (result === 'not_found') return new Problem('not_found');
  if (result !== 'refused') return null;
  return new Problem(refusal === 'supervisor_required' ? 'supervisor_required' : 'supervisor_refused');
}
