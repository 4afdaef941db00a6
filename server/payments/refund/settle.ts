// Records the outcome of a refund once, in the transaction that holds the lock of its payment.
import { compareMinor } from '../../../shared/money.ts';
import { periodOfRefund } from '../../../shared/refund.ts';
import { prepared, type Db } from '../../database/db.ts';
import { recordEvent } from '../../events/record.ts';
import type { RailOutcome } from '../../providers/provider.ts';
import type { FailureCode } from '../../../shared/status.ts';
import { findCountingShift } from '../../shifts/counting.ts';
import type { Payment } from '../core/entities.ts';
import type { OutcomeContext, Settled } from '../core/record-transaction.ts';
import { addRefunded, changeAttempt } from '../core/rows.ts';
import type { Refund } from './entities.ts';
import { findRefund, settleMoney } from './rows.ts';
import { describeRefund, isHeld, moveRefund } from './states.ts';

type Completion = {
  refund: Refund;
  /** The payment that received the money. The caller has locked it, and its authorization if it has one. */
  payment: Payment;
  given: Pick<RailOutcome, 'providerRef' | 'details'> & { amountMinor?: number };
  /** Details that the refund's event contains. */
  details?: Record<string, unknown>;
  at: Date;
};

/**
 * Adds a refund to the sums of its transaction and payments, and records its event.
 * A refunded sum above the received money raises an alert.
 */
export async function completeRefund(
  db: Db,
  { refund, payment, given, details = {}, at }: Completion,
): Promise<Refund> {
  const { amountMinor = refund.amountMinor, providerRef } = given;
  const late = !isHeld(refund);
  const heldMinor = late ? 0 : refund.amountMinor;
  const money = await settleMoney.one(db, { id: refund.transactionId, heldMinor, givenMinor: amountMinor });
  const ids = [payment.id, ...(payment.authorizationId ? [payment.authorizationId] : [])];
  // A refund in another currency is not added to the payment's sum, like received money in another currency.
  if (refund.currency === payment.currency) await addRefunded.run(db, { ids, amountMinor });
  const period = periodOfRefund({ method: refund.method, details: given.details, completedAt: at }, money);
  const countedShiftId = await findCountingShift(db, refund.shiftId);
  const set = { amountMinor, providerRef, details: given.details, period, late, countedShiftId, failureCode: null };
  await moveRefund(db, refund, 'succeed', { set, details: { ...details, ...(late && { late }) }, at });
  const done: Refund = { ...refund, ...set, status: 'Succeeded', completedAt: at };
  if (compareMinor(money.refundedMinor, money.amountMinor) === 'more') {
    const news = { merchantId: refund.merchantId, paymentId: payment.id, status: 'Succeeded', occurredAt: at };
    await recordEvent(db, { ...news, type: 'refund.excess', details: { ...describeRefund(done), ...details } });
  }
  return done;
}

/** Records a refund that the rail made, with the rail's amount. `late`: it had failed or been canceled before. */
export async function recordRefunded(context: OutcomeContext): Promise<Settled> {
  const { db, payment, attempt, outcome, via, at } = context;
  const refund = await findRefund.one(db, { id: attempt.id });
  if (refund.status === 'Succeeded') return 'unchanged';
  const { providerRef, amountMinor, details } = outcome;
  if (providerRef === null || amountMinor === null) throw new Error('given back without its money');
  await changeAttempt.run(db, {
    id: attempt.id,
    set: { status: 'Approved', providerRef, failureCode: null, resolvedAt: at, dueAt: null },
  });
  await completeRefund(db, { refund, payment, given: { providerRef, amountMinor, details }, details: { via }, at });
  return 'changed';
}

/** True if the rail reports the money of another refund, or another currency. */
export async function isDoubtful({ db, attempt, outcome }: OutcomeContext): Promise<boolean> {
  const { rail, id } = attempt;
  const { providerRef, currency } = outcome;
  const refund = await findRefund.one(db, { id });
  if (refund.currency !== currency) return true;
  return !!providerRef && (await findOther.first(db, { rail, providerRef, id })) !== null;
}

const findOther = prepared((tables, { rail, providerRef, id }: { rail: string; providerRef: string; id: string }) =>
  tables
    .selectFrom('refunds')
    .select('id')
    .where('rail', '=', rail)
    .where('providerRef', '=', providerRef)
    .where('id', '<>', id),
);

/** Records that the rail refused a refund, and releases its reserved amount. */
export async function recordRefundRefused(
  { db, attempt, at }: OutcomeContext,
  failureCode: FailureCode,
  details: Record<string, unknown>,
): Promise<Settled> {
  const refund = await findRefund.one(db, { id: attempt.id });
  if (!isHeld(refund)) return 'unchanged';
  await releaseMoney(db, refund);
  await moveRefund(db, refund, 'fail', { set: { failureCode }, details, at });
  return 'changed';
}

/** Releases the reserved amount of a refund, so that another refund may use it. */
export async function releaseMoney(db: Db, { transactionId, amountMinor }: Refund): Promise<void> {
  await settleMoney.run(db, { id: transactionId, heldMinor: amountMinor, givenMinor: 0 });
}

export async function describeAttempted(db: Db, id: string): Promise<ReturnType<typeof describeRefund>> {
  return describeRefund(await findRefund.one(db, { id }));
}

/** Records that the rail may have the refund. From then on, the merchant cannot cancel the refund. */
export async function recordSent(db: Db, id: string, at: Date): Promise<boolean> {
  const refund = await findRefund.one(db, { id });
  return refund.status === 'Pending' && moveRefund(db, refund, 'send', { at });
}
