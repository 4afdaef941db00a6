// Terminals at the rail: opened and closed once for each operation, each opening a new period.
import type { Pool, PoolClient } from 'pg';
import { queueNotification } from './notifications.ts';
import { refuse } from './refusal.ts';
import type { Simulation } from './simulator.ts';
import { inTransaction } from './tables.ts';

export const TERMINAL_STATUSES = ['OPEN', 'OPENING', 'CLOSED', 'CLOSING'] as const;
type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

type TerminalRow = { pos_id: string; status: TerminalStatus; period: number; supervisors: string[] };

export type Move = { id: string; posId: string; action: 'open' | 'close'; supervisorId: string | null };

/** Opens or closes a terminal, once for each id; a refused move was none, and may be repeated with another supervisor. */
export async function moveTerminal(sim: Simulation, { id, posId, action, supervisorId }: Move): Promise<TerminalRow> {
  return inTransaction(sim.pool, async (db) => {
    const terminal = await lockTerminal(db, posId);
    const { rows } = await db.query<{ pos_id: string; action: string; supervisor_id: string | null }>(
      'select * from simulator.terminal_moves where id = $1',
      [id],
    );
    const done = rows[0];
    if (done) {
      const isSame = done.pos_id === posId && done.action === action && done.supervisor_id === supervisorId;
      return isSame ? terminal : refuse(409, 'MOVE_CHANGED', 'This id belongs to another opening or closing.');
    }
    refuseWrongSupervisor(terminal, supervisorId);
    await db.query('insert into simulator.terminal_moves values ($1, $2, $3, $4)', [id, posId, action, supervisorId]);
    return setStatus(db, terminal, action === 'open' ? 'OPEN' : 'CLOSED');
  });
}

function refuseWrongSupervisor({ supervisors }: TerminalRow, supervisorId: string | null): void {
  if (supervisors.length === 0) return;
  if (!supervisorId) refuse(400, 'SUPERVISOR_REQUIRED', 'This terminal is opened and closed with approval.');
  if (!supervisors.includes(supervisorId)) refuse(403, 'WRONG_SUPERVISOR', 'Nobody here has this supervisor id.');
}

/** What a tester makes of a terminal; with `notify`, the rail did it by itself and says so. */
export async function changeTerminal(
  sim: Simulation,
  posId: string,
  change: { status?: TerminalStatus | undefined; supervisors?: string[] | undefined; notify: boolean },
): Promise<TerminalRow> {
  const changed = await inTransaction(sim.pool, async (db) => {
    const terminal = await lockTerminal(db, posId);
    const supervisors = change.supervisors ?? terminal.supervisors;
    await db.query('update simulator.terminals set supervisors = $2 where pos_id = $1', [posId, supervisors]);
    const row = await setStatus(db, { ...terminal, supervisors }, change.status ?? terminal.status);
    const about = { rail: 'gpo', aboutId: posId, whose: null, at: sim.clock.now() } as const;
    if (change.notify) {
      await queueNotification(db, { ...about, type: 'terminal', name: 'terminal', thing: viewTerminal(row) });
    }
    return row;
  });
  sim.poke('notifications');
  return changed;
}

/** A terminal as it stands; one never heard of is open, as the sandbox has no onboarding. */
export async function findTerminal(sim: Simulation, posId: string): Promise<TerminalRow> {
  return inTransaction(sim.pool, (db) => lockTerminal(db, posId));
}

/** True when nothing may be sold through it. */
export async function isTerminalClosed(db: Pool | PoolClient, posId: string): Promise<boolean> {
  const { rowCount } = await db.query(`select from simulator.terminals where pos_id = $1 and status = 'CLOSED'`, [
    posId,
  ]);
  return rowCount !== 0;
}

async function lockTerminal(db: PoolClient, posId: string): Promise<TerminalRow> {
  await db.query('insert into simulator.terminals (pos_id) values ($1) on conflict do nothing', [posId]);
  const { rows } = await db.query<TerminalRow>('select * from simulator.terminals where pos_id = $1 for update', [
    posId,
  ]);
  return rows[0] as TerminalRow;
}

async function setStatus(db: PoolClient, terminal: TerminalRow, status: TerminalStatus): Promise<TerminalRow> {
  const isOpening = status === 'OPEN' && terminal.status !== 'OPEN';
  const { rows } = await db.query<TerminalRow>(
    'update simulator.terminals set status = $2, period = period + $3 where pos_id = $1 returning *',
    [terminal.pos_id, status, isOpening ? 1 : 0],
  );
  return rows[0] as TerminalRow;
}

/** A terminal as the rail writes it (docs/rail.md). */
export function viewTerminal({ pos_id: posId, status, period, supervisors }: TerminalRow) {
  return { posId, status, period: String(period), supervisorRequired: supervisors.length > 0 };
}
