// Creates a refund: chooses the transaction, checks that its rail can refund it, and reserves the amount.
import { v7 as uuid } from 'uuid';
import type { Core } from '../../core.ts';
import { AnswerLost } from '../../database/unavailable.ts';
import { toDecimal } from '../../../shared/money.ts';
import { prepared, type Db } from '../../database/db.ts';
import { recordAudit, type Actor } from '../../audit/record.ts';
import { recordEvent } from '../../events/record.ts';
import { runKeyed, type Keyed } from '../../http/idempotency.ts';
import { Problem, type Answer } from '../../http/problem.ts';
import { leaseMs } from '../../jobs/schedule.ts';
import type { Rail } from '../../rails/rail.ts';
import { findOpenShift } from '../../shifts/counting.ts';
import type { Payment, RecordedAttempt } from '../core/entities.ts';
import { chooseMoney, readAmount, readRefundDay, type Refundable } from './choose.ts';
import type { Refund } from './entities.ts';
import { findRefunder, refuseAboveLimit } from './allow.ts';
import { insertAttempt } from '../core/rows.ts';
import { findRefund, lockWithCaptures, reserveMoney } from './rows.ts';
import { describeRefund } from './states.ts';
import type { RefundRequest } from './schemas.ts';
import { completeRefund } from './settle.ts';
import { viewRefund } from './view.ts';

type RefundInput = {
  merchantId: string;
  paymentId: string;
  request: RefundRequest;
  actor: Actor;
  keyed: Keyed | null;
};

/** The result of a refund request. Both fields are null after a replay. A manual refund has no order. */
type Made = { refund: Refund | null; order: RecordedAttempt | null };
type Answered = Made & { answer: Answer };

/**
 * Records a refund and commits before it returns. A manual refund is complete then.
 * @throws Problem not_found, payment_not_paid, nothing_to_refund, refund_unsupported, refund_in_progress,
 *   cashier_limit; 400 for invalid amounts and transactions; idempotency_key_reused, idempotency_in_progress
 */
export async function requestRefund(core: Core, request: RefundInput): Promise<Answered> {
  let made: Made = { refund: null, order: null };
  const record = async (db: Db) => {
    const recorded = await recordRequest(core, db, request);
    made = recorded;
    return answerOf(recorded.refund);
  };
  const answer = await runKeyed(core, request, record).catch(async (error: unknown) => {
    if (!(error instanceof AnswerLost && made.refund)) throw error;
    // The due-row job may send a committed refund to its rail, so a 503 would wrongly promise that nothing was done.
    if (!(await findRefund.first(core, { id: made.refund.id }).catch(() => null))) throw error;
    return answerOf(made.refund);
  });
  if (made.refund) core.changes.publish(`payment:${made.refund.paymentId}`);
  return { answer, ...made };
}

function answerOf(refund: Refund) {
  return { status: 201, body: viewRefund(refund), headers: { Location: `/api/refunds/${refund.id}` } };
}

async function recordRequest(core: Core, db: Db, input: RefundInput): Promise<Made & { refund: Refund }> {
  const { merchantId, paymentId, request, actor } = input;
  const locked = await lockWithCaptures.all(db, { id: paymentId, merchantId });
  const wanted = locked.find(({ id }) => id === paymentId);
  if (!wanted) throw new Problem('not_found');
  const money = await chooseMoney(db, wanted, locked, request);
  const payment = locked.find(({ id }) => id === money.paymentId) as Payment;
  const amountMinor = readAmount(request, money);
  const isManual = request.method === 'manual';
  const refundedOn = isManual ? readRefundDay(request, money, core.clock.now()) : null;
  const rail = isManual ? null : await findRefunder(core, db, money, amountMinor);
  await refuseAboveLimit(core, db, { merchantId, actor, amountMinor, currency: money.currency });
  const { id: userId } = actor;
  const shift = actor.kind === 'user' ? await findOpenShift.first(db, { merchantId, userId }) : null;
  const chosen = { payment, money, amountMinor, rail, refundedOn, shiftId: shift?.id ?? null };
  const drawn = drawRefund(core, input, chosen);
  await insertRefund(db, actor, drawn);
  const { refund, attempt } = drawn;
  if (attempt) return { refund, order: orderOf(payment, refund, attempt) };
  return { refund: await completeRefund(db, { refund, payment, given: BY_HAND, at: refund.createdAt }), order: null };
}

const AS_ASKED = {
  status: 'Pending',
  revision: 1,
  late: false,
  details: {},
  failureCode: null,
  providerRef: null,
  period: null,
  countedShiftId: null,
  completedAt: null,
} satisfies Partial<Refund>;

const BY_HAND = { providerRef: null, details: {} };

/** A new refund. `attempt`: the order to the rail; null for a manual refund. */
type NewRefund = ReturnType<typeof drawRefund>;

/** The chosen transaction and amount. @param rail null for a manual refund */
type Chosen = Pick<Refund, 'refundedOn' | 'shiftId'> & {
  payment: Payment;
  money: Refundable;
  amountMinor: number;
  rail: Rail | null;
};

function drawRefund(
  core: Core,
  { request, actor }: RefundInput,
  { payment, money, amountMinor, rail, refundedOn, shiftId }: Chosen,
) {
  const [id, at] = [uuid(), core.clock.now()];
  const { currency, id: transactionId } = money;
  const { reason = null, reference = null, proof = null } = request;
  const way = rail ? { method: 'rail' as const, rail: rail.id } : { method: 'manual' as const, rail: null };
  const by = { requestedByKind: actor.kind as Refund['requestedByKind'], requestedById: actor.id };
  const about = { merchantId: payment.merchantId, paymentId: payment.id, transactionId, amountMinor, currency };
  const refund = {
    id,
    ...about,
    ...way,
    reason,
    reference,
    proof,
    refundedOn,
    shiftId,
    ...AS_ASKED,
    createdAt: at,
    ...by,
  } as Refund;
  const dueAt = new Date(at.getTime() + leaseMs(core.config));
  const attempt = rail && { railKey: rail.connector.keyOf?.(id) ?? null, dueAt };
  return { refund, attempt };
}

function orderOf(payment: Payment, { id, rail, createdAt }: Refund, attempt: NewRefund['attempt']): RecordedAttempt {
  const { dueAt = null } = attempt ?? {};
  const named = { id, kind: 'refund', rail: rail ?? '', createdAt } as const;
  return { payment, attempt: named, written: { ...named, status: 'Unsent', sentAt: createdAt, dueAt } };
}

/**
 * Reserves the amount, and inserts the refund, its event, its audit entry and its attempt.
 * The attempt is committed before the call to the rail, so that a crash loses no refund.
 * @throws Problem nothing_to_refund if less than the amount is left of the transaction
 */
async function insertRefund(db: Db, actor: Actor, { refund, attempt }: NewRefund): Promise<void> {
  const { id, merchantId, paymentId, transactionId, amountMinor, currency, method, rail, createdAt: at } = refund;
  if ((await reserveMoney.run(db, { id: transactionId, amountMinor })) === 0) throw new Problem('nothing_to_refund');
  await insertRow.run(db, { row: refund });
  const event = { merchantId, paymentId, type: 'refund.created', status: refund.status, occurredAt: at };
  await recordEvent(db, { ...event, details: describeRefund(refund) });
  // The audit entry omits reason, reference and proof: they may name the payer, and an erasure cannot change the audit.
  const changes = { paymentId, amount: toDecimal(amountMinor, currency), currency, method };
  await recordAudit(db, { merchantId, actor, action: 'refund.requested', target: id, changes, at });
  if (!attempt || !rail) return;
  const about = { id, paymentId, kind: 'refund', rail, ...attempt } as const;
  const row = { ...about, status: 'Unsent', createdAt: at, sentAt: at } as const;
  await insertAttempt.run(db, { row });
}

const insertRow = prepared((tables, { row }: { row: Refund }) => tables.insertInto('refunds').values(row));
