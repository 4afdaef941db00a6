// What a payment method decides about a payment's life; everything else is the same for all.
import type { PaymentMethod } from '../../../shared/methods.ts';
import type { PaymentEvent } from '../states.ts';

export type Method = {
  name: PaymentMethod;
  /** `push`: the phone is asked at creation. `checkout`: the payer comes to the page first. */
  start: 'push' | 'checkout';
  /** What a failed push does to the payment. */
  failedPush: Extract<PaymentEvent, 'reopen' | 'decline'>;
  /** When an unpaid payment ends; null for never. */
  expiresAt(createdAt: Date, minutes: number | null | undefined): Date | null;
};
