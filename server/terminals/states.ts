// Transitions of a terminal's status. Only `createTerminal` and `transition` write the status.
import { v7 as uuid } from 'uuid';
import { prepared, type Db } from '../database/db.ts';
import { recordEvent } from '../events/record.ts';
import { defineStates, type Transition } from '../events/states.ts';
import { Problem } from '../http/problem.ts';
import type { TerminalStatus } from '../providers/provider.ts';
import type { Terminal } from './entities.ts';

/** The only rail with terminals: the operator's GPO rail. Acquirers' APIs do not offer terminals. */
export const TERMINAL_RAIL = 'gpo';

/** Events of a terminal with the statuses before and after each event. Any other transition is refused. */
export const TRANSITIONS = {
  open: { from: ['Closed'], to: 'Opening', about: 'the merchant opens it' },
  close: { from: ['Open'], to: 'Closing', about: 'the merchant closes it' },
  undoOpen: { from: ['Opening'], to: 'Closed', about: 'the rail did not open it' },
  undoClose: { from: ['Closing'], to: 'Open', about: 'the rail did not close it' },
  reportOpening: { from: ['Closed', 'Open', 'Closing'], to: 'Opening', about: 'the rail says that it is being opened' },
  reportOpen: { from: ['Closed', 'Opening', 'Closing'], to: 'Open', about: 'the rail says that it is open' },
  reportClosing: { from: ['Closed', 'Opening', 'Open'], to: 'Closing', about: 'the rail says that it is being closed' },
  reportClosed: { from: ['Open', 'Opening', 'Closing'], to: 'Closed', about: 'the rail says that it is closed' },
} as const satisfies Record<string, Transition<TerminalStatus>>;

export type TerminalEvent = keyof typeof TRANSITIONS;

/** A merchant's actions on a terminal, with their final status and the status in between. */
export const ACTIONS = {
  open: { goal: 'Open', underway: 'Opening' },
  close: { goal: 'Closed', underway: 'Closing' },
} as const satisfies Record<string, { goal: TerminalStatus; underway: TerminalStatus }>;

export type Action = keyof typeof ACTIONS;

/** For each status in between: its final status, and the event that undoes the move. Null for `Open` and `Closed`. */
export const UNDERWAY: Record<TerminalStatus, { goal: TerminalStatus; undo: TerminalEvent } | null> = {
  Opening: { goal: 'Open', undo: 'undoOpen' },
  Closing: { goal: 'Closed', undo: 'undoClose' },
  Open: null,
  Closed: null,
};

/** The event for each status of a terminal that the rail reports. */
export const REPORTED_EVENT = {
  Opening: 'reportOpening',
  Open: 'reportOpen',
  Closing: 'reportClosing',
  Closed: 'reportClosed',
} as const satisfies Record<TerminalStatus, TerminalEvent>;

export type TerminalMove = {
  /** `set`: columns that are written together with the status. */
  set?: Partial<Pick<Terminal, 'period' | 'supervisorRequired' | 'operationId' | 'sentAt' | 'dueAt'>>;
  /** `details`: fields that are added to the event's details. */
  details?: Record<string, unknown>;
  at: Date;
};

/**
 * Changes a terminal's status and writes its event, in the transaction `db`.
 * The transition also increments `dueCount`, which makes answers to earlier queries outdated.
 * Returns false, and writes nothing, if the terminal already has the status.
 * @throws Problem terminal_busy if the event does not apply to the terminal's status
 */
export async function transition(
  db: Db,
  terminal: Pick<Terminal, 'id' | 'merchantId' | 'posId'>,
  event: TerminalEvent,
  { set = {}, details = {}, at }: TerminalMove,
): Promise<boolean> {
  const { id, merchantId, posId } = terminal;
  const type = `terminal.${TRANSITIONS[event].to.toLowerCase()}`;
  const eventFields = { merchantId, paymentId: null, type, occurredAt: at, details: { posId, ...details } };
  const result = await move(db, { id, event, set: { ...set, changedAt: at }, eventFields });
  if (result === 'refused') throw new Problem('terminal_busy');
  return result === 'moved';
}

const move = defineStates('terminals', TRANSITIONS, 'dueCount');

export type FirstState = Pick<Terminal, 'merchantId' | 'posId' | 'status' | 'supervisorRequired'> & {
  period: string | null;
  dueAt: Date | null;
};

/**
 * Inserts a terminal with the state that the rail reported. False: another node inserted the terminal first.
 * With `details` it also writes an event. Status queries pass no details, since they change nothing at the rail.
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
