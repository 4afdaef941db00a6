// The one table of a payment's transitions, and the one function that moves a payment through it.
import type { EntityData } from '@mikro-orm/postgresql';
import { isFinal, type PaymentStatus } from '../../shared/status.ts';
import { changeRows, findRow, type Db, type NewRow } from '../database/rows.ts';
import { announce, type Made } from '../events/outbox.ts';
import { eventRow } from '../events/record.ts';
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
  reference: 'Pending',
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
  /** Rows that belong to the change: written if it happens, by its statement. */
  also?: NewRow[];
};

/**
 * Another payment may take the reference then, where each is taken once, unless what took this one's place is in its way
 * (statement.ts); money that comes late does not take it back.
 */
const LETS_GO: ReadonlySet<PaymentStatus> = new Set(['Failed', 'Expired', 'Canceled']);

/**
 * Moves a payment and writes its event, in one statement of the transaction `db`.
 * Returns false when the payment is already there (an idempotent success: nothing is written).
 * @throws Problem state_conflict when the event does not apply to the payment's status
 */
export async function transition(
  db: Db,
  payment: Pick<Payment, 'id' | 'merchantId'>,
  event: PaymentEvent,
  { set = {}, details = {}, at, also = [] }: Change,
): Promise<boolean> {
  const { from, to }: Transition = TRANSITIONS[event];
  const change = {
    ...set,
    status: to,
    ...(isFinal(to) && { completedAt: at }),
    ...(LETS_GO.has(to) && { referenceClaim: null }),
  } as EntityData<Payment>;
  const type = EVENT_TYPES[event] ?? eventTypeOf(to);
  const about = { merchantId: payment.merchantId, paymentId: payment.id };
  const told = eventRow({ ...about, type, status: to, occurredAt: at, details }, 'payment');
  const isSource = { text: 'id = $1 and status = any($2)', values: [payment.id, from] };
  const changes = { set: change, bump: 'revision' } as const;
  const written = { rows: [told.row, ...also], tell: told.tell };
  const [moved] = await changeRows<Payment, Made>(db, Payment, changes, isSource, written);
  if (!moved) {
    const now = await findRow(db, Payment, 'id = $1', [payment.id]);
    if (now?.status === to) return false;
    throw new Problem('state_conflict');
  }
  announce(db, { merchantId: payment.merchantId, ...moved });
  return true;
}

/** A payment as a transition just left it: what is committed with it, without reading it again. */
export function movedBy(payment: Payment, event: PaymentEvent, set: NonNullable<Change['set']>): Payment {
  return { ...payment, ...set, status: TRANSITIONS[event].to, revision: payment.revision + 1 } as Payment;
}
