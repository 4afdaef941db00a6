// What the screens of the books read of the API.
import type { MovementType, SettlementStatus } from '../../../shared/books.ts';
import type { RefundMethod, RefundStatus } from '../../../shared/refund.ts';

/** Amounts are major units of `currency`, as everywhere here. */
export type Settlement = {
  id: string;
  account: Account;
  clearingPeriod: string;
  /** `2026-11-30`. */
  day: string;
  currency: string;
  status: SettlementStatus;
  closedAt: string | null;
  taken: number;
  fees: number;
  refunded: number;
  refundedByHand: number;
  expectedCredit: number;
  count: number;
  credited: number;
  difference: number;
  changedAfterClose: { count: number; expectedCreditAtClose: number } | null;
  reconciledAt: string | null;
  differenceCount: number;
};
export type Account = { id: string; label: string };

export type SettlementDetails = Settlement & {
  credits: {
    id: string;
    amount: number;
    date: string;
    bankReference: string | null;
    source: 'hand' | 'file';
  }[];
  reasons: {
    code: 'next_period' | 'refund' | 'fee' | 'not_at_rail' | 'not_here';
    movementId: string | null;
    paymentId: string | null;
    clearingPeriod: string | null;
  }[];
  differences: {
    kind: 'missing_here' | 'missing_there' | 'amount' | 'unreadable';
    providerRef: string | null;
    amount: number | null;
    ourAmount: number | null;
    paymentId: string | null;
  }[];
  movements: Movements;
};

export type Movement = {
  id: string;
  type: MovementType;
  paymentId: string;
  reference: string;
  account: Account;
  clearingPeriod: string;
  gross: number;
  fee: number | null;
  net: number;
  currency: string;
  occurredAt: string;
  late: boolean;
};
export type Movements = { data: Movement[]; next: string | null };

export type Refund = {
  id: string;
  paymentId: string;
  amount: number;
  currency: string;
  status: RefundStatus;
  method: RefundMethod;
  reason: string | null;
  reference: string | null;
  proof: string | null;
  failureCode: string | null;
  late: boolean;
  transactionNumber: string | null;
  clearingPeriod: string | null;
  createdAt: string;
  completedAt: string | null;
};
