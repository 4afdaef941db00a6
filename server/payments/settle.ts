// The one door for outcomes: answer, notification, poll and sync all enter here, in any order and any number of times.
import type { EntityData } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import { addMinor, compareMinor } from '../../shared/money.ts';
import { isFinal } from '../../shared/status.ts';
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import { findRow, insertRow, updateRows, type Db } from '../database/rows.ts';
import { recordEvent } from '../events/record.ts';
import type { PurchaseOutcome } from '../providers/provider.ts';
import { Attempt, Payment, Transaction } from './entities.ts';
import { methodOf } from './methods/registry.ts';
import { nextPollAt, sureAfter } from './polling.ts';
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
  const settled = await inTransaction(core, async (db): Promise<Settled> => {
    const ofAttempt = 'id = (select payment_id from attempts where id = $1) for update';
    const payment = await findRow(db, Payment, ofAttempt, [attemptId]);
    // Read after the lock was won: what another settled meanwhile is in it.
    const attempt = payment && (await findRow(db, Attempt, 'id = $1', [attemptId]));
    if (!attempt) return 'unmatched';
    paymentId = payment.id;
    const at = core.clock.now();
    const context = { db, payment, attempt, outcome, via, at };
    if (outcome.result === 'approved') return recordMoney(core, context);
    if (isResolved(attempt)) return 'unchanged';
    if (outcome.result === 'declined') return recordFailedPush(context, outcome.failureCode ?? 'issuer_refused');
    return recordNoOutcome(core, context);
  });
  if (settled === 'changed') core.changes.publish(`payment:${paymentId}`);
  return settled;
}

type Context = { db: Db; payment: Payment; attempt: Attempt; outcome: PurchaseOutcome; via: Via; at: Date };

function isResolved(attempt: Attempt): boolean {
  return attempt.status === 'Approved' || attempt.status === 'Declined';
}

/** Received money is never hidden: what was really taken is recorded once, whatever the payment's status (decisions §3). */
async function recordMoney(core: Core, context: Context): Promise<Settled> {
  const { db, payment, attempt, outcome, via, at } = context;
  const { providerRef, amountMinor, currency } = outcome;
  // Translators answer `unknown` for money they cannot read; an amount is never guessed.
  if (providerRef === null || amountMinor === null || currency === null) throw new Error('approved without its money');
  const late = isFinal(payment.status) && payment.status !== 'Paid';
  // The payment's row lock makes this look sure; the unique index stands behind it.
  const known = await findRow(db, Transaction, 'rail = $1 and provider_ref = $2', ['gpo', providerRef]);
  if (known?.attemptId === attempt.id || (known && isResolved(attempt))) return 'unchanged';
  // One money for two pushes cannot be: nothing is believed, the rail is asked again, and at last a person.
  if (known)
    return recordNoOutcome(core, { ...context, outcome: { ...outcome, details: { reason: 'transaction_known' } } });
  const id = uuid();
  await insertRow(db, Transaction, {
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
  const approved = { status: 'Approved', providerRef, failureCode: null, resolvedAt: at, dueAt: null } as const;
  await updateRows(db, Attempt, { set: approved }, 'id = $1', [attempt.id]);

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
    await updateRows(db, Payment, { set, bump: 'revision' }, 'id = $1', [payment.id]);
  } else {
    await transition(db, payment, 'approve', { set: { ...set, failureCode: null, dueAt: null }, details, at });
  }
  const status = compared === 'less' ? payment.status : 'Paid';
  const subject = { ...subjectOf(payment), status, occurredAt: at, details };
  if (flag) await recordEvent(db, { ...subject, type: `payment.${flag}` });
  // Less than asked leaves the status (decisions §3), and nothing more is to come: only a person can go on.
  if (status === 'Processing') await recordEvent(db, { ...subject, type: 'payment.stuck' });
  return 'changed';
}

/** A refused push: the payment goes back to its payer, or fails, as its method says. */
async function recordFailedPush(
  { db, payment, attempt, via, at }: Context,
  failureCode: NonNullable<Payment['failureCode']>,
): Promise<Settled> {
  const declined = { status: 'Declined', failureCode, resolvedAt: at, dueAt: null } as const;
  await updateRows(db, Attempt, { set: declined }, 'id = $1', [attempt.id]);
  const details = { attemptId: attempt.id, failureCode, via };
  const newest = await findRow(db, Attempt, 'payment_id = $1 order by created_at desc, id desc limit 1', [payment.id]);
  const { failedPush } = methodOf(payment);
  const isCurrent = payment.status === 'Processing' && newest?.id === attempt.id;
  if (!isCurrent || failedPush === 'decline') {
    await recordEvent(db, { ...subjectOf(payment), type: 'payment.attempt_failed', occurredAt: at, details });
  }
  if (isCurrent)
    await transition(db, payment, failedPush, { set: { failureCode, dueAt: payment.expiresAt ?? null }, details, at });
  return 'changed';
}

/** Still open: the next poll is set. An attempt the rail surely never got is closed, and no money moved. */
async function recordNoOutcome(core: Core, context: Context): Promise<Settled> {
  const { db, payment, attempt, outcome, via, at } = context;
  if (outcome.result === 'not_found' && at >= sureAfter(core.config, attempt))
    return recordFailedPush(context, 'rail_unavailable');
  if (outcome.details['reason'])
    core.log.warn(
      { attemptId: attempt.id, result: outcome.result, reason: outcome.details['reason'], via },
      'rail outcome open',
    );
  const pollAt = nextPollAt(attempt.createdAt, at, core.config.GPO_PUSH_WINDOW_S * 1000);
  // Who neither sent nor claimed the push does not shorten the time of whoever may be sending it.
  const isForeign = attempt.status === 'Unsent' && (via === 'sync' || via === 'notification');
  const dueAt = isForeign && attempt.dueAt && pollAt && attempt.dueAt > pollAt ? attempt.dueAt : pollAt;
  // A push whose connection failed stays unsent, and may go out again under its id when the rail does not know it.
  const hasLeft = via === 'answer' && !NOT_SENT.has(outcome.details['reason']);
  const status = outcome.result === 'pending' || hasLeft ? 'Sent' : attempt.status;
  await updateRows(db, Attempt, { set: { status, dueAt } }, 'id = $1', [attempt.id]);
  const isAlreadyStuck = !attempt.dueAt;
  if (dueAt || isAlreadyStuck) return 'unchanged';
  await recordEvent(db, {
    ...subjectOf(payment),
    type: 'payment.stuck',
    occurredAt: at,
    details: { attemptId: attempt.id, via },
  });
  return 'changed';
}

/** Reasons of an unknown outcome after which the same push may be made again while its time lasts. */
const NOT_SENT: ReadonlySet<string | undefined> = new Set(['unreachable', 'connection']);

function subjectOf(payment: Payment): { merchantId: string; paymentId: string; status: string } {
  return { merchantId: payment.merchantId, paymentId: payment.id, status: payment.status };
}
