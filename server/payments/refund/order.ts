// A refund at the rail that took the money: the order, its query, and the decision to send it again.
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import { makeUnknown, UNKNOWN_OUTCOME } from '../../providers/rail-call.ts';
import type { Charge, RailOutcome } from '../../providers/provider.ts';
import { gpoIdsOf, notifyUrlOf } from '../core/account.ts';
import type { Attempt, AttemptSnapshot, RecordedAttempt } from '../core/entities.ts';
import { notFoundFinalAt } from '../core/schedule.ts';
import { findAttempt, findByPayment } from '../core/rows.ts';
import { refundsOf } from './allow.ts';
import type { Refund } from './entities.ts';
import { findRefund, findTransactionById } from './rows.ts';

export async function sendRefund(core: Core, { payment, attempt }: RecordedAttempt): Promise<RailOutcome> {
  const rail = await core.rails.refunds(attempt.rail);
  const { gpoMerchantId } = gpoIdsOf(payment);
  const refund = await findRefund.one(core, { id: attempt.id });
  const { amountMinor, currency, reason: description = null } = refund;
  const [charge, notifyUrl] = [await findCharge(core, refund), await notifyUrlOf(core, attempt)];
  return rail.refund({ attemptId: attempt.id, gpoMerchantId, charge, amountMinor, currency, description, notifyUrl });
}

export async function queryRefund(
  core: Core,
  { id: attemptId, rail, railOrderId = null, sentAt }: Pick<Attempt, 'id' | 'rail' | 'railOrderId' | 'sentAt'>,
): Promise<RailOutcome> {
  const refund = await findRefund.one(core, { id: attemptId });
  const { amountMinor, currency } = refund;
  const charge = await findCharge(core, refund);
  const client = await core.rails.refunds(rail);
  return client.queryRefund({ attemptId, railOrderId, sentAt, charge, amountMinor, currency });
}

/** Returns how the rail identifies the money: by an order or by a reference. */
async function findCharge(db: Db, { transactionId }: Pick<Refund, 'transactionId'>): Promise<Charge> {
  const money = await findTransactionById.one(db, { id: transactionId });
  const { providerRef, amountMinor, paymentId, attemptId } = money;
  const maker = attemptId ? await findAttempt.first(db, { id: attemptId }) : null;
  if (maker) {
    const kind = maker.kind as Charge['kind'];
    return { kind, id: maker.id, railOrderId: maker.railOrderId ?? null, providerRef, amountMinor };
  }
  const { id } = await findByPayment.one(db, { paymentId });
  return { kind: 'reference', id, railOrderId: null, providerRef, amountMinor };
}

/** Queries the rail about a due refund. `isMissing`: the order may be sent (again) under its id. */
export async function queryDueRefund(
  core: Core,
  attempt: AttemptSnapshot & Pick<Attempt, 'id' | 'rail' | 'railOrderId'>,
): Promise<{ outcome: RailOutcome; isMissing: boolean }> {
  const can = refundsOf(await core.rails.find(attempt.rail));
  // No call made a connection, so the rail knows nothing about the refund.
  const isUnreached = attempt.status === 'Unreached';
  const outcome = isUnreached ? NOT_FOUND : await queryRefund(core, attempt);
  if (outcome.result !== 'not_found') return { outcome, isMissing: false };
  if (isUnreached || can?.refundRepeat) return { outcome, isMissing: true };
  // The account accepts no repeat, so "not found" is final once the only call has ended.
  const isSure = core.clock.now() >= notFoundFinalAt(core.config, attempt);
  return { outcome: isSure ? NEVER_CAME : makeUnknown('not_found_yet'), isMissing: false };
}

const NOT_FOUND: RailOutcome = { ...UNKNOWN_OUTCOME, result: 'not_found' };
const NEVER_CAME: RailOutcome = { ...UNKNOWN_OUTCOME, result: 'declined', failureCode: 'rail_unavailable' };
