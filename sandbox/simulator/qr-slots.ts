// The slots of a QR code: each accepted scan takes a slot, and a single statement assigns the last one.
import type { PoolClient } from 'pg';
import { prepared, type Row } from './schema.ts';

export type CodeStatus = 'ACTIVE' | 'USED_UP' | 'ENDED' | 'WITHDRAWN' | 'REFUSED';

export type QrRow = Row<'qrcodes'>;

/** Takes a slot of a QR code, or returns the status that refuses the scan. Concurrent scans wait for the row lock. */
export async function takeSlot(db: PoolClient, id: string, at: Date): Promise<CodeStatus | null> {
  if (await countScan.run(db, { id, at })) return null;
  const code = await findCode.first(db, { id });
  return code ? qrCodeStatusOf(code, at) : 'WITHDRAWN';
}

const countScan = prepared((tables, { id, at }: { id: string; at: Date }) =>
  tables
    .updateTable('qrcodes')
    .set((eb) => ({ accepted: eb('accepted', '+', eb.lit(1)) }))
    .where('id', '=', id)
    .whereRef('accepted', '<', 'maxTransactions')
    .where('endDate', '>', at)
    .where('withdrawnAt', 'is', null)
    .where('reason', 'is', null),
);

const findCode = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('qrcodes').selectAll().where('id', '=', id),
);

/** Withdraws a QR code, which then refuses every later scan. */
export async function withdrawQrCode(db: PoolClient, id: string, at: Date): Promise<void> {
  await withdraw.run(db, { id, at });
}

const withdraw = prepared((tables, { id, at }: { id: string; at: Date }) =>
  tables.updateTable('qrcodes').set({ withdrawnAt: at }).where('id', '=', id).where('withdrawnAt', 'is', null),
);

/** The status of a QR code at this time. */
export function qrCodeStatusOf(row: QrRow, now: Date): CodeStatus {
  if (row.withdrawnAt) return 'WITHDRAWN';
  if (row.reason) return 'REFUSED';
  if (row.accepted >= row.maxTransactions) return 'USED_UP';
  return row.endDate <= now ? 'ENDED' : 'ACTIVE';
}
