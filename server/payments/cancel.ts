// Cancels a payment. A page or QR code is canceled immediately. An authorization is claimed, then voided at the rail.
import type { Core } from '../core.ts';
import { repeatLost } from '../database/unavailable.ts';
import { inTransaction, repeatOnDuplicate } from '../database/orm.ts';
import { type Db } from '../database/db.ts';
import { findStored, finishKey, storeKey, releaseKey, replay, type Keyed } from '../http/idempotency.ts';
import { Problem, type Answer } from '../http/problem.ts';
import type { Payment, RecordedAttempt } from './core/entities.ts';
import { cancelerOf, type Actor } from './core/creator.ts';
import { methodOf, withdrawOffers } from './core/method.ts';
import { findPayment, lockOwn } from './core/rows.ts';
import { submitAttempt } from './core/submit.ts';

export type Cancellation = {
  merchantId: string;
  paymentId: string;
  /** The caller who cancels. */
  caller: Actor;
  keyed: Keyed | null;
  wantsRepresentation: boolean;
};

/** The result of the first transaction of a cancellation: a response, or a void that the node sends to the rail. */
type Step = { answer: Answer | null; order: RecordedAttempt | null };

/**
 * Cancels a payment of the merchant. The response is 200 even while the outcome of the void at the rail is unknown.
 * @throws Problem not_found, payment_not_cancelable, payment_replaced, authorization_busy, idempotency_key_reused,
 *   idempotency_in_progress
 */
export async function cancelPayment(core: Core, input: Cancellation): Promise<Answer> {
  // A concurrent request may commit the same idempotency key. Then the second run finds its stored response.
  const record = () => repeatOnDuplicate(() => inTransaction(core, (db) => recordCancellation(core, db, input)));
  const { answer, order } = await repeatLost(record);
  if (!order) {
    core.changes.publish(`payment:${input.paymentId}`);
    return answer as Answer;
  }
  // The QR code is withdrawn after the response. Money that arrives through the code until then is recorded.
  if (answer) {
    core.changes.publish(`payment:${input.paymentId}`);
    core.inBackground(submitAttempt(core, order));
    return answer;
  }
  await submitAttempt(core, order);
  return finishVoid(core, input);
}

async function recordCancellation(core: Core, db: Db, input: Cancellation): Promise<Step> {
  const { merchantId, paymentId, keyed } = input;
  const payment = await lockOwn.first(db, { id: paymentId, merchantId });
  if (!payment) throw new Problem('not_found');
  const stored = keyed && (await findStored.first(db, { merchantId, key: keyed.key }));
  const now = core.clock.now();
  if (stored) {
    const isOver = stored.status === null && (stored.inFlightUntil ?? now) <= now;
    if (!isOver || stored.fingerprint !== keyed.fingerprint) return { answer: replay(stored, keyed), order: null };
    // The first request crashed. The repeat returns the state of its void, or runs again if it wrote nothing.
    if (payment.operation === 'voiding') return { answer: viewCancellation(payment, input), order: null };
    await releaseKey.run(db, { merchantId, key: keyed.key });
  }
  // The payment that replaced this one is open or paid, so the response "canceled" would be wrong.
  if (payment.status === 'Canceled' && (await isReplacementOpen(db, payment)))
    throw new Problem('payment_replaced', { extra: { replacedBy: payment.replacedById } });
  if (payment.status === 'Canceled') return keep(db, input, payment, now);
  if (payment.operation) throw new Problem('authorization_busy');
  const canceled = await methodOf(payment).cancel?.(core, db, payment, { at: now, by: cancelerOf(input.caller) });
  if (!canceled) throw new Problem('payment_not_cancelable');
  const { attempt, isAwaited } = canceled;
  if (attempt && isAwaited) {
    // The claim, the void attempt and the leased key are committed before the call to the rail.
    await storeKey(db, input, { inFlightUntil: attempt.dueAt as Date, paymentId }, now);
    return { answer: null, order: { payment, attempt } };
  }
  await withdrawOffers(core, db, payment, now);
  const closed = await findPayment.one(db, { id: paymentId });
  const step = await keep(db, input, closed, now);
  return { ...step, order: attempt && { payment: closed, attempt } };
}

async function isReplacementOpen(db: Db, { replacedById }: Payment): Promise<boolean> {
  const replacement = replacedById ? await findPayment.first(db, { id: replacedById }) : null;
  return !!replacement && !['Canceled', 'Expired'].includes(replacement.status);
}

async function keep(db: Db, input: Cancellation, payment: Payment, now: Date): Promise<Step> {
  const answer = viewCancellation(payment, input);
  await storeKey(db, input, answer, now);
  return { answer, order: null };
}

/** Returns the state of the void. If the rail refused the void, the idempotency key is free again. */
async function finishVoid(core: Core, input: Cancellation): Promise<Answer> {
  const { merchantId, paymentId, keyed } = input;
  const payment = await findPayment.one(core, { id: paymentId });
  if (payment.status !== 'Canceled' && payment.operation !== 'voiding') {
    if (keyed) await releaseKey.run(core, { merchantId, key: keyed.key });
    throw new Problem('payment_not_cancelable');
  }
  const answer = viewCancellation(payment, input);
  if (keyed) await finishKey.first(core, { merchantId, key: keyed.key, ...answer });
  return answer;
}

/** Builds the response `{ message }`. With `Prefer: return=representation` it also has the payment's `status`. */
function viewCancellation(payment: Payment, { wantsRepresentation }: Cancellation): { status: number; body: string } {
  const { status, operation } = payment;
  const message =
    operation === 'voiding'
      ? 'The authorization is being canceled; it will be Canceled when the provider has confirmed.'
      : `The payment is ${status}.`;
  return { status: 200, body: JSON.stringify({ message, ...(wantsRepresentation && { status }) }) };
}
