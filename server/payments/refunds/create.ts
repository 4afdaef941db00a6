// Asking for a refund: whose money it is of, whether it can be given back, and the row that keeps the amount from every other refund.
import { v7 as uuid } from 'uuid';
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import type { Actor } from '../../events/audit.ts';
import { replay, runKeyed, type Keyed, type StoredAnswer } from '../../http/idempotency.ts';
import { Problem, type Answer } from '../../http/problem.ts';
import { leaseMs } from '../../jobs/schedule.ts';
import type { Rail } from '../../rails/book.ts';
import type { Payment, RecordedAttempt } from '../entities.ts';
import { chooseMoney, findOnlyMoney, readAmount, type Refundable } from './choose.ts';
import type { Refund } from './entities.ts';
import { findRefunder, refuseAboveLimit } from './allow.ts';
import { insertTogether, insertWithin, type NewRefund } from './insert.ts';
import { findRefund, lockWithCaptures } from './rows.ts';
import type { RefundRequest } from './schemas.ts';
import { completeRefund } from './settle.ts';
import { viewRefund } from './view.ts';

export type RefundAsked = {
  merchantId: string;
  paymentId: string;
  request: RefundRequest;
  actor: Actor;
  keyed: Keyed | null;
};

/** What a request made (a replay makes nothing): a refund, and the order to give the rail, where it is asked. */
type Made = { refund: Refund | null; order: RecordedAttempt | null };
type Answered = Made & { answer: Answer };

/**
 * Records a refund of the merchant and commits before it returns; one by hand is done then, any other goes out after.
 * @throws Problem not_found, payment_not_paid, nothing_to_refund, refund_unsupported, refund_in_progress, cashier_limit;
 * 400 for amounts and transactions that cannot be; idempotency_key_reused, idempotency_in_progress
 */
export async function requestRefund(core: Core, asked: RefundAsked): Promise<Answered> {
  const answered = (await requestTogether(core, asked)) ?? (await requestAlone(core, asked));
  if (answered.refund) core.changes.publish(`payment:${answered.refund.paymentId}`);
  return answered;
}

/**
 * The usual refund: by a client, through the rail, of the one money of a push. What is read needs no lock, as it is written only
 * while all of it is still so. Null: it is not the usual one, or something is in its way, which its own transaction will say.
 */
async function requestTogether(core: Core, asked: RefundAsked): Promise<Answered | null> {
  const { merchantId, paymentId, request, actor, keyed } = asked;
  // Of people there may be a limit, which is reckoned one after another.
  if (actor.kind !== 'client' || request.method === 'manual') return null;
  const found = await findOnlyMoney(core, paymentId);
  if (!found || found.payment.merchantId !== merchantId) return null;
  const { payment, money, charge } = found;
  if (request.transactionId && request.transactionId.toLowerCase() !== money.id) return null;
  const allowed = await allow(core, request, money);
  if (!allowed) return null;
  const { refund, attempt, ...drawn } = drawRefund(core, asked, { payment, money, ...allowed });
  if (!(await insertTogether(core, { refund, attempt, ...drawn, key: keyed }))) return null;
  const { amountMinor, currency, reason: description = null } = refund;
  const order = { ...orderOf(payment, refund, attempt), refund: { charge, amountMinor, currency, description } };
  return { refund, order, answer: answerOf(refund) };
}

/** How much by which account; null where it is refused. */
async function allow(core: Core, request: RefundRequest, money: Refundable) {
  try {
    const amountMinor = readAmount(request, money);
    return { amountMinor, rail: await findRefunder(core, core, money, amountMinor) };
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

async function requestAlone(core: Core, asked: RefundAsked): Promise<Answered> {
  let made: Made = { refund: null, order: null };
  const request = async (db: Db) => {
    const recorded = await recordRequest(core, db, asked);
    made = recorded;
    return answerOf(recorded.refund);
  };
  const answer = await runKeyed(core, asked, request, replayRefund);
  return { answer, ...made };
}

/** Of those that were written together nothing is kept but which they are: the answer was the refund as it was asked for. */
async function replayRefund(db: Db, stored: StoredAnswer, keyed: Keyed): Promise<Answer> {
  const answer = replay(stored, keyed);
  if (!stored.refundId) return answer;
  return { ...answer, body: viewRefund({ ...(await findRefund.one(db, { id: stored.refundId })), ...AS_ASKED }) };
}

function answerOf(refund: Refund) {
  return { status: 201, body: viewRefund(refund), headers: { Location: `/api/refunds/${refund.id}` } };
}

async function recordRequest(core: Core, db: Db, asked: RefundAsked): Promise<Made & { refund: Refund }> {
  const { merchantId, paymentId, request, actor } = asked;
  const locked = await lockWithCaptures.all(db, { id: paymentId, merchantId });
  const wanted = locked.find(({ id }) => id === paymentId);
  if (!wanted) throw new Problem('not_found');
  const money = await chooseMoney(db, wanted, locked, request);
  const payment = locked.find(({ id }) => id === money.paymentId) as Payment;
  const amountMinor = readAmount(request, money);
  const rail = request.method === 'manual' ? null : await findRefunder(core, db, money, amountMinor);
  await refuseAboveLimit(core, db, { merchantId, actor, amountMinor, currency: money.currency });
  const drawn = drawRefund(core, asked, { payment, money, amountMinor, rail });
  // Every refund of this money waits for the payment's lock; that no more is given back than was taken, this statement decides.
  if (!(await insertWithin(db, { ...drawn, key: null }))) throw new Problem('nothing_to_refund');
  const { refund, attempt } = drawn;
  if (attempt) return { refund, order: orderOf(payment, refund, attempt) };
  return { refund: await completeRefund(db, { refund, payment, given: BY_HAND, at: refund.createdAt }), order: null };
}

/** What of a refund can change, as it is when it is asked for. */
const AS_ASKED = {
  status: 'Pending',
  revision: 1,
  late: false,
  details: {},
  failureCode: null,
  providerRef: null,
  period: null,
  completedAt: null,
} satisfies Partial<Refund>;

const BY_HAND = { providerRef: null, details: {} };

/** @param rail null: by hand */
type Chosen = { payment: Payment; money: Refundable; amountMinor: number; rail: Rail | null };

/** A refund as it will be written. */
function drawRefund(core: Core, { request, actor }: RefundAsked, { payment, money, amountMinor, rail }: Chosen) {
  const [id, at] = [uuid(), core.clock.now()];
  const { currency, id: transactionId } = money;
  const { reason = null, reference = null, proof = null } = request;
  const way = rail ? { method: 'rail' as const, rail: rail.id } : { method: 'manual' as const, rail: null };
  const by = { requestedByKind: actor.kind as Refund['requestedByKind'], requestedById: actor.id };
  const about = { merchantId: payment.merchantId, paymentId: payment.id, transactionId, amountMinor, currency };
  const refund = { id, ...about, ...way, reason, reference, proof, ...AS_ASKED, createdAt: at, ...by } as Refund;
  const dueAt = new Date(at.getTime() + leaseMs(core.config));
  const attempt = rail && { railKey: rail.connector.keyOf?.(id) ?? null, dueAt };
  return { refund, money, actor, attempt } satisfies Omit<NewRefund, 'key'>;
}

/** The attempt that was written with it, to be sent. */
function orderOf(payment: Payment, { id, rail, createdAt }: Refund, attempt: NewRefund['attempt']): RecordedAttempt {
  const { dueAt = null } = attempt ?? {};
  const named = { id, kind: 'refund', rail: rail ?? '', createdAt } as const;
  return { payment, attempt: named, written: { ...named, status: 'Unsent', sentAt: createdAt, dueAt } };
}
