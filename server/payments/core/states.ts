// The table of a payment's transitions, and the only function that changes a payment's status.
import { isFinal, type PaymentStatus } from '../../../shared/status.ts';
import { countCommitted, counts } from '../../metrics/counts.ts';
import type { Db } from '../../database/db.ts';
import { defineStates, type Transition } from '../../events/states.ts';
import { Problem } from '../../http/problem.ts';
import { describeCanceler, type Canceler } from './creator.ts';
import type { Payment } from './entities.ts';
import type { PaymentChange } from './rows.ts';

/** The status that each event leads to, by the current status. A missing pair is refused. */
export const TRANSITIONS = {
  submit: { from: ['Pending'], to: 'Processing', about: 'a push goes to the payer’s phone' },
  approve: {
    from: ['Pending', 'Processing', 'Failed', 'Expired', 'Canceled'],
    to: 'Paid',
    about: 'the money was received, late money too',
  },
  reserve: {
    from: ['Processing', 'Failed'],
    to: 'Authorized',
    about: 'the money is reserved, by a late approval too',
  },
  capture: {
    from: ['Authorized', 'Expired', 'Canceled'],
    to: 'Captured',
    about: 'a capture took the money, late money too',
  },
  reopen: { from: ['Processing'], to: 'Pending', about: 'the push failed; the payer may try again' },
  decline: { from: ['Processing'], to: 'Failed', about: 'the push failed and there is no second try' },
  fail: { from: ['Pending'], to: 'Failed', about: 'the QR code could not be made' },
  cancel: { from: ['Pending', 'Authorized'], to: 'Canceled', about: 'withdrawn, or the reserved money released' },
  expire: { from: ['Pending', 'Authorized'], to: 'Expired', about: 'no payment or capture arrived in time' },
} as const satisfies Record<string, Transition<PaymentStatus>>;

export type PaymentEvent = keyof typeof TRANSITIONS;

export const FIRST_STATUS = {
  push: 'Processing',
  capture: 'Processing',
  checkout: 'Pending',
  code: 'Pending',
  reference: 'Pending',
} as const satisfies Record<string, PaymentStatus>;

/** Event types by state machine event, if they are not `payment.<status>`. */
const EVENT_TYPES: Partial<Record<PaymentEvent, string>> = { reopen: 'payment.attempt_failed' };

export function eventTypeOf(status: PaymentStatus): string {
  return `payment.${status.toLowerCase()}`;
}

export type PaymentMove = {
  /** Further columns that are set together with the status. */
  set?: PaymentChange;
  /** Details that the payment's event contains. */
  details?: Record<string, unknown>;
  at: Date;
};

/** Statuses that release a unique reference. Money that arrives later does not reserve the reference again. */
const LETS_GO: ReadonlySet<PaymentStatus> = new Set(['Failed', 'Expired', 'Canceled']);

/**
 * Changes the status of a payment and writes its event, in one statement of the transaction `db`.
 * Returns false if the payment has the new status already. Then nothing is written.
 * @throws Problem state_conflict if the event does not apply to the payment's status
 */
export async function transition(
  db: Db,
  payment: Pick<Payment, 'id' | 'merchantId' | 'paymentMethod'>,
  event: PaymentEvent,
  { set = {}, details = {}, at }: PaymentMove,
): Promise<boolean> {
  const { to }: Transition<PaymentStatus> = TRANSITIONS[event];
  const { id, merchantId, paymentMethod } = payment;
  const change = { ...set, ...(isFinal(to) && { completedAt: at }), ...(LETS_GO.has(to) && { referenceClaim: null }) };
  const type = EVENT_TYPES[event] ?? eventTypeOf(to);
  const eventFields = { merchantId, paymentId: id, type, occurredAt: at, details };
  const result = await move(db, { id, event, set: change, eventFields });
  if (result === 'refused') throw new Problem('state_conflict');
  if (result === 'moved') countCommitted(db, () => counts.payments.inc({ method: paymentMethod, status: to }));
  return result === 'moved';
}

const move = defineStates('payments', TRANSITIONS, 'revision');

/** Ends a Pending payment. A QR code that was paid at least once ends as `Paid`. */
export async function closePending(
  db: Db,
  payment: Payment,
  event: Extract<PaymentEvent, 'cancel' | 'expire'>,
  at: Date,
  by: Partial<Canceler> = {},
  cause: { replacedBy?: string; paidBy?: string } = {},
): Promise<void> {
  const isPaid = payment.acceptedCount > 0;
  const details = { ...cause, ...(isPaid && { closedBy: event }), ...describeCanceler(by) };
  await transition(db, payment, isPaid ? 'approve' : event, { set: { dueAt: null, ...by }, details, at });
}

/** Returns the payment after a transition, without another query. */
export function paymentAfter(payment: Payment, event: PaymentEvent, set: Partial<Payment>): Payment {
  return { ...payment, ...set, status: TRANSITIONS[event].to, revision: payment.revision + 1 };
}
