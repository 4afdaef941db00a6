// A payment's badge shows its status, or a problem with its money that contradicts the status.
import type { RefundExtent } from '../shared/refund.ts';
import type { AttentionFlag, PaymentStatus } from '../shared/status.ts';
import type { IconName } from './icons.tsx';
import { Badge, textsOf, type AnyScreenProps, type Tone } from './parts.tsx';

const SIGNS: Record<PaymentStatus, [IconName, Tone]> = {
  Pending: ['clock', 'quiet'],
  Processing: ['phone', 'brand'],
  Authorized: ['bank', 'brand'],
  Captured: ['check', 'success'],
  Paid: ['check', 'success'],
  Failed: ['stop', 'danger'],
  Canceled: ['close', 'quiet'],
  Expired: ['clock', 'quiet'],
};

/** The fields that decide a payment's badge. */
export type Stated = { status: PaymentStatus; refundStatus: RefundExtent; attention: AttentionFlag | null };

/** The payment's badge. Overpaid, underpaid or refunded money replaces the status, which would look like success. */
export function State({ page, payment }: { page: AnyScreenProps; payment: Stated }) {
  const { status } = payment;
  const sign = fundsSignOf(payment);
  const [icon, tone] = sign ?? SIGNS[status];
  return <Badge icon={icon} tone={tone} text={textsOf(page)[sign?.[2] ?? (`status.${status}` as const)]} />;
}

type FundsText = 'status.overpaid' | 'status.short' | 'status.amount_mismatch' | 'status.refunded' | 'status.returned';

/** The badge for money that contradicts the payment's status. Null if money and status agree. */
export function fundsSignOf({ status, refundStatus, attention }: Stated): [IconName, Tone, FundsText] | null {
  if (attention === 'overpaid') return ['alert', 'warning', 'status.overpaid'];
  const isWhole = status === 'Paid' || status === 'Authorized' || status === 'Captured';
  if (attention) return ['alert', 'danger', isWhole ? 'status.amount_mismatch' : 'status.short'];
  if (refundStatus === 'full') return ['back', 'quiet', 'status.refunded'];
  return refundStatus === 'partial' ? ['back', 'brand', 'status.returned'] : null;
}
