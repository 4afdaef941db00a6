// Chooses the transaction and the amount of a refund, or refuses the request with the reason.
import { dayOf } from '../../../shared/luanda.ts';
import { addMinor, compareMinor, minimumMinor, toDecimal, toMinor } from '../../../shared/money.ts';
import type { Db } from '../../database/db.ts';
import { invalidFields, Problem } from '../../http/problem.ts';
import type { Payment, Transaction } from '../core/entities.ts';
import { listTransactions, findReferenceOf } from '../core/rows.ts';
import type { RefundRequest } from './schemas.ts';

/**
 * Returns the transaction to refund: the named one, or the only one of the payment.
 * The money of an authorization is the money of its captures.
 * @param locked the payment and, for an authorization, its captures
 * @throws Problem payment_not_paid; 400 at /transactionId
 */
export async function chooseMoney(
  db: Db,
  payment: Payment,
  locked: Payment[],
  { transactionId }: Pick<RefundRequest, 'transactionId'>,
): Promise<Transaction> {
  const holders = payment.paymentMethod === 'authorization' ? locked.filter(({ id }) => id !== payment.id) : [payment];
  const found: Transaction[] = [];
  for (const { id } of holders) found.push(...(await listTransactions.all(db, { paymentId: id })));
  const [first] = found;
  if (!first) throw new Problem('payment_not_paid');
  if (transactionId) {
    const named = found.find(({ id }) => id === transactionId.toLowerCase());
    if (!named) throw invalidFields([{ pointer: '/transactionId', code: 'unknown_transaction' }]);
    return named;
  }
  if (found.length > 1 || (await isPaidOften(db, payment)))
    throw invalidFields([{ pointer: '/transactionId', code: 'transaction_required' }]);
  return first;
}

/** True for a QR code or Charging reference. Many payers may pay it, so a refund must name the transaction. */
async function isPaidOften(db: Db, payment: Payment): Promise<boolean> {
  if (payment.paymentMethod === 'qrcode') return true;
  return (await findReferenceOf(db, payment))?.type === 'Charging';
}

export type Refundable = Pick<
  Transaction,
  'id' | 'rail' | 'amountMinor' | 'currency' | 'refundedMinor' | 'refundingMinor'
>;

/** Returns the amount of a transaction that is neither refunded nor reserved by a running refund. */
export function leftOf({ amountMinor, refundedMinor, refundingMinor }: Refundable): number {
  return addMinor(amountMinor, -refundedMinor, -refundingMinor);
}

/** Returns the amount to refund. Default: everything that is left. @throws Problem nothing_to_refund; 400 at /amount */
export function readAmount({ amount }: Pick<RefundRequest, 'amount'>, money: Refundable): number {
  const { currency } = money;
  const leftMinor = leftOf(money);
  if (leftMinor <= 0) throw new Problem('nothing_to_refund');
  if (amount == null) return leftMinor;
  const read = toMinor(amount, currency);
  const minimum = minimumMinor(currency);
  const params = { left: toDecimal(leftMinor, currency), currency, minimum: toDecimal(minimum, currency) };
  if ('fault' in read)
    throw invalidFields([{ pointer: '/amount', code: read.fault, params: { ...params, digits: 2 } }]);
  if (read.minor < minimum) throw invalidFields([{ pointer: '/amount', code: 'amount_out_of_range', params }]);
  if (compareMinor(read.minor, leftMinor) === 'more')
    throw invalidFields([{ pointer: '/amount', code: 'refund_exceeds', params }]);
  return read.minor;
}

/**
 * Returns the day in Luanda on which the merchant returned the money. Default: today.
 * @throws Problem 400 at /refundedOn for a day before the money arrived, or in the future
 */
export function readRefundDay(
  { refundedOn }: Pick<RefundRequest, 'refundedOn'>,
  { occurredAt }: Pick<Transaction, 'occurredAt'>,
  now: Date,
): string {
  const [from, to] = [dayOf(occurredAt), dayOf(now)];
  if (!refundedOn) return to;
  if (refundedOn < from || refundedOn > to)
    throw invalidFields([{ pointer: '/refundedOn', code: 'refund_day', params: { from, to } }]);
  return refundedOn;
}
