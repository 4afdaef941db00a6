// QR codes at the rail: made once, looked up by id or by content, with their scans.
import type { Pool } from 'pg';
import { decideDueOrders } from './orders.ts';
import { statusOf, type QrRow } from './places.ts';
import { isVoidedAhead } from './plans.ts';
import type { Simulation } from './simulator.ts';
import { inTransaction, lockThing } from './tables.ts';
import { isTerminalClosed } from './terminals.ts';
import { viewScan, type OrderRow } from './view.ts';

/** What a code's making asks for, by its names on the wire. */
export type QrRequest = {
  id: string;
  merchantId: string;
  terminalId: string;
  reference: string;
  amount: string;
  currency: string;
  description: string | null;
  type: string;
  maxTransactions: number;
  endDate: Date;
};

/** Makes a code, or counts one more call for the one with this id. A code voided before it came is born withdrawn. */
export async function recordQrCode(
  sim: Simulation,
  request: QrRequest,
): Promise<{ code: QrRow; isNew: boolean; isSame: boolean }> {
  const { id, merchantId, terminalId, reference, amount, currency, description, type } = request;
  const { maxTransactions, endDate } = request;
  const now = sim.clock.now();
  const asked = [id, merchantId, terminalId, reference, amount, currency, description, type, maxTransactions];
  const code = await inTransaction(sim.pool, async (db) => {
    await lockThing(db, id);
    const withdrawnAt = (await isVoidedAhead(db, 'qrcode', id)) ? now : null;
    const reason = (await isTerminalClosed(db, terminalId)) ? 'TERMINAL_CLOSED' : null;
    const { rows } = await db.query<QrRow>(
      `insert into simulator.qrcodes (id, merchant_id, terminal_id, reference, amount, currency, description, type,
         max_transactions, end_date, content, reason, withdrawn_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
       on conflict (id) do update set calls = qrcodes.calls + 1
       returning *`,
      [...asked, endDate, reason ? null : contentOf(id), reason, withdrawnAt, now],
    );
    return rows[0] as QrRow;
  });
  const known = [code.id, code.merchant_id, code.terminal_id, code.reference, code.amount, code.currency];
  const isSame = [...known, code.description, code.type, code.max_transactions].every(
    (value, at) => value === asked[at],
  );
  return { code, isNew: code.calls === 1, isSame: isSame && code.end_date.getTime() === endDate.getTime() };
}

/** Opaque to everybody else. */
function contentOf(id: string): string {
  return `MCX-SANDBOX:${id}`;
}

/** A code as it stands now. */
export async function findQrCode(sim: Simulation, by: 'id' | 'content', value: string): Promise<QrRow | null> {
  await decideDueOrders(sim);
  const { rows } = await sim.pool.query<QrRow>(`select * from simulator.qrcodes where ${by} = $1`, [value]);
  return rows[0] ?? null;
}

/** A code as the rail writes it (docs/rail.md), its scans oldest first. */
export async function viewQrCode(pool: Pool, row: QrRow, now: Date) {
  const { rows } = await pool.query<OrderRow>(
    `select * from simulator.purchases where parent_id = $1 and kind = 'scan' order by created_at, id`,
    [row.id],
  );
  return {
    id: row.id,
    status: statusOf(row, now),
    reason: row.reason,
    content: row.content,
    accepted: row.accepted,
    maxTransactions: row.max_transactions,
    endDate: row.end_date.toISOString(),
    payments: rows.map(viewScan),
  };
}
