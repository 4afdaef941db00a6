// An order in the formats of the database, of docs/rail.md, and of the phone.
import { sql } from 'kysely';
import { addMinor, toDecimal, toMinor } from '../../shared/money.ts';
import type { Connection } from '../../server/database/queries.ts';
import { prepared, type Row } from './schema.ts';

export type OrderRow = Row<'purchases'>;

/** Formats an order as in docs/rail.md. */
export async function viewOrder(db: Connection, row: OrderRow) {
  return writeOrder(row, row.kind === 'authorization' ? await findApprovedSteps(db, [row.id]) : []);
}

/** Finds the approved captures and voids of these authorizations. */
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

/**
 * Like `viewOrder`, but with steps that the caller has already read.
 * The view of an authorization includes its captured, voided and held money.
 */
export function writeOrder(row: OrderRow, steps: OrderRow[]) {
  if (row.kind === 'void') return viewVoid(row);
  if (row.kind === 'refund') return viewRefund(row);
  if (row.kind === 'capture') return { ...viewPurchase(row), authorizationId: row.parentId };
  if (row.kind !== 'authorization') return viewPurchase(row);
  const { captured, voided, held } = splitHold(row, steps);
  return { ...viewPurchase(row), capturedAmount: captured, voidedAmount: voided, heldAmount: held };
}

/** Splits an authorized amount into captured, voided and held. The three amounts always add up to `authorized`. */
export function splitHold(authorization: OrderRow, steps: OrderRow[]) {
  const { currency } = authorization;
  const authorized = authorization.status === 'APPROVED' ? readMinor(authorization.amount, currency) : 0;
  const capture = steps.find(({ kind }) => kind === 'capture');
  const captured = capture ? readMinor(capture.amount, currency) : 0;
  // A partial capture releases the remaining money of the authorization.
  const voided = steps.length > 0 ? addMinor(authorized, -captured) : 0;
  const held = addMinor(authorized, -captured, -voided);
  const write = (minor: number) => toDecimal(minor, currency);
  return { authorized: write(authorized), captured: write(captured), voided: write(voided), held: write(held) };
}

/** Converts an amount to minor units. The request's schema has checked the amount. */
export function readMinor(amount: string, currency: string): number {
  const read = toMinor(amount, currency);
  return 'minor' in read ? read.minor : 0;
}

/** The fields that all orders about money have in common. */
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

/** The rail of an order: refunds of references belong to PPR, all other orders to GPO. */
export function railOf({ target }: OrderRow): 'gpo' | 'ppr' {
  return target === 'reference' ? 'ppr' : 'gpo';
}

/** Formats a refund. A reference's money came through no terminal, so its PPR entity numbers the refunds. */
function viewRefund(row: OrderRow) {
  const { phone: _, ...money } = viewPurchase(row);
  const terminalId = railOf(row) === 'ppr' ? null : row.terminalId;
  return { ...money, terminalId, refundedTransactionId: row.parentId };
}

const SCAN_STATUSES = { PENDING: 'PENDING', APPROVED: 'ACCEPTED', DECLINED: 'REFUSED' } as const;

/** Formats a scan as in docs/rail.md. */
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

/** Formats a push as its payer sees it, with its purpose and its end. */
export function viewPush(row: OrderRow) {
  const { kind, merchantId, reference, description, expiresAt } = row;
  return { ...viewPurchase(row), kind, merchantId, reference, description, expiresAt: expiresAt.toISOString() };
}
