// The one table of a terminal's transitions, and the only functions that write its status: the first one, and the next.
import { v7 as uuid } from 'uuid';
import { prepared, type Db } from '../database/db.ts';
import { recordEvent } from '../events/record.ts';
import { defineStates, type Transition } from '../events/states.ts';
import { Problem } from '../http/problem.ts';
import type { TerminalStatus } from '../providers/provider.ts';
import type { Terminal } from './entities.ts';

/** Terminals are the operator's rail's: no acquirer's own interface knows them. */
export const TERMINAL_RAIL = 'gpo';

/** Status × event → status (decisions §6). A pair that is not here does not happen. */
export const TRANSITIONS = {
  open: { from: ['Closed'], to: 'Opening', about: 'the merchant opens it' },
  close: { from: ['Open'], to: 'Closing', about: 'the merchant closes it' },
  undoOpen: { from: ['Opening'], to: 'Closed', about: 'the rail did not open it' },
  undoClose: { from: ['Closing'], to: 'Open', about: 'the rail did not close it' },
  tellOpening: { from: ['Closed', 'Open', 'Closing'], to: 'Opening', about: 'the rail says that it is being opened' },
  tellOpen: { from: ['Closed', 'Opening', 'Closing'], to: 'Open', about: 'the rail says that it is open' },
  tellClosing: { from: ['Closed', 'Opening', 'Open'], to: 'Closing', about: 'the rail says that it is being closed' },
  tellClosed: { from: ['Open', 'Opening', 'Closing'], to: 'Closed', about: 'the rail says that it is closed' },
} as const satisfies Record<string, Transition<TerminalStatus>>;

export type TerminalEvent = keyof typeof TRANSITIONS;

/** What the merchant can have done to a terminal, and where it leads. */
export const ACTIONS = {
  open: { goal: 'Open', underway: 'Opening' },
  close: { goal: 'Closed', underway: 'Closing' },
} as const satisfies Record<string, { goal: TerminalStatus; underway: TerminalStatus }>;

export type Action = keyof typeof ACTIONS;

/** How a move under way ends: where it wants to, or where it came from by the undoing event. Nothing for those at rest. */
export const UNDERWAY: Record<TerminalStatus, { goal: TerminalStatus; undo: TerminalEvent } | null> = {
  Opening: { goal: 'Open', undo: 'undoOpen' },
  Closing: { goal: 'Closed', undo: 'undoClose' },
  Open: null,
  Closed: null,
};

/** The event of hearing each status from the rail. */
export const TELL = {
  Opening: 'tellOpening',
  Open: 'tellOpen',
  Closing: 'tellClosing',
  Closed: 'tellClosed',
} as const satisfies Record<TerminalStatus, TerminalEvent>;

export type TerminalMove = {
  /** Columns set together with the status. */
  set?: Partial<Pick<Terminal, 'period' | 'supervisorRequired' | 'operationId' | 'sentAt' | 'dueAt'>>;
  /** Goes into the event. */
  details?: Record<string, unknown>;
  at: Date;
};

/**
 * Moves a terminal and writes its event, in the transaction `db`. Its count grows too, so that whatever was asked of
 * the rail before is known to be old.
 * Returns false when the terminal is already there (nothing is written).
 * @throws Problem terminal_busy when the event does not apply to the terminal's status
 */
export async function transition(
  db: Db,
  terminal: Pick<Terminal, 'id' | 'merchantId' | 'posId'>,
  event: TerminalEvent,
  { set = {}, details = {}, at }: TerminalMove,
): Promise<boolean> {
  const { id, merchantId, posId } = terminal;
  const type = `terminal.${TRANSITIONS[event].to.toLowerCase()}`;
  const news = { merchantId, paymentId: null, type, occurredAt: at, details: { posId, ...details } };
  const result = await move(db, { id, event, set: { ...set, changedAt: at }, news });
  if (result === 'refused') throw new Problem('terminal_busy');
  return result === 'moved';
}

const move = defineStates('terminals', TRANSITIONS, 'dueCount');

export type FirstState = Pick<Terminal, 'merchantId' | 'posId' | 'status' | 'supervisorRequired'> & {
  period: string | null;
  dueAt: Date | null;
};

/**
 * Writes a terminal met for the first time, as the rail tells it; another node may have been quicker.
 * Returns whether it was written. `details` make it an event: not when somebody only asked.
 */
export async function createTerminal(db: Db, first: FirstState, at: Date, details?: object): Promise<boolean> {
  const { merchantId, posId, status, period, supervisorRequired, dueAt } = first;
  const row = { id: uuid(), merchantId, posId, status, period, supervisorRequired, changedAt: at, dueAt };
  if ((await insertTerminal.run(db, { row })) === 0) return false;
  const type = `terminal.${status.toLowerCase()}`;
  const event = { merchantId, paymentId: null, type, status, occurredAt: at };
  if (details) await recordEvent(db, { ...event, details: { posId, ...details } });
  return true;
}

const insertTerminal = prepared((tables, { row }: { row: FirstState & { id: string; changedAt: Date } }) =>
  tables
    .insertInto('terminals')
    .values(row)
    .onConflict((known) => known.columns(['merchantId', 'posId']).doNothing()),
);
