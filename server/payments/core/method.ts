// How each payment method starts, what it asks of the rail, what a refusal does, and when it ends.
import type { PaymentMethod } from '../../../shared/methods.ts';
import type { AttemptKind } from './entities.ts';
import type { PaymentEvent } from './states.ts';

type Method = {
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
  expiresAt(createdAt: Date, asked: AskedEnd): Date | null;
};

type AskedEnd = { expiresInMinutes?: number | null | undefined; endDate?: Date | null };

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PAGE_MINUTES = 30;

/** An authorization that nobody captures is voided at the rail after this time (decisions §3). */
export const HOLD_MS = 7 * DAY_MS;

const after = (at: Date, ms: number) => new Date(at.getTime() + ms);
const never = () => null;

const METHODS: Record<PaymentMethod, Omit<Method, 'name'>> = {
  // The payer opens the hosted page and gives a phone; a refused push may be tried again until the page expires.
  webframe: {
    start: 'checkout',
    asks: 'purchase',
    failedPush: 'reopen',
    expiresAt: (at, { expiresInMinutes }) => after(at, (expiresInMinutes ?? PAGE_MINUTES) * MINUTE_MS),
  },
  // The merchant gives the phone and the push goes out at creation; one push, one outcome.
  onetimepurchase: { start: 'push', asks: 'purchase', failedPush: 'decline', expiresAt: never },
  // The same, but the money is only reserved: its end is set with it.
  authorization: { start: 'push', asks: 'authorization', failedPush: 'decline', expiresAt: never },
  // A payment of its own that takes what an authorization reserved, or less of it.
  capture: { start: 'capture', asks: 'capture', failedPush: 'decline', expiresAt: never },
  // The rail makes a code, which may be paid once or many times until its end date.
  qrcode: {
    start: 'code',
    asks: 'qrcode',
    failedPush: 'decline',
    expiresAt: (at, { endDate }) => endDate ?? after(at, DAY_MS),
  },
  // The payer goes to an ATM, the app or internet banking with an entity and a reference, whose time it is.
  reference: { start: 'reference', asks: null, failedPush: 'decline', expiresAt: never },
};

export function methodOf({ paymentMethod }: { paymentMethod: PaymentMethod }): Method {
  return { name: paymentMethod, ...METHODS[paymentMethod] };
}
