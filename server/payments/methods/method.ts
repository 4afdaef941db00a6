// What a payment method decides about a payment's life; everything else is the same for all.
import type { PaymentMethod } from '../../../shared/methods.ts';
import type { AttemptKind } from '../entities.ts';
import type { PaymentEvent } from '../states.ts';

export type Method = {
  name: PaymentMethod;
  /**
   * `push`: the phone is asked at creation. `checkout`: the payer comes to the page first. `capture`: an authorization is
   * drawn on at creation. `code`: the rail makes a QR code before the answer. `reference`: the payer goes to an ATM with it.
   */
  start: 'push' | 'checkout' | 'capture' | 'code' | 'reference';
  /** What the payment asks of the rail; null: its rail is told of the reference instead. */
  asks: AttemptKind | null;
  /** What a refusal does to the payment. */
  failedPush: Extract<PaymentEvent, 'reopen' | 'decline'>;
  /** When an unpaid payment ends; null for never. */
  expiresAt(
    createdAt: Date,
    asked: { expiresInMinutes?: number | null | undefined; endDate?: Date | null },
  ): Date | null;
};
