// A purchase as it is stored, and as the wire and the phone show it.

export type PurchaseRow = {
  id: string;
  merchant_id: string;
  terminal_id: string;
  reference: string;
  phone: string;
  amount: string;
  currency: string;
  description: string | null;
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

/** A purchase as the rail writes it (docs/rail.md). */
export function viewPurchase(row: PurchaseRow) {
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
    phone: row.phone,
    createdAt: row.created_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
  };
}

/** A push as its payer sees it: the purchase, what it is for, and until when it can be answered. */
export function viewPush(row: PurchaseRow) {
  const { merchant_id: merchantId, reference, description, expires_at: expiresAt } = row;
  return { ...viewPurchase(row), merchantId, reference, description, expiresAt: expiresAt.toISOString() };
}
