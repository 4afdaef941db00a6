// The one door for outcomes: answer, notification, poll and sync all enter here, in any order and any number of times.
import { LockMode, raw, type EntityData, type EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import { addMinor, compareMinor } from '../../shared/money.ts';
import { isFinal } from '../../shared/status.ts';
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import { recordEvent } from '../events/record.ts';
import type { PurchaseOutcome } from '../providers/provider.ts';
import { Attempt, Payment, Transaction } from './entities.ts';
import { methodOf } from './methods/registry.ts';
import { nextPollAt, NOT_FOUND_IS_SURE_MS } from './polling.ts';
import { transition } from './states.ts';

export type Via = 'answer' | 'notification' | 'poll' | 'sync';

/** `unmatched`: no attempt of ours. `changed`: something was written that others should see. */
export type Settled = 'changed' | 'unchanged' | 'unmatched';

/**
 * Records what the rail says of an attempt: money, refusal, or when to ask again; one transaction for all of it.
 * Repeats change nothing.
 */
export async function settleAttempt(
  core: Core,
  attemptId: string,
  outcome: PurchaseOutcome,
  via: Via,
): Promise<Settled> {
  let paymentId = '';
  const settled = await inTransaction(core.orm, async (em): Promise<Settled> => {
    const known = await em.findOne(Attempt, attemptId, { fields: ['payment'], disableIdentityMap: true });
    if (!known) return 'unmatched';
    paymentId = known.payment.id;
    const plain = { lockMode: LockMode.PESSIMISTIC_WRITE, disableIdentityMap: true } as const;
    const payment = await em.findOneOrFail(Payment, paymentId, plain);
    const attempt = await em.findOneOrFail(Attempt, attemptId, { disableIdentityMap: true });
    const at = core.clock.now();
    const context = { em, payment, attempt, outcome, via, at };
    if (outcome.result === 'approved') return recordMoney(context);
    if (isResolved(attempt)) return 'unchanged';
    if (outcome.result === 'declined') return recordFailedPush(context, outcome.failureCode ?? 'issuer_refused');
    return recordNoOutcome(core, context);
  });
  if (settled === 'changed') core.changes.publish(`payment:${paymentId}`);
  return settled;
}

type Context = { em: EntityManager; payment: Payment; attempt: Attempt; outcome: PurchaseOutcome; via: Via; at: Date };

function isResolved(attempt: Attempt): boolean {
  return attempt.status === 'Approved' || attempt.status === 'Declined';
}

/** Received money is never hidden: what was really taken is recorded once, whatever the payment's status (decisions §3). */
async function recordMoney({ em, payment, attempt, outcome, via, at }: Context): Promise<Settled> {
  const { providerRef, amountMinor, currency } = outcome;
  // Translators answer `unknown` for money they cannot read; an amount is never guessed.
  if (providerRef === null || amountMinor === null || currency === null) throw new Error('approved without its money');
  const late = isFinal(payment.status) && payment.status !== 'Paid';
  // The payment's row lock makes this look sure; the unique index stands behind it.
  if (await em.count(Transaction, { rail: 'gpo', providerRef })) return 'unchanged';
  const id = uuid();
  await em.insert(Transaction, {
    id,
    payment: payment.id,
    rail: 'gpo',
    providerRef,
    attemptId: attempt.id,
    amountMinor,
    currency,
    status: 'Accepted',
    late,
    occurredAt: outcome.occurredAt ?? at,
    createdAt: at,
    details: outcome.details,
  });
  await em.nativeUpdate(Attempt, attempt.id, {
    status: 'Approved',
    providerRef,
    failureCode: null,
    resolvedAt: at,
    dueAt: null,
  });

  const received =
    currency === payment.currency ? addMinor(payment.amountPaidMinor, amountMinor) : payment.amountPaidMinor;
  const compared = compareMinor(received, payment.amountMinor);
  const details = { attemptId: attempt.id, transactionId: id, via, ...(late && { late }) };
  // Once paid, any more money is too much, in whatever currency.
  const isMore = compared === 'more' || payment.status === 'Paid';
  const flag = isMore ? 'overpaid' : compared === 'less' ? 'amount_mismatch' : null;
  const set: EntityData<Payment> = {
    amountPaidMinor: received,
    flags: flag ? [...new Set([...payment.flags, flag])] : payment.flags,
  };
  if (compared === 'less' || payment.status === 'Paid') {
    await em.nativeUpdate(Payment, payment.id, { ...set, revision: raw('revision + 1') } as EntityData<Payment>);
  } else {
    await transition(em, payment, 'approve', { set: { ...set, failureCode: null, dueAt: null }, details, at });
  }
  if (flag) await recordEvent(em, { ...subjectOf(payment), type: `payment.${flag}`, occurredAt: at, details });
  return 'changed';
}

/** A refused push: the payment goes back to its payer, or fails, as its method says. */
async function recordFailedPush(
  { em, payment, attempt, via, at }: Context,
  failureCode: NonNullable<Payment['failureCode']>,
): Promise<Settled> {
  await em.nativeUpdate(Attempt, attempt.id, { status: 'Declined', failureCode, resolvedAt: at, dueAt: null });
  const details = { attemptId: attempt.id, failureCode, via };
  const newest = await em.findOne(
    Attempt,
    { payment: payment.id },
    { orderBy: { createdAt: 'desc', id: 'desc' }, disableIdentityMap: true },
  );
  const { failedPush } = methodOf(payment);
  const isCurrent = payment.status === 'Processing' && newest?.id === attempt.id;
  if (!isCurrent || failedPush === 'decline') {
    await recordEvent(em, { ...subjectOf(payment), type: 'payment.attempt_failed', occurredAt: at, details });
  }
  if (isCurrent)
    await transition(em, payment, failedPush, { set: { failureCode, dueAt: payment.expiresAt ?? null }, details, at });
  return 'changed';
}

/** Still open: the next poll is set. An attempt the rail surely never got is closed, and no money moved. */
async function recordNoOutcome(core: Core, context: Context): Promise<Settled> {
  const { em, payment, attempt, outcome, via, at } = context;
  const ageMs = at.getTime() - attempt.createdAt.getTime();
  if (outcome.result === 'not_found' && ageMs >= NOT_FOUND_IS_SURE_MS)
    return recordFailedPush(context, 'rail_unavailable');
  if (outcome.details['reason'])
    core.log.warn(
      { attemptId: attempt.id, result: outcome.result, reason: outcome.details['reason'], via },
      'rail outcome open',
    );
  const dueAt = nextPollAt(attempt.createdAt, at, core.config.GPO_PUSH_WINDOW_S * 1000);
  // A push that reached nobody stays unsent, and may go out when the rail is back; a poll says nothing of the push.
  const hasLeft = via === 'answer' && outcome.details['reason'] !== 'unreachable';
  const status = outcome.result === 'pending' || hasLeft ? 'Sent' : attempt.status;
  await em.nativeUpdate(Attempt, attempt.id, { status, dueAt });
  const isAlreadyStuck = !attempt.dueAt;
  if (dueAt || isAlreadyStuck) return 'unchanged';
  await recordEvent(em, {
    ...subjectOf(payment),
    type: 'payment.stuck',
    occurredAt: at,
    details: { attemptId: attempt.id, via },
  });
  return 'changed';
}

function subjectOf(payment: Payment): { merchantId: string; paymentId: string; status: string } {
  return { merchantId: payment.merchantId, paymentId: payment.id, status: payment.status };
}
