// An order as it is stored, and as the wire and the phone show it.
import type { Pool, PoolClient } from 'pg';
import { addMinor, toDecimal, toMinor } from '../../shared/money.ts';

export type OrderKind = 'purchase' | 'authorization' | 'capture' | 'void' | 'scan';

/** Texts that a kind does not have are empty. */
export type OrderRow = {
  id: string;
  kind: OrderKind;
  merchant_id: string;
  terminal_id: string;
  reference: string;
  phone: string;
  amount: string;
  currency: string;
  description: string | null;
  /** The authorization or code that a capture, void or scan is about. */
  parent_id: string | null;
  target: 'authorization' | 'qrcode' | null;
  status: 'PENDING' | 'APPROVED' | 'DECLINED';
  reason: string | null;
  transaction_id: string | null;
  transaction_number: string | null;
  clearing_period: string | null;
  calls: number;
  created_at: Date;
  expires_at: Date;
  decided_at: Date | null;
};

/** An order as the rail writes it (docs/rail.md). */
export async function viewOrder(db: Pool | PoolClient, row: OrderRow) {
  return writeOrder(row, row.kind === 'authorization' ? await findApprovedSteps(db, [row.id]) : []);
}

/** The captures and voids that these authorizations came to. */
export async function findApprovedSteps(db: Pool | PoolClient, ids: string[]): Promise<OrderRow[]> {
  const { rows } = await db.query<OrderRow>(
    `select * from simulator.purchases
     where parent_id = any($1) and status = 'APPROVED' and kind in ('capture', 'void')`,
    [ids],
  );
  return rows;
}

/** The same with the steps already found; of an authorization, with what became of its money. */
export function writeOrder(row: OrderRow, steps: OrderRow[]) {
  if (row.kind === 'void') return viewVoid(row);
  if (row.kind === 'capture') return { ...viewPurchase(row), authorizationId: row.parent_id };
  if (row.kind !== 'authorization') return viewPurchase(row);
  const { captured, voided, held } = splitHold(row, steps);
  return { ...viewPurchase(row), capturedAmount: captured, voidedAmount: voided, heldAmount: held };
}

/** Where an authorization's money is, by its approved captures and voids: the three always make up `authorized`. */
export function splitHold(authorization: OrderRow, steps: OrderRow[]) {
  const { currency } = authorization;
  const authorized = authorization.status === 'APPROVED' ? readMinor(authorization.amount, currency) : 0;
  const capture = steps.find(({ kind }) => kind === 'capture');
  const captured = capture ? readMinor(capture.amount, currency) : 0;
  // A capture of less releases the rest.
  const voided = steps.length > 0 ? addMinor(authorized, -captured) : 0;
  const held = addMinor(authorized, -captured, -voided);
  const write = (minor: number) => toDecimal(minor, currency);
  return { authorized: write(authorized), captured: write(captured), voided: write(voided), held: write(held) };
}

/** Minor units of an amount that was checked when it came. */
export function readMinor(amount: string, currency: string): number {
  const read = toMinor(amount, currency);
  return 'minor' in read ? read.minor : 0;
}

/** The fields that every order about money shares. */
export function viewPurchase(row: OrderRow) {
  return {
    id: row.id,
    status: row.status,
    reason: row.reason,
    transactionId: row.transaction_id,
    transactionNumber: row.transaction_number,
    clearingPeriod: row.clearing_period,
    terminalId: row.terminal_id,
    amount: row.amount,
    currency: row.currency,
    phone: row.phone || null,
    createdAt: row.created_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
  };
}

function viewVoid(row: OrderRow) {
  const { id, status, reason, target, parent_id: targetId } = row;
  const [createdAt, decidedAt] = [row.created_at.toISOString(), row.decided_at?.toISOString() ?? null];
  return { id, status, reason, target, targetId, createdAt, decidedAt };
}

const SCAN_STATUSES = { PENDING: 'PENDING', APPROVED: 'ACCEPTED', DECLINED: 'REFUSED' } as const;

/** A scan of a code as the rail writes it. */
export function viewScan(row: OrderRow) {
  const { status, createdAt, decidedAt, ...money } = viewPurchase(row);
  return {
    ...money,
    qrCodeId: row.parent_id,
    status: SCAN_STATUSES[status],
    transactionType: 'PURCHASE',
    orderOrigin: 'QRCODE',
    creationDate: createdAt,
    updatedDate: decidedAt ?? createdAt,
  };
}

/** A push as its payer sees it: the purchase or authorization, what it is for, and until when it can be answered. */
export function viewPush(row: OrderRow) {
  const { kind, merchant_id: merchantId, reference, description, expires_at: expiresAt } = row;
  return { ...viewPurchase(row), kind, merchantId, reference, description, expiresAt: expiresAt.toISOString() };
}
