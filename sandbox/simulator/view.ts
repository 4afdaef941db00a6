// An order as it is stored, and as the wire and the phone show it.
import { sql } from 'kysely';
import { addMinor, toDecimal, toMinor } from '../../shared/money.ts';
import type { Connection } from '../../server/database/queries.ts';
import { prepared, type Row } from './schema.ts';

export type OrderRow = Row<'purchases'>;

/** An order as the rail writes it (docs/rail.md). */
export async function viewOrder(db: Connection, row: OrderRow) {
  return writeOrder(row, row.kind === 'authorization' ? await findApprovedSteps(db, [row.id]) : []);
}

/** The captures and voids that these authorizations came to. */
export function findApprovedSteps(db: Connection, ids: string[]): Promise<OrderRow[]> {
  return listApproved.all(db, { ids });
}

const listApproved = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('purchases')
    .selectAll()
    .where('parentId', '=', sql<string>`any(${ids})`)
    .where('status', '=', 'APPROVED')
    .where('kind', 'in', ['capture', 'void']),
);

/** The same with the steps already found; of an authorization, with what became of its money. */
export function writeOrder(row: OrderRow, steps: OrderRow[]) {
  if (row.kind === 'void') return viewVoid(row);
  if (row.kind === 'refund') return viewRefund(row);
  if (row.kind === 'capture') return { ...viewPurchase(row), authorizationId: row.parentId };
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
    transactionId: row.transactionId,
    transactionNumber: row.transactionNumber,
    clearingPeriod: row.clearingPeriod,
    terminalId: row.terminalId,
    amount: row.amount,
    currency: row.currency,
    phone: row.phone || null,
    createdAt: row.createdAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
  };
}

function viewVoid(row: OrderRow) {
  const { id, status, reason, target, parentId: targetId } = row;
  const [createdAt, decidedAt] = [row.createdAt.toISOString(), row.decidedAt?.toISOString() ?? null];
  return { id, status, reason, target, targetId, createdAt, decidedAt };
}

/** Whose order it is: refunds of references alone are the PPR rail's. */
export function railOf({ target }: OrderRow): 'gpo' | 'ppr' {
  return target === 'reference' ? 'ppr' : 'gpo';
}

/** Money of a reference came through no terminal of the merchant's: its refunds are numbered within its entity. */
function viewRefund(row: OrderRow) {
  const { phone: _, ...money } = viewPurchase(row);
  const terminalId = railOf(row) === 'ppr' ? null : row.terminalId;
  return { ...money, terminalId, refundedTransactionId: row.parentId };
}

const SCAN_STATUSES = { PENDING: 'PENDING', APPROVED: 'ACCEPTED', DECLINED: 'REFUSED' } as const;

/** A scan of a code as the rail writes it. */
export function viewScan(row: OrderRow) {
  const { status, createdAt, decidedAt, ...money } = viewPurchase(row);
  return {
    ...money,
    qrCodeId: row.parentId,
    status: SCAN_STATUSES[status],
    transactionType: 'PURCHASE',
    orderOrigin: 'QRCODE',
    creationDate: createdAt,
    updatedDate: decidedAt ?? createdAt,
  };
}

/** A push as its payer sees it: the purchase or authorization, what it is for, and until when it can be answered. */
export function viewPush(row: OrderRow) {
  const { kind, merchantId, reference, description, expiresAt } = row;
  return { ...viewPurchase(row), kind, merchantId, reference, description, expiresAt: expiresAt.toISOString() };
}
