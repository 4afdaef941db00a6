// Terminals at the simulated rail: each operation opens or closes one once. Each opening starts a new period.
import type { PoolClient } from 'pg';
import type { Connection } from '../../server/database/queries.ts';
import { queueNotification } from './notifications.ts';
import { refuse } from './refusal.ts';
import { prepared, type Row } from './schema.ts';
import type { Simulation } from './simulation.ts';
import { inTransaction } from './tables.ts';

type TerminalRow = Row<'terminals'>;

export type TerminalOrderMove = { id: string; posId: string; action: 'open' | 'close'; supervisorId: string | null };

/**
 * Opens or closes a terminal, once per operation id.
 * A refused operation is not stored and may be repeated with another supervisor.
 */
export async function moveTerminal(
  sim: Simulation,
  { id, posId, action, supervisorId }: TerminalOrderMove,
): Promise<TerminalRow> {
  return inTransaction(sim.pool, async (db) => {
    const terminal = await lockTerminal(db, posId);
    const done = await findMove.first(db, { id });
    if (done) {
      const isSame = done.posId === posId && done.action === action && done.supervisorId === supervisorId;
      return isSame ? terminal : refuse(409, 'MOVE_CHANGED', 'This id belongs to another opening or closing.');
    }
    refuseWrongSupervisor(terminal, supervisorId);
    await addMove.run(db, { row: { id, posId, action, supervisorId } });
    return setStatus(db, terminal, action === 'open' ? 'OPEN' : 'CLOSED');
  });
}

const findMove = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('terminal_moves').selectAll().where('id', '=', id),
);

const addMove = prepared((tables, { row }: { row: TerminalOrderMove }) =>
  tables.insertInto('terminal_moves').values(row),
);

function refuseWrongSupervisor({ supervisors }: TerminalRow, supervisorId: string | null): void {
  if (supervisors.length === 0) return;
  if (!supervisorId) refuse(400, 'SUPERVISOR_REQUIRED', 'Opening and closing this terminal needs a supervisor id.');
  if (!supervisors.includes(supervisorId))
    refuse(403, 'WRONG_SUPERVISOR', 'No supervisor of this terminal has this id.');
}

/** Sets a terminal's state for a test. With `notify`, the rail also notifies the gateway, as after its own change. */
export async function changeTerminal(
  sim: Simulation,
  posId: string,
  change: { status?: TerminalRow['status'] | undefined; supervisors?: string[] | undefined; notify: boolean },
): Promise<TerminalRow> {
  const changed = await inTransaction(sim.pool, async (db) => {
    const terminal = await lockTerminal(db, posId);
    const supervisors = change.supervisors ?? terminal.supervisors;
    await setSupervisors.run(db, { posId, supervisors });
    const row = await setStatus(db, { ...terminal, supervisors }, change.status ?? terminal.status);
    const about = { rail: 'gpo', aboutId: posId, faultKey: null, at: sim.clock.now() } as const;
    if (change.notify) {
      await queueNotification(db, { ...about, type: 'terminal', name: 'terminal', thing: viewTerminal(row) });
    }
    return row;
  });
  sim.poke('notifications');
  return changed;
}

const setSupervisors = prepared((tables, { posId, supervisors }: Pick<TerminalRow, 'posId' | 'supervisors'>) =>
  tables.updateTable('terminals').set({ supervisors }).where('posId', '=', posId),
);

/** Finds a terminal's current state. An unknown terminal is open, because the sandbox has no onboarding. */
export async function findTerminal(sim: Simulation, posId: string): Promise<TerminalRow> {
  return inTransaction(sim.pool, (db) => lockTerminal(db, posId));
}

/** True if the terminal accepts no payment. */
export async function isTerminalClosed(db: Connection, posId: string): Promise<boolean> {
  return (await findClosed.first(db, { posId })) !== null;
}

const findClosed = prepared((tables, { posId }: { posId: string }) =>
  tables.selectFrom('terminals').select('posId').where('posId', '=', posId).where('status', '=', 'CLOSED'),
);

async function lockTerminal(db: PoolClient, posId: string): Promise<TerminalRow> {
  await addTerminal.run(db, { posId });
  return lockRow.one(db, { posId });
}

const addTerminal = prepared((tables, { posId }: { posId: string }) =>
  tables
    .insertInto('terminals')
    .values({ posId })
    .onConflict((on) => on.doNothing()),
);

const lockRow = prepared((tables, { posId }: { posId: string }) =>
  tables.selectFrom('terminals').selectAll().where('posId', '=', posId).forUpdate(),
);

function setStatus(db: PoolClient, terminal: TerminalRow, status: TerminalRow['status']): Promise<TerminalRow> {
  const isOpening = status === 'OPEN' && terminal.status !== 'OPEN';
  return changeStatus.one(db, { posId: terminal.posId, status, opened: isOpening ? 1 : 0 });
}

const changeStatus = prepared(
  (tables, { posId, status, opened }: Pick<TerminalRow, 'posId' | 'status'> & { opened: number }) =>
    tables
      .updateTable('terminals')
      .set((eb) => ({ status, period: eb('period', '+', opened) }))
      .where('posId', '=', posId)
      .returningAll(),
);

/** Formats a terminal as in docs/rail.md. */
export function viewTerminal({ posId, status, period, supervisors }: TerminalRow) {
  return { posId, status, period: String(period), supervisorRequired: supervisors.length > 0 };
}
