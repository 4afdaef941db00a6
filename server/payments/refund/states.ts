// The table of a refund's transitions, and the only function that changes a refund's status.
import type { RefundStatus } from '../../../shared/refund.ts';
import { toDecimal } from '../../../shared/money.ts';
import type { Db } from '../../database/db.ts';
import { defineStates, type Move, type Transition } from '../../events/states.ts';
import { Problem } from '../../http/problem.ts';
import type { Refund } from './entities.ts';

/** The status that each event leads to, by the refund's status. A missing pair is refused. */
export const REFUND_TRANSITIONS = {
  send: { from: ['Pending'], to: 'Processing', about: 'the rail has it, or may have it' },
  succeed: {
    from: ['Pending', 'Processing', 'Failed', 'Canceled'],
    to: 'Succeeded',
    about: 'the money was given back, late too',
  },
  fail: { from: ['Pending', 'Processing'], to: 'Failed', about: 'the rail refused it; the money stays where it is' },
  cancel: { from: ['Pending'], to: 'Canceled', about: 'withdrawn before the rail got it' },
} as const satisfies Record<string, Transition<RefundStatus>>;

type RefundEvent = keyof typeof REFUND_TRANSITIONS;

/** True while the refund reserves its amount. */
export function isHeld({ status }: Pick<Refund, 'status'>): boolean {
  return status === 'Pending' || status === 'Processing';
}

type Described = Pick<Refund, 'id' | 'amountMinor' | 'currency' | 'method' | 'requestedByKind' | 'requestedById'>;

/** Returns who requested a refund, as the API and the details of events show it. */
export function requesterOf({ requestedByKind, requestedById }: Pick<Refund, 'requestedByKind' | 'requestedById'>) {
  return {
    createdBy: requestedByKind === 'user' ? requestedById : null,
    createdByClient: requestedByKind === 'client' ? requestedById : null,
  };
}

/** Returns the fields of a refund in event details. They omit `transactionId`, which in events means received money. */
export function describeRefund({ id, amountMinor, currency, method, ...refund }: Described) {
  const { createdBy } = requesterOf(refund);
  return { refundId: id, amount: toDecimal(amountMinor, currency), currency, method, ...(createdBy && { createdBy }) };
}

type Moved = { set?: Move<'refunds', RefundEvent>['set']; details?: Record<string, unknown>; at: Date };

/**
 * Changes a refund's status and writes its event, in the transaction `db`.
 * Returns false if the refund has the new status already. Then nothing is written.
 * @throws Problem state_conflict if the event does not apply to the refund's status
 */
export async function moveRefund(
  db: Db,
  refund: Refund,
  event: RefundEvent,
  { set = {}, details = {}, at }: Moved,
): Promise<boolean> {
  const { to } = REFUND_TRANSITIONS[event];
  const { id, merchantId, paymentId } = refund;
  const about = { ...describeRefund({ ...refund, ...set } as Refund), ...details };
  const eventFields = { merchantId, paymentId, type: `refund.${to.toLowerCase()}`, occurredAt: at, details: about };
  const isOver = to !== 'Processing';
  const result = await move(db, { id, event, set: { ...set, ...(isOver && { completedAt: at }) }, eventFields });
  if (result === 'refused') throw new Problem('state_conflict');
  return result === 'moved';
}

const move = defineStates('refunds', REFUND_TRANSITIONS, 'revision');
