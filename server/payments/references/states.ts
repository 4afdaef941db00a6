// The one table of a reference's transitions, and the one function that moves a reference through it.
import type { ReferenceStatus } from '../../../shared/reference.ts';
import type { Db } from '../../database/db.ts';
import { defineStates, type Transition } from '../../events/states.ts';
import { Problem } from '../../http/problem.ts';
import type { Reference } from '../entities.ts';

/** Reference status × event → status (decisions §4). What became of its payment is payments/states.ts's. */
export const REFERENCE_TRANSITIONS = {
  pay: {
    from: ['Pending', 'Canceled', 'Expired'],
    to: 'Paid',
    about: 'a Dynamic reference was paid in full, late money too',
  },
  cancel: { from: ['Pending'], to: 'Canceled', about: 'the merchant withdrew it' },
  expire: { from: ['Pending'], to: 'Expired', about: 'its time is over' },
} as const satisfies Record<string, Transition<ReferenceStatus>>;

export type ReferenceEvent = keyof typeof REFERENCE_TRANSITIONS;

/** What a reference is created with: payable. */
export const FIRST_REFERENCE_STATUS = 'Pending' satisfies ReferenceStatus;

/**
 * Moves a reference, writes its event, and has the rail told of its end at `dueAt`, in the transaction `db`.
 * @throws Problem state_conflict when the event does not apply to the reference's status
 */
export async function transitionReference(
  db: Db,
  reference: Pick<Reference, 'id' | 'merchantId' | 'paymentId' | 'closedAt'>,
  event: ReferenceEvent,
  { at, dueAt, details = {} }: { at: Date; dueAt: Date; details?: Record<string, unknown> },
): Promise<void> {
  const { id, merchantId, paymentId, closedAt } = reference;
  const type = `reference.${REFERENCE_TRANSITIONS[event].to.toLowerCase()}`;
  // Money that came after the end does not move the end.
  const set = closedAt ? {} : { closedAt: at, dueAt };
  const news = { merchantId, paymentId, type, occurredAt: at, details };
  if ((await move(db, { id, event, set, news })) !== 'moved') throw new Problem('state_conflict');
}

const move = defineStates('payment_references', REFERENCE_TRANSITIONS);
