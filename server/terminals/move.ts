// Opening and closing a terminal: the intent is committed first, the rail is called after, its outcome enters by apply-outcome.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { repeatLost } from '../database/away.ts';
import type { Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { leaseMs } from '../jobs/schedule.ts';
import { Problem } from '../http/problem.ts';
import type { TerminalOrder, TerminalOutcome } from '../providers/provider.ts';
import type { Terminal } from './entities.ts';
import { meetTerminal, railUnavailable, type OwnedTerminal } from './find.ts';
import { lockTerminal, applyTerminalOutcome } from './apply-outcome.ts';
import { ACTIONS, TERMINAL_RAIL, transition, UNDERWAY, type Action } from './states.ts';

export type MoveRequest = OwnedTerminal & { action: Action; supervisorId: string | null };

/**
 * Has the rail open or close a terminal and answers it as it is then: there, or still under way where the rail did not
 * say. One that is there, or on its way there, is answered without a call.
 * @throws Problem not_found, terminal_busy (on its way to the other state), supervisor_required, supervisor_refused,
 * rail_unavailable; the terminal is then as it was
 */
export async function moveTerminal(core: Core, request: MoveRequest): Promise<Terminal> {
  const { id } = await meetTerminal(core, request);
  const { terminal, order } = await repeatLost(() => inTransaction(core, (db) => claimMove(core, db, id, request)));
  if (!order) return terminal;
  const outcome = await (await core.rails.gpo(TERMINAL_RAIL)).moveTerminal(order);
  const settled = await applyTerminalOutcome(core, id, outcome, { via: 'answer', operationId: order.operationId });
  const refusal = settled.status === ACTIONS[request.action].goal ? null : problemOf(outcome);
  if (refusal) throw refusal;
  return settled;
}

type ClaimedTerminal = { terminal: Terminal; order: TerminalOrder | null };

/** Under the row's lock: of any number at once, one gets the order to call. */
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

/** What the caller hears of a call that surely did nothing; null when it did, or may have. */
function problemOf({ result, refusal }: TerminalOutcome): Problem | null {
  if (result === 'unreached') return railUnavailable();
  if (result === 'not_found') return new Problem('not_found');
  if (result !== 'refused') return null;
  return new Problem(refusal === 'supervisor_required' ? 'supervisor_required' : 'supervisor_refused');
}
