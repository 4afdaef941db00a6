// Authorizations: the claim of one operation at a time, and the outcomes of hold, capture and void.
import { addMinor } from '../../../shared/money.ts';
import type { Db } from '../../database/db.ts';
import { recordEvent } from '../../events/record.ts';
import { oddColumns } from '../core/attention.ts';
import { describeCanceler, type Canceler } from '../core/creator.ts';
import { Payment } from '../core/entities.ts';
import { subjectOf, type OutcomeContext, type ReceivedFunds, type Settled } from '../core/record-transaction.ts';
import { changeAttempt, changeClaimed, changePayment, setPaymentDue } from '../core/rows.ts';
import { transition } from '../core/states.ts';
import { DAY_MS } from '../../../shared/durations.ts';

/** An authorization without a capture is voided at the rail after this time. */
const HOLD_MS = 7 * DAY_MS;

/**
 * Claims an authorization for one attempt, until `releaseClaim` or the attempt's outcome.
 * While the claim lasts, no other attempt can use the authorization.
 * @param by the caller whose cancellation voids the authorization
 */
export async function claimHold(
  db: Db,
  authorizationId: string,
  operation: NonNullable<Payment['operation']>,
  attemptId: string,
  by: Partial<Canceler> = {},
): Promise<void> {
  const set = { operation, operationId: attemptId, dueAt: null, ...by };
  await changePayment.run(db, { id: authorizationId, set });
}

const NO_CLAIM = { operation: null, operationId: null } as const;

/** Records a reservation, even a late one. Captures may take up to the sum that the rail reserved. */
export async function recordHold({ db, payment, attempt, outcome, via, at }: OutcomeContext): Promise<Settled> {
  if (attempt.status === 'Approved') return 'unchanged';
  const late = payment.status === 'Failed';
  const authorizedMinor = outcome.currency === payment.currency ? (outcome.amountMinor ?? 0) : 0;
  const isExact = authorizedMinor === payment.amountMinor;
  const expiresAt = new Date(at.getTime() + HOLD_MS);
  const details = { attemptId: attempt.id, via, ...(late && { late }) };
  const approved = { status: 'Approved', providerRef: outcome.providerRef, failureCode: null } as const;
  await changeAttempt.run(db, { id: attempt.id, set: { ...approved, resolvedAt: at, dueAt: null } });
  const set = {
    authorizedMinor,
    expiresAt,
    dueAt: expiresAt,
    completedAt: null,
    failureCode: null,
    ...oddColumns(payment, { late, flag: isExact ? null : 'amount_mismatch' }),
  };
  await transition(db, payment, 'reserve', { set, details, at });
  const about = { ...subjectOf(payment), status: 'Authorized', occurredAt: at, details };
  if (!isExact) await recordEvent(db, { ...about, type: 'payment.amount_mismatch' });
  return 'changed';
}

/** Records that a capture took the money, in every status of the authorization. */
export async function closeCaptured(
  { db, payment, at, via }: OutcomeContext,
  held: Payment,
  money: ReceivedFunds,
): Promise<void> {
  const takenMinor = money.currency === held.currency ? money.amountMinor : 0;
  const capturedMinor = addMinor(held.capturedMinor ?? 0, takenMinor);
  const details = { captureId: payment.id, via, ...(held.status !== 'Authorized' && { late: true }) };
  if (held.status !== 'Captured') {
    const odd = oddColumns(held, { late: held.status !== 'Authorized' });
    const set = { ...NO_CLAIM, capturedMinor, dueAt: null, ...odd };
    return void (await transition(db, held, 'capture', { set, details, at }));
  }
  const set = { capturedMinor, ...oddColumns(held, { flag: 'overpaid' }) };
  await changePayment.run(db, { id: held.id, set });
  await recordEvent(db, { ...subjectOf(held), type: 'payment.overpaid', occurredAt: at, details });
}

/**
 * Ends an authorization whose hold the rail released. It is expired if its time had passed at the void, else canceled.
 */
export async function recordVoided({ db, payment, attempt, via, at }: OutcomeContext): Promise<boolean> {
  if (payment.status !== 'Authorized') return false;
  const hasExpired = payment.expiresAt && payment.expiresAt <= attempt.createdAt;
  const details = { attemptId: attempt.id, via, ...describeCanceler(payment) };
  const set = { ...NO_CLAIM, dueAt: null };
  await transition(db, payment, hasExpired ? 'expire' : 'cancel', { set, details, at });
  return true;
}

/** Records a refused void: the authorization stays open. After its expiry, it needs manual review. */
export async function recordVoidRefused(context: OutcomeContext): Promise<boolean> {
  const { db, payment, at } = context;
  const hasExpired = payment.status === 'Authorized' && payment.expiresAt && payment.expiresAt <= at;
  await releaseClaim(context, payment);
  if (hasExpired) await setPaymentDue.run(db, { id: payment.id, dueAt: null });
  return !!hasExpired;
}

/** Releases an attempt's claim on an authorization, which may then be captured, canceled or expire. */
export async function releaseClaim({ db, attemptId }: OutcomeContext, held: Payment): Promise<void> {
  const set = { ...NO_CLAIM, canceledByKind: null, canceledById: null, dueAt: held.expiresAt ?? null };
  await changeClaimed.run(db, { id: held.id, operationId: attemptId, set });
}
