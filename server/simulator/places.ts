// The places of a QR code: each accepted scan takes one, and one statement says who gets the last.
import type { PoolClient } from 'pg';

export type CodeStatus = 'ACTIVE' | 'USED_UP' | 'ENDED' | 'WITHDRAWN' | 'REFUSED';

export type QrRow = {
  id: string;
  merchant_id: string;
  terminal_id: string;
  reference: string;
  amount: string;
  currency: string;
  description: string | null;
  type: string;
  max_transactions: number;
  end_date: Date;
  content: string | null;
  reason: string | null;
  accepted: number;
  withdrawn_at: Date | null;
  calls: number;
  created_at: Date;
};

/** Takes a place on a code; otherwise the status that refuses it. Who comes at once waits for the row. */
export async function takePlace(db: PoolClient, id: string, at: Date): Promise<CodeStatus | null> {
  const { rowCount } = await db.query(
    `update simulator.qrcodes set accepted = accepted + 1
     where id = $1 and accepted < max_transactions and end_date > $2 and withdrawn_at is null and reason is null`,
    [id, at],
  );
  if (rowCount) return null;
  const { rows } = await db.query<QrRow>('select * from simulator.qrcodes where id = $1', [id]);
  return rows[0] ? statusOf(rows[0], at) : 'WITHDRAWN';
}

/** From now on no scan is accepted. */
export async function withdrawQrCode(db: PoolClient, id: string, at: Date): Promise<void> {
  await db.query('update simulator.qrcodes set withdrawn_at = $2 where id = $1 and withdrawn_at is null', [id, at]);
}

/** How a code stands at this time. */
export function statusOf(row: QrRow, now: Date): CodeStatus {
  if (row.withdrawn_at) return 'WITHDRAWN';
  if (row.reason) return 'REFUSED';
  if (row.accepted >= row.max_transactions) return 'USED_UP';
  return row.end_date <= now ? 'ENDED' : 'ACTIVE';
}
