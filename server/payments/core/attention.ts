// Odd money is too much, too little, late, or in a canceled payment.
// The merchant has to decide about it, until it is refunded, the missing rest arrives, or a person writes a note.
import { sql, type ExpressionBuilder, type SqlBool } from 'kysely';
import { addMinor, multiplyMinor } from '../../../shared/money.ts';
import { refundExtentOf, type RefundExtent } from '../../../shared/refund.ts';
import { standingOf, type Standing } from '../../../shared/standing.ts';
import type { AttentionFlag } from '../../../shared/status.ts';
import type { Tables } from '../../database/db.ts';
import { FLAGGED, type Payment } from './entities.ts';

/** The columns that decide about a payment's attention and standing. */
export const MONEY_COLUMNS = [
  'status',
  'paymentMethod',
  'failureCode',
  'flags',
  'late',
  'lateAfter',
  'resolvedAt',
  'amountMinor',
  'amountPaidMinor',
  'capturedMinor',
  'refundedMinor',
  'acceptedCount',
  'maxTransactions',
] as const satisfies (keyof Payment)[];

export type Counted = Pick<Payment, (typeof MONEY_COLUMNS)[number]>;

/** Returns the kind of the payment's odd money that still needs a person, or null. */
export function attentionOf(payment: Counted): AttentionFlag | null {
  return payment.resolvedAt ? null : oddityOf(payment);
}

/** Returns the kind of the payment's odd money, even if a person has resolved it. */
function oddityOf(payment: Counted): AttentionFlag | null {
  const { status, flags, refundedMinor, lateAfter } = payment;
  if (flags.includes('overpaid') && (leftOf(payment) > 0 || refundedMinor === 0)) return 'overpaid';
  const [mismatched, late] = [isMismatched(payment), hasLateMoney(payment)];
  if ((mismatched && status === 'Canceled') || (late && lateAfter === 'Canceled')) return 'canceled_with_money';
  if (mismatched) return 'amount_mismatch';
  return late ? 'late_money' : null;
}

function isMismatched(payment: Counted): boolean {
  const { status, paymentMethod, flags, amountMinor, amountPaidMinor } = payment;
  if (!flags.includes('amount_mismatch')) return false;
  if (paymentMethod === 'authorization') return status === 'Authorized';
  // The payment's sums exclude money in another currency.
  const isForeign = status !== 'Paid' && amountPaidMinor === 0;
  return (amountMinor > 0 && leftOf(payment) > 0) || isForeign;
}

/** True if the payment has late money that is not refunded, or a late reservation. */
function hasLateMoney(payment: Counted): boolean {
  return payment.late && (payment.status === 'Authorized' || takenOf(payment) > payment.refundedMinor);
}

/** Returns the received money of a payment. For an authorization, this is the captured money. */
function takenOf({ paymentMethod, capturedMinor, amountPaidMinor }: Counted): number {
  return paymentMethod === 'authorization' ? (capturedMinor ?? 0) : amountPaidMinor;
}

/** Returns the received money that is neither refunded nor part of a complete payment. */
function leftOf({ status, amountMinor, amountPaidMinor, refundedMinor, acceptedCount, maxTransactions }: Counted) {
  const counted = Math.min(acceptedCount, maxTransactions ?? acceptedCount);
  const whole = multiplyMinor(amountMinor, Math.max(status === 'Paid' ? 1 : 0, counted));
  return addMinor(amountPaidMinor, -refundedMinor, -whole);
}

/** The SQL condition that equals `attentionOf`. It uses the indexes `payments_flagged` and `payments_late`. */
export function needsAttention(flag: AttentionFlag) {
  return (eb: ExpressionBuilder<Tables, 'payments'>) => {
    const is = conditions(eb);
    const isOpen = eb('resolvedAt', 'is', null);
    const isOther = (...kinds: (typeof is.overpaid)[]) => kinds.map((kind) => eb.not(kind));
    const parts = {
      overpaid: [is.flagged, is.overpaid],
      canceled_with_money: [is.canceled, ...isOther(is.overpaid)],
      amount_mismatch: [is.flagged, is.mismatched, ...isOther(is.overpaid, is.canceled)],
      late_money: [is.late, ...isOther(is.overpaid, is.canceled, is.mismatched)],
    }[flag];
    return eb.and([isOpen, ...parts]);
  };
}

/** The SQL conditions of `oddityOf`. Each condition is true or false, never null. */
function conditions(eb: ExpressionBuilder<Tables, 'payments'>) {
  const has = (each: AttentionFlag) => eb(eb.val<string>(each), '=', eb.fn.any('flags'));
  const flagged = sql<SqlBool>`${sql.raw(FLAGGED)}`;
  const hasLeft = eb(leftIn(eb), '>', 0);
  const overpaid = eb.and([has('overpaid'), eb.or([hasLeft, eb('refundedMinor', '=', 0)])]);
  const isForeign = eb.and([eb('status', '<>', 'Paid'), eb('amountPaidMinor', '=', 0)]);
  const differs = eb
    .case()
    .when('paymentMethod', '=', 'authorization')
    .then(eb('status', '=', 'Authorized'))
    .else(eb.or([eb.and([eb('amountMinor', '>', 0), hasLeft]), isForeign]))
    .end();
  const mismatched = eb.and([has('amount_mismatch'), differs]);
  const isAuthorized = eb('status', '=', 'Authorized');
  const late = eb.and([eb.ref('late'), eb.or([isAuthorized, eb(takenIn(eb), '>', eb.ref('refundedMinor'))])]);
  const canceled = eb.or([
    eb.and([flagged, mismatched, eb('status', '=', 'Canceled')]),
    eb.and([late, eb('lateAfter', 'is not distinct from', 'Canceled')]),
  ]);
  return { flagged, overpaid, mismatched, late, canceled };
}

/** The SQL expression that equals `takenOf`. */
function takenIn(eb: ExpressionBuilder<Tables, 'payments'>) {
  const captured = eb.fn.coalesce('capturedMinor', eb.lit(0));
  return eb.case().when('paymentMethod', '=', 'authorization').then(captured).else(eb.ref('amountPaidMinor')).end();
}

/** The SQL expression that equals `leftOf`. */
function leftIn(eb: ExpressionBuilder<Tables, 'payments'>) {
  const { fn } = eb;
  const paidOnce = eb.case().when('status', '=', 'Paid').then(1).else(0).end();
  const counted = fn<number>('least', ['acceptedCount', fn.coalesce('maxTransactions', 'acceptedCount')]);
  const whole = eb('amountMinor', '*', fn<number>('greatest', [paidOnce, counted]));
  return eb(eb('amountPaidMinor', '-', eb.ref('refundedMinor')), '-', whole);
}

/** The fields about a payment's money in every view of a payment. */
export function viewMoney(payment: Counted): {
  refundStatus: RefundExtent;
  attention: AttentionFlag | null;
  standing: Standing;
} {
  const { status, failureCode, amountPaidMinor, refundedMinor } = payment;
  const refundStatus = refundExtentOf(takenOf(payment), refundedMinor);
  const about = { status, failureCode, refundStatus, oddity: oddityOf(payment) };
  const standing = standingOf({
    ...about,
    isResolved: !!payment.resolvedAt,
    isWithoutMoney: amountPaidMinor === 0,
  });
  return { refundStatus, attention: attentionOf(payment), standing };
}

type NewlyOdd = { late?: boolean; flag: AttentionFlag | null } | { late: boolean; flag?: AttentionFlag | null };

/** Returns the columns that record odd money. A payment with newer odd money needs a person again. */
export function oddColumns(
  payment: Pick<Payment, 'status' | 'flags' | 'late'>,
  { late = false, flag = null }: NewlyOdd,
) {
  return {
    flags: addFlag(payment, flag),
    late: payment.late || late,
    ...(late && { lateAfter: payment.status }),
    ...((late || flag) && { resolvedAt: null }),
  };
}

export function addFlag({ flags }: Pick<Payment, 'flags'>, flag: string | null): string[] {
  return flag ? [...new Set([...flags, flag])] : flags;
}
