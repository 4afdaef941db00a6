// Records the outcome of an order to a rail.
// Outcomes come from the rail's response, a notification, a poll or a sync, in any order and any number of times.
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { prepared, type Db } from '../../database/db.ts';
import { inTransaction } from '../../database/orm.ts';
import { recordEvent } from '../../events/record.ts';
import { UNKNOWN_OUTCOME } from '../../providers/rail-call.ts';
import type { RailOutcome } from '../../providers/provider.ts';
import type { FailureCode } from '../../../shared/status.ts';
import { describeRefusal, type Refusal } from './account.ts';
import type { Attempt, AttemptKind, AttemptSnapshot } from './entities.ts';
import { closeAfterMoney, methodOf, orderOf } from './method.ts';
import { isAbandoned, isOnlyCall, nextPoll } from './schedule.ts';
import {
  findTransaction,
  mayReport,
  isResolved,
  acceptOnce,
  recordTransaction,
  subjectOf,
  viaOf,
  type AttemptSubject,
  type OutcomeContext,
  type ReceivedFunds,
  type Settled,
  type Source,
  type Via,
} from './record-transaction.ts';
import { failOver, findNextAccount, isAccountFault, listTriedAccounts } from './failover.ts';
import { changeAttempt, findAttempt, lockPaymentsOf } from './rows.ts';
import { transition } from './states.ts';

/**
 * Records a rail's answer about an attempt in one transaction. A repeated answer changes nothing.
 * @param known the attempt as an earlier query returned it; saves another query for `pending` and `unknown`
 */
export async function applyOutcome(
  core: Core,
  attemptId: string,
  outcome: RailOutcome,
  from: Via | Source,
  known: AttemptSnapshot | null = null,
): Promise<Settled> {
  if (await postpone(core, attemptId, outcome, from, known)) return 'unchanged';
  return applyReport(core, attemptId, from, ({ attempt, ...subject }) => {
    // The flag `wasUnreached` of the earlier query is valid only if no later call of this attempt has started.
    const wasUnreached = !!known?.wasUnreached && known.sentAt.getTime() === attempt.sentAt.getTime();
    return recordOutcome(core, { ...subject, attempt: { ...attempt, wasUnreached }, outcome });
  });
}

/**
 * Schedules the next poll by one conditional update of the attempt, without a lock on its payment.
 * @returns false if the outcome needs more than a later poll, or if the attempt changed since it was read
 */
async function postpone(
  core: Core,
  attemptId: string,
  outcome: RailOutcome,
  from: Via | Source,
  known: AttemptSnapshot | null,
): Promise<boolean> {
  if (outcome.result !== 'pending' && outcome.result !== 'unknown') return false;
  const read = known ? null : await findAttempt.first(core, { id: attemptId });
  if (read && !mayReport(read, from)) return false;
  const attempt: AttemptSnapshot | null = known ?? read;
  // The rail's first response about a refund also moves the refund to Processing.
  if (attempt?.kind === 'refund') return false;
  const at = core.clock.now();
  if (!attempt || isResolved(attempt) || isAbandoned(core.config, { attempt, outcome, at })) return false;
  const set = nextPoll(core, { attempt, outcome, via: viaOf(from), at });
  // After an attempt's first failed connection, another account may take the order.
  if (!set.dueAt || (set.status === 'Unreached' && !attempt.wasUnreached)) return false;
  const { status, dueAt = null } = attempt;
  return (await changeAsRead.run(core, { id: attemptId, status, dueAt, set })) > 0;
}

type AsRead = Pick<Attempt, 'id' | 'status'> & { dueAt: Date | null; set: ReturnType<typeof nextPoll> };

const changeAsRead = prepared((tables, { id, status, dueAt, set }: AsRead) =>
  tables
    .updateTable('attempts')
    .set(set)
    .where('id', '=', id)
    .where('status', '=', status)
    .where('dueAt', 'is not distinct from', dueAt),
);

/** Records a change of an attempt in a transaction that locks its payment, and publishes the change. */
export async function applyReport(
  core: Core,
  attemptId: string,
  from: Via | Source,
  record: (subject: AttemptSubject) => Promise<Settled>,
): Promise<Settled> {
  const touched: string[] = [];
  const settled = await inTransaction(core, async (db): Promise<Settled> => {
    const locked = await lockAttempt(db, attemptId);
    if (!locked || !mayReport(locked.attempt, from)) return 'unmatched';
    const { rail } = locked.attempt;
    const { payment, authorization } = locked;
    touched.push(...([payment.id, authorization?.id, payment.replacedById].filter((id) => !!id) as string[]));
    return record({ db, attemptId, rail, via: viaOf(from), at: core.clock.now(), ...locked });
  });
  if (settled === 'changed') for (const id of touched) core.changes.publish(`payment:${id}`);
  return settled;
}

/** Records an outcome inside the caller's transaction. The caller publishes the change. */
export async function applyInTransaction(
  core: Core,
  db: Db,
  attemptId: string,
  outcome: RailOutcome,
): Promise<Settled> {
  const locked = await lockAttempt(db, attemptId);
  if (!locked) return 'unmatched';
  const about = { db, attemptId, rail: locked.attempt.rail, via: 'sync', at: core.clock.now() } as const;
  return recordOutcome(core, { ...about, ...locked, outcome });
}

async function lockAttempt(
  db: Db,
  attemptId: string,
): Promise<Pick<AttemptSubject, 'payment' | 'authorization' | 'attempt'> | null> {
  const payments = await lockPaymentsOf.all(db, { attemptId });
  // The attempt is read after the payment is locked, because another outcome may have settled the attempt before.
  const attempt = payments.length > 0 ? await findAttempt.first(db, { id: attemptId }) : null;
  const payment = payments.find(({ id }) => id === attempt?.paymentId);
  if (!attempt || !payment) return null;
  const authorization = payments.find(({ id }) => id !== payment.id) ?? null;
  return { payment, authorization, attempt };
}

async function recordOutcome(core: Core, context: OutcomeContext): Promise<Settled> {
  const { attempt, outcome } = context;
  if (outcome.result === 'approved') return orderOf(attempt.kind).approved(core, context);
  if (isResolved(attempt)) return 'unchanged';
  if (outcome.result === 'declined' && isOfOrder(context))
    return recordRefusal(core, context, outcome.failureCode ?? 'issuer_refused');
  return recordNoOutcome(core, outcome.result === 'declined' ? { ...context, outcome: REFUSED_AGAIN } : context);
}

/**
 * True if the refusal is final for this order.
 * A refused *repeat* is not final, because the first call of the order may still be running.
 * Polls of the order continue until the rail certainly did not receive it.
 */
function isOfOrder({ attempt, outcome, via }: OutcomeContext): boolean {
  return via !== 'answer' || isOnlyCall(attempt) || !isAccountFault(outcome.failureCode);
}

const REFUSED_AGAIN: RailOutcome = { ...UNKNOWN_OUTCOME, details: { reason: 'refused_again' } };

/**
 * Records the money of an approved purchase or capture once.
 * @param also writes the changes of a capture's authorization
 */
export async function recordMoney(
  core: Core,
  context: OutcomeContext,
  also?: (money: ReceivedFunds) => Promise<void>,
): Promise<Settled> {
  const { db, payment, attempt, outcome, rail, at } = context;
  const money = fundsFromOutcome(outcome);
  const known = await findTransaction.first(db, { rail, providerRef: money.providerRef });
  if (known?.attemptId === attempt.id || (known && isResolved(attempt))) return 'unchanged';
  if (known) return recordConflict(core, context);
  const { details } = await recordTransaction(context, money, acceptOnce);
  await closeAfterMoney(core, { db, payment, at, by: attempt.kind as AttemptKind, details });
  await closeAttempt(context, { status: 'Approved', providerRef: money.providerRef, failureCode: null });
  await also?.(money);
  return 'changed';
}

/** Handles a transaction that already belongs to another order: records no money and polls on, until manual review. */
export function recordConflict(core: Core, context: OutcomeContext): Promise<Settled> {
  return recordNoOutcome(core, {
    ...context,
    outcome: { ...UNKNOWN_OUTCOME, details: { reason: 'transaction_known' } },
  });
}

function fundsFromOutcome({ providerRef, amountMinor, currency, occurredAt, details }: RailOutcome): ReceivedFunds {
  // Connectors return `unknown` for money that they cannot read. The gateway never guesses an amount.
  if (providerRef === null || amountMinor === null || currency === null) throw new Error('approved without its money');
  return { providerRef, amountMinor, currency, occurredAt, details };
}

/** Records that the rail refused the order permanently. */
async function recordRefusal(core: Core, context: OutcomeContext, failureCode: FailureCode): Promise<Settled> {
  const { attempt, via } = context;
  await closeAttempt(context, { status: 'Declined', failureCode });
  const details = await describeRefusal(core, attempt, failureCode, via);
  return orderOf(attempt.kind).refused(core, context, failureCode, details);
}

/** Records a refused push. Another account takes it, or its payment reopens or fails, as the payment method says. */
export async function refusePush(
  core: Core,
  context: OutcomeContext,
  failureCode: FailureCode,
  details: Refusal,
): Promise<Settled> {
  const { db, payment, attempt, at } = context;
  if (await failOver(core, context, details)) return 'changed';
  const { newestId } = await listTriedAccounts(db, payment);
  const { failedPush } = methodOf(payment);
  const isCurrent = payment.status === 'Processing' && newestId === attempt.id;
  if (!isCurrent || failedPush === 'decline') {
    await recordEvent(db, { ...subjectOf(payment), type: 'payment.attempt_failed', occurredAt: at, details });
  }
  if (isCurrent)
    await transition(db, payment, failedPush, { set: { failureCode, dueAt: payment.expiresAt ?? null }, details, at });
  return 'changed';
}

function closeAttempt(
  { db, attemptId, outcome, at }: OutcomeContext,
  set: Partial<Pick<Attempt, 'status' | 'failureCode' | 'providerRef'>>,
): Promise<number> {
  const named = outcome.railOrderId ? { railOrderId: outcome.railOrderId } : {};
  return changeAttempt.run(db, { id: attemptId, set: { ...set, ...named, resolvedAt: at, dueAt: null } });
}

/** Schedules the next poll of an open attempt. Closes an attempt that the rail certainly never received. */
async function recordNoOutcome(core: Core, context: OutcomeContext): Promise<Settled> {
  const { db, payment, attempt, outcome, via, at } = context;
  if (isAbandoned(core.config, { attempt, outcome, at })) return recordRefusal(core, context, 'rail_unavailable');
  const order = orderOf(attempt.kind);
  const set = nextPoll(core, context);
  // No request reached the rail, so failing over to another account is safe.
  const isSpare = set.status === 'Unreached' && attempt.status === 'Unsent' && !!(await findNextAccount(core, context));
  if (isSpare)
    return recordRefusal(core, { ...context, attempt: { ...attempt, status: set.status } }, 'rail_unavailable');
  await changeAttempt.run(db, { id: attempt.id, set });
  // The rail may have received this call, so it may know the order.
  const isOut = set.status === 'Sent' || (via === 'answer' && set.status !== 'Unreached');
  const isSent = isOut && ((await order.noteSent?.(context)) ?? false);
  const isAlreadyStuck = async () => !!(await findStuck.first(db, { ...attempt, type: order.stuckEvent }));
  if (set.dueAt || (await isAlreadyStuck())) return isSent ? 'changed' : 'unchanged';
  const details = { ...(await order.describe?.(db, attempt.id)), attemptId: attempt.id, via };
  await recordEvent(db, { ...subjectOf(payment), type: order.stuckEvent, occurredAt: at, details });
  return 'changed';
}

type StuckAttempt = Pick<Attempt, 'id' | 'paymentId' | 'sentAt'> & { type: string };

/** Finds a `stuck` event since the last call of this attempt to the rail. Such an event prevents a second alert. */
const findStuck = prepared((tables, { id, paymentId, sentAt, type }: StuckAttempt) =>
  tables
    .selectFrom('events')
    .select('seq')
    .where('paymentId', '=', paymentId)
    .where('type', '=', type)
    .where(sql`details ->> 'attemptId'`, '=', id)
    .where('occurredAt', '>=', sentAt)
    .limit(1),
);
