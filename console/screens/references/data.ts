// What the screens of payment references read of the API.
import type { ReferenceStatus, ReferenceType } from '../../../shared/reference.ts';
import type { RefundExtent } from '../../../shared/refund.ts';
import type { AttentionFlag, PaymentStatus } from '../../../shared/status.ts';
import type { Movements } from '../books/data.ts';

/** Amounts are major units of `currency`. */
export type Reference = {
  /** Of its payment. */
  internalId: string;
  /** Its digits. */
  reference: string;
  entity: string;
  /** 0: the payer chooses. */
  amount: number;
  currency: string;
  referenceType: ReferenceType;
  referenceStatus: ReferenceStatus;
  amountPaid: number;
  amountRefunded: number;
  /** The payment's status. */
  status: PaymentStatus;
  refundStatus: RefundExtent;
  attention: AttentionFlag | null;
  expiresAt: string;
  createdAt: string;
  registeredAt: string | null;
  payableUntil: string | null;
  description: string | null;
  customerEmail: string | null;
  customerName: string | null;
  customerTelephone: string | null;
  documentNumber: string | null;
  checkoutUrl: string;
};

/** The list, or by digits the one of them. */
export type Listed = {
  list: { data: Reference[]; next: string | null; totalItems: number } | null;
  found: Reference | null;
};

export type Details = {
  reference: Reference;
  history: { data: { id: string; type: string; amount: number | null; occurredAt: string }[] };
  movements: Movements;
};

export const REFERENCES = '/console/references';
