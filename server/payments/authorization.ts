// An authorization: who may draw on what it holds, one at a time; its capture, and its void.
import { addMinor, compareMinor, toDecimal } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import type { Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordEvent } from '../events/record.ts';
import { UUID } from '../http/fields.ts';
import { findStored } from '../http/idempotency.ts';
import { invalid, Problem } from '../http/problem.ts';
import type { Refusal } from './account.ts';
import { Payment } from './entities.ts';
import { findWritten, insertWithin, isAnswerLost, type Creation, type Obstacles } from './insert.ts';
import { HOLD_MS } from './methods.ts';
import { subjectOf, withFlag, type OutcomeContext, type ReceivedFunds, type Settled } from './record-transaction.ts';
import { changeAttempt, changeClaimed, changePayment, findMaker, lockOwn, setPaymentDue } from './rows.ts';
import type { GpoCreation } from './schemas.ts';
import { transition } from './states.ts';

/** Claims an authorization for one attempt: until `releaseClaim` or its outcome nothing else is begun with it (decisions §3). */
export async function claimHold(
  db: Db,
  authorizationId: string,
  operation: NonNullable<Payment['operation']>,
  attemptId: string,
): Promise<void> {
  const set = { operation, operationId: attemptId, dueAt: null };
  await changePayment.run(db, { id: authorizationId, set });
}

const NO_CLAIM = { operation: null, operationId: null } as const;

/** The money is reserved, late too (decisions §3): it can be captured, up to what the rail really holds. */
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
    late,
    flags: withFlag(payment, isExact ? null : 'amount_mismatch'),
  };
  await transition(db, payment, 'reserve', { set, details, at });
  if (!isExact)
    await recordEvent(db, {
      ...subjectOf(payment),
      status: 'Authorized',
      type: 'payment.amount_mismatch',
      occurredAt: at,
      details,
    });
  return 'changed';
}

/** A capture took its money: the authorization is used up, whatever it was taken for before. */
export async function closeCaptured(
  { db, payment, at, via }: OutcomeContext,
  held: Payment,
  money: ReceivedFunds,
): Promise<void> {
  const takenMinor = money.currency === held.currency ? money.amountMinor : 0;
  const capturedMinor = addMinor(held.capturedMinor ?? 0, takenMinor);
  const details = { captureId: payment.id, via, ...(held.status !== 'Authorized' && { late: true }) };
  if (held.status !== 'Captured') {
    const set = { ...NO_CLAIM, capturedMinor, dueAt: null, late: held.late || held.status !== 'Authorized' };
    return void (await transition(db, held, 'capture', { set, details, at }));
  }
  const set = { capturedMinor, flags: withFlag(held, 'overpaid') };
  await changePayment.run(db, { id: held.id, set });
  await recordEvent(db, { ...subjectOf(held), type: 'payment.overpaid', occurredAt: at, details });
}

/** The rail let go: of an authorization's hold, which ends as whoever asked for it meant; or of a QR code. */
export async function recordVoid({ db, payment, attempt, via, at }: OutcomeContext): Promise<Settled> {
  if (attempt.status === 'Approved') return 'unchanged';
  const set = { status: 'Approved', failureCode: null, resolvedAt: at, dueAt: null } as const;
  await changeAttempt.run(db, { id: attempt.id, set });
  if (payment.status !== 'Authorized') return 'unchanged';
  const hasExpired = payment.expiresAt && payment.expiresAt <= attempt.createdAt;
  await transition(db, payment, hasExpired ? 'expire' : 'cancel', {
    set: { ...NO_CLAIM, dueAt: null },
    details: { attemptId: attempt.id, via },
    at,
  });
  return 'changed';
}

/** The rail would not let go: the authorization stands as before. One whose time is over is left to a person. */
export async function recordVoidRefused(context: OutcomeContext, details: Refusal): Promise<Settled> {
  const { db, payment, at } = context;
  const isHeld = payment.status === 'Authorized';
  const hasExpired = isHeld && payment.expiresAt && payment.expiresAt <= at;
  await releaseClaim(context, payment);
  const event = { ...subjectOf(payment), occurredAt: at, details };
  await recordEvent(db, { ...event, type: 'payment.attempt_failed' });
  if (hasExpired) {
    await setPaymentDue.run(db, { id: payment.id, dueAt: null });
    await recordEvent(db, { ...event, type: 'payment.stuck' });
  }
  return 'changed';
}

/** Ends this attempt's claim on an authorization, which may then be captured, canceled, or expire. */
export async function releaseClaim({ db, attemptId }: OutcomeContext, held: Payment): Promise<void> {
  const set = { ...NO_CLAIM, dueAt: held.expiresAt ?? null };
  await changeClaimed.run(db, { id: held.id, operationId: attemptId, set });
}

/**
 * Writes a capture unless its key is found.
 * @throws Problem authorization_not_found, capture_exceeds_authorization, authorization_currency (400),
 * authorization_busy, authorization_not_capturable (409)
 */
export async function insertCapture(core: Core, creation: Creation, request: GpoCreation): Promise<Obstacles> {
  const claim = () => inTransaction(core, (db) => claimAuthorization(db, creation, request));
  try {
    return await claim();
  } catch (error) {
    // The same key was committed meanwhile: the second run finds it.
    if ((error as { code?: string }).code === '23505') return claim();
    if (!isAnswerLost(error)) throw error;
    return findWritten(core, creation, error);
  }
}

async function claimAuthorization(db: Db, creation: Creation, request: GpoCreation): Promise<Obstacles> {
  const { payment, attempt, key } = creation;
  if (!attempt) throw new Error(`capture ${payment.id} asks the rail for nothing`);
  const metadata = request.metadata ?? {};
  const held = await lockAuthorization(db, payment.merchantId, metadata.authorizationId ?? '');
  // Looked for after the lock: what answered this key before may be what used the authorization up.
  const keyed = key && (await findStored(db, payment.merchantId, key.key));
  if (keyed) return { keyed, busyId: null, isTerminalClosed: false, isReferenceTaken: false };
  if (!held || held.paymentMethod !== 'authorization')
    throw invalid([{ pointer: '/metadata/authorizationId', code: 'authorization_not_found' }]);
  if (held.operation) throw new Problem('authorization_busy');
  if (held.status !== 'Authorized') throw new Problem('authorization_not_capturable');
  refuseExcess(payment, held);
  // Money is taken where it was reserved, unless the request says otherwise.
  if (!metadata.gpo_merchant_id) payment.gpoMerchantId = held.gpoMerchantId ?? null;
  if (!metadata.gpo_pos_id) payment.gpoPosId = held.gpoPosId ?? null;
  // Where references are unique a capture may carry on its authorization's.
  if (payment.reference === held.reference) payment.referenceClaim = null;
  // The account that holds the money takes it.
  attempt.rail = (await findMaker(db, held.id, 'authorization')).rail;
  const found = await insertWithin(db, creation);
  // Another request of this key came first, after the look above: what did not become a capture claims nothing.
  if (found.keyed || found.isReferenceTaken) return found;
  await claimHold(db, held.id, 'capturing', attempt.id);
  return found;
}

async function lockAuthorization(db: Db, merchantId: string, id: string): Promise<Payment | null> {
  if (!UUID.test(id)) return null;
  return lockOwn.first(db, { id, merchantId });
}

/** No more than what the rail really reserved. */
function refuseExcess(payment: Payment, held: Payment): void {
  const { currency } = held;
  const authorizedMinor = held.authorizedMinor ?? 0;
  if (payment.currency !== currency)
    throw invalid([{ pointer: '/currency', code: 'authorization_currency', params: { currency } }]);
  if (compareMinor(payment.amountMinor, authorizedMinor) !== 'more') return;
  const params = { authorized: toDecimal(authorizedMinor, currency), currency };
  throw invalid([{ pointer: '/amount', code: 'capture_exceeds_authorization', params }]);
}
