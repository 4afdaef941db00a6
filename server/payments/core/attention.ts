// A payment with too much or too little money needs manual review, until the payment is completed or refunded.
import { sql, type ExpressionBuilder, type SqlBool } from 'kysely';
import { addMinor, multiplyMinor } from '../../../shared/money.ts';
import type { AttentionFlag } from '../../../shared/status.ts';
import type { Tables } from '../../database/db.ts';
import { FLAGGED, type Payment } from './entities.ts';

type Counted = Pick<Payment, 'status' | 'paymentMethod' | 'flags' | 'amountMinor' | 'amountPaidMinor'> &
  Pick<Payment, 'refundedMinor' | 'acceptedCount' | 'maxTransactions'>;

/** Returns the payment's flag that still needs a person's decision, or null. */
export function attentionOf(payment: Counted): AttentionFlag | null {
  const { status, paymentMethod, flags, amountMinor, amountPaidMinor, refundedMinor } = payment;
  if (flags.length === 0) return null;
  const left = leftOf(payment);
  if (flags.includes('overpaid') && (left > 0 || refundedMinor === 0)) return 'overpaid';
  if (!flags.includes('amount_mismatch')) return null;
  if (paymentMethod === 'authorization') return status === 'Authorized' ? 'amount_mismatch' : null;
  // The payment's sums exclude money in another currency.
  const isForeign = status !== 'Paid' && amountPaidMinor === 0;
  return (amountMinor > 0 && left > 0) || isForeign ? 'amount_mismatch' : null;
}

/** Returns the received money that is neither refunded nor part of a complete payment. */
function leftOf({ status, amountMinor, amountPaidMinor, refundedMinor, acceptedCount, maxTransactions }: Counted) {
  const counted = Math.min(acceptedCount, maxTransactions ?? acceptedCount);
  const whole = multiplyMinor(amountMinor, Math.max(status === 'Paid' ? 1 : 0, counted));
  return addMinor(amountPaidMinor, -refundedMinor, -whole);
}

/** The SQL condition that equals `attentionOf`. It uses the index `payments_flagged`. */
export function needsAttention(flag: AttentionFlag) {
  return (eb: ExpressionBuilder<Tables, 'payments'>) => {
    const has = (each: AttentionFlag) => eb(eb.val<string>(each), '=', eb.fn.any('flags'));
    const hasLeft = eb(leftIn(eb), '>', 0);
    const isOverpaid = eb.and([has('overpaid'), eb.or([hasLeft, eb('refundedMinor', '=', 0)])]);
    const isForeign = eb.and([eb('status', '<>', 'Paid'), eb('amountPaidMinor', '=', 0)]);
    const isMismatched = eb
      .case()
      .when('paymentMethod', '=', 'authorization')
      .then(eb('status', '=', 'Authorized'))
      .else(eb.or([eb.and([eb('amountMinor', '>', 0), hasLeft]), isForeign]))
      .end();
    return eb.and([
      sql<SqlBool>`${sql.raw(FLAGGED)}`,
      ...(flag === 'overpaid' ? [isOverpaid] : [has('amount_mismatch'), isMismatched, eb.not(isOverpaid)]),
    ]);
  };
}

/** The SQL expression that equals `leftOf`. */
function leftIn(eb: ExpressionBuilder<Tables, 'payments'>) {
  const { fn } = eb;
  const paidOnce = eb.case().when('status', '=', 'Paid').then(1).else(0).end();
  const counted = fn<number>('least', ['acceptedCount', fn.coalesce('maxTransactions', 'acceptedCount')]);
  const whole = eb('amountMinor', '*', fn<number>('greatest', [paidOnce, counted]));
  return eb(eb('amountPaidMinor', '-', eb.ref('refundedMinor')), '-', whole);
}
