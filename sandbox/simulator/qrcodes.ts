// QR codes at the simulated rail: each is created once. Its id or its content finds it, together with its scans.
import type { Insertable } from 'kysely';
import type { Pool } from 'pg';
import { decideDueAbout } from './charges.ts';
import { qrCodeStatusOf, type QrRow } from './qr-slots.ts';
import { isVoidedAhead } from './plans.ts';
import { prepared, type SimulatorTables } from './schema.ts';
import type { Simulation } from './simulation.ts';
import { inTransaction, lockIds } from './tables.ts';
import { isTerminalClosed } from './terminals.ts';
import { viewScan } from './view.ts';

/** A request for a QR code, with the field names of docs/rail.md. */
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

/** Creates a code. A repeated id only counts one more call. If a void came first, the code starts withdrawn. */
export async function recordQrCode(
  sim: Simulation,
  request: QrRequest,
): Promise<{ code: QrRow; isNew: boolean; isSame: boolean }> {
  const { id, terminalId } = request;
  const now = sim.clock.now();
  const code = await inTransaction(sim.pool, async (db) => {
    await lockIds(db, id);
    const withdrawnAt = (await isVoidedAhead(db, 'qrcode', id)) ? now : null;
    const reason = (await isTerminalClosed(db, terminalId)) ? 'TERMINAL_CLOSED' : null;
    const content = reason ? null : contentOf(id);
    return addCode.one(db, { row: { ...request, content, reason, withdrawnAt, createdAt: now } });
  });
  const { endDate, ...plain } = request;
  const isSame = (Object.keys(plain) as (keyof typeof plain)[]).every((field) => code[field] === plain[field]);
  return { code, isNew: code.calls === 1, isSame: isSame && code.endDate.getTime() === endDate.getTime() };
}

const addCode = prepared((tables, { row }: { row: Insertable<SimulatorTables['qrcodes']> }) =>
  tables
    .insertInto('qrcodes')
    .values(row)
    .onConflict((on) => on.column('id').doUpdateSet((eb) => ({ calls: eb('qrcodes.calls', '+', eb.lit(1)) })))
    .returningAll(),
);

/** The content of a QR code. Only the simulated rail reads it. */
function contentOf(id: string): string {
  return `MCX-SANDBOX:${id}`;
}

/** Finds a QR code with its current state. */
export async function findQrCode(sim: Simulation, by: 'id' | 'content', value: string): Promise<QrRow | null> {
  const found = await FIND[by].first(sim.pool, { value });
  if (!found) return null;
  // Scans that are due take their slots first.
  await decideDueAbout(sim, found.id);
  return FIND.id.first(sim.pool, { value: found.id });
}

const FIND = {
  id: prepared((tables, { value }: { value: string }) =>
    tables.selectFrom('qrcodes').selectAll().where('id', '=', value),
  ),
  content: prepared((tables, { value }: { value: string }) =>
    tables.selectFrom('qrcodes').selectAll().where('content', '=', value),
  ),
};

/** Formats a QR code as in docs/rail.md, with its scans, oldest first. */
export async function viewQrCode(pool: Pool, row: QrRow, now: Date) {
  const scans = await listScans.all(pool, { id: row.id });
  return {
    id: row.id,
    status: qrCodeStatusOf(row, now),
    reason: row.reason,
    content: row.content,
    accepted: row.accepted,
    maxTransactions: row.maxTransactions,
    endDate: row.endDate.toISOString(),
    payments: scans.map(viewScan),
  };
}

const listScans = prepared((tables, { id }: { id: string }) =>
  tables
    .selectFrom('purchases')
    .selectAll()
    .where('parentId', '=', id)
    .where('kind', '=', 'scan')
    .orderBy('createdAt')
    .orderBy('id'),
);
