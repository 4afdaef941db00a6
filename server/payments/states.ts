// The one table of a payment's transitions, and the one function that moves a payment through it.
import type { EntityData } from '@mikro-orm/postgresql';
import { isFinal, type PaymentStatus } from '../../shared/status.ts';
import { findRow, updateRows, type Db } from '../database/rows.ts';
import { recordEvent } from '../events/record.ts';
import { Problem } from '../http/problem.ts';
import { Payment } from './entities.ts';

type Transition = { from: readonly PaymentStatus[]; to: PaymentStatus; about: string };

/** Status × event → status (decisions §3). A pair that is not here does not happen. */
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
  expire: { from: ['Pending', 'Authorized'], to: 'Expired', about: 'nobody paid, or captured, in time' },
} as const satisfies Record<string, Transition>;

export type PaymentEvent = keyof typeof TRANSITIONS;

/** The status a payment is created with: money moves at once, or the payer comes first. */
export const FIRST_STATUS = {
  push: 'Processing',
  capture: 'Processing',
  checkout: 'Pending',
  code: 'Pending',
} as const satisfies Record<string, PaymentStatus>;

/** Event types by the status they end in, where they are not `payment.<status>`. */
const EVENT_TYPES: Partial<Record<PaymentEvent, string>> = { reopen: 'payment.attempt_failed' };

export function eventTypeOf(status: PaymentStatus): string {
  return `payment.${status.toLowerCase()}`;
}

export type Change = {
  /** Columns set together with the status. */
  set?: Omit<EntityData<Payment>, 'id' | 'status' | 'revision'>;
  /** Goes into the event. */
  details?: Record<string, unknown>;
  at: Date;
};

/**
 * Moves a payment and writes its event, in the transaction `db`.
 * Returns false when the payment is already there (an idempotent success: nothing is written).
 * @throws Problem state_conflict when the event does not apply to the payment's status
 */
export async function transition(
  db: Db,
  payment: Pick<Payment, 'id' | 'merchantId'>,
  event: PaymentEvent,
  { set = {}, details = {}, at }: Change,
): Promise<boolean> {
  const { from, to }: Transition = TRANSITIONS[event];
  const change = { ...set, status: to, ...(isFinal(to) && { completedAt: at }) } as EntityData<Payment>;
  const moved = await updateRows(db, Payment, { set: change, bump: 'revision' }, 'id = $1 and status = any($2)', [
    payment.id,
    from,
  ]);
  if (moved === 0) {
    const now = await findRow(db, Payment, 'id = $1', [payment.id]);
    if (now?.status === to) return false;
    throw new Problem('state_conflict');
  }
  const type = EVENT_TYPES[event] ?? eventTypeOf(to);
  await recordEvent(db, {
    merchantId: payment.merchantId,
    paymentId: payment.id,
    type,
    status: to,
    occurredAt: at,
    details,
  });
  return true;
}
