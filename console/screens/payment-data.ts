// What a payment's screen reads of the API.
import type { Drawn } from '../../shared/console.ts';
import type { ReferenceType } from '../../shared/reference.ts';
import type { RefundAbility, RefundStatus } from '../../shared/refund.ts';
import type { Stated } from '../state.tsx';

export type Payment = {
  internalId: string;
  reference: string;
  entity: string | null;
  amount: number;
  amountPaid: number;
  amountRefunded: number;
  amountAuthorized: number | null;
  amountCaptured: number | null;
  currency: string;
  paymentType: 'GPO' | 'PPR';
  paymentMethod: string;
  operation: string | null;
  authorizationId: string | null;
  createdAt: string;
  completedAt: string | null;
  expiresAt: string | null;
  description: string | null;
  customerEmail: string | null;
  customerName: string | null;
  customerTelephone: string | null;
  documentNumber: string | null;
  customMetadata: object | null;
  failure: { code: string } | null;
  late: boolean;
  maxTransactions: number | null;
  referenceType: ReferenceType | null;
  checkoutUrl: string;
  clientToken: string;
} & Stated;
/** Money that can be given back, and what its account can do about it. */
export type Refundable = {
  transactionId: string;
  amount: number;
  currency: string;
  occurredAt: string;
  byRail: RefundAbility;
};
export type Happening = { id: string; type: string; occurredAt: string; details: { failureCode?: string } };
export type Refund = { id: string; amount: number; currency: string; status: RefundStatus; createdAt: string };
export type Delivery = {
  id: string;
  type: string;
  status: 'Pending' | 'Delivered' | 'Abandoned' | 'Skipped';
  createdAt: string;
};
export type Found = {
  payment: Payment;
  history: { data: Happening[] };
  refunds: { data: Refund[] };
  refundable: { data: Refundable[] } | null;
  merchant: { cashierRefundLimit: number | null };
  callbacks: { data: Delivery[] } | null;
  webhooks: { data: { id: string }[] } | null;
};
/** And the deliveries of each webhook, by `webhook-` and its nth. */
export type Page = Found & Record<`webhook-${number}`, { data: Delivery[] }>;

export type Part = { drawn: Drawn<Page> };
