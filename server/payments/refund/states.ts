// The one table of a refund's transitions, and the one function that moves a refund through it.
import type { RefundStatus } from '../../../shared/refund.ts';
import { toDecimal } from '../../../shared/money.ts';
import type { Db } from '../../database/db.ts';
import { defineStates, type Move, type Transition } from '../../events/states.ts';
import { Problem } from '../../http/problem.ts';
import type { Refund } from './entities.ts';

/** Status × event → status. A pair without an entry is refused. */
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

type Described = Pick<Refund, 'id' | 'amountMinor' | 'currency' | 'method'>;

/** The details of a refund in events. `transactionId` there means received money only. */
export function describeRefund({ id, amountMinor, currency, method }: Described) {
  return { refundId: id, amount: toDecimal(amountMinor, currency), currency, method };
}

type Moved = { set?: Move<'refunds', RefundEvent>['set']; details?: Record<string, unknown>; at: Date };

/**
 * Moves a refund and writes its event, in the transaction `db`. False when it is already there: nothing is written.
 * @throws Problem state_conflict when the event does not apply to its status
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
  const news = { merchantId, paymentId, type: `refund.${to.toLowerCase()}`, occurredAt: at, details: about };
  const isOver = to !== 'Processing';
  const result = await move(db, { id, event, set: { ...set, ...(isOver && { completedAt: at }) }, news });
  if (result === 'refused') throw new Problem('state_conflict');
  return result === 'moved';
}

const move = defineStates('refunds', REFUND_TRANSITIONS, 'revision');
