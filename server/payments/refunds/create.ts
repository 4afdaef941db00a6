// Asking for a refund: whose money it is of, whether it can be given back, and the row that keeps the amount from every other refund.
import { v7 as uuid } from 'uuid';
import { toDecimal } from '../../../shared/money.ts';
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import { recordAudit, type Actor } from '../../events/audit.ts';
import { recordEvent } from '../../events/record.ts';
import { runKeyed, type Keyed } from '../../http/idempotency.ts';
import { Problem, type Answer } from '../../http/problem.ts';
import { leaseMs } from '../../jobs/schedule.ts';
import type { Rail } from '../../rails/book.ts';
import type { Payment, RecordedAttempt } from '../entities.ts';
import { insertAttempt } from '../rows.ts';
import { chooseMoney, readAmount } from './choose.ts';
import type { Refund } from './entities.ts';
import { findRefunder, refuseAboveLimit } from './allow.ts';
import { holdMoney, insertRefund, lockWithCaptures } from './rows.ts';
import type { RefundRequest } from './schemas.ts';
import { completeRefund } from './settle.ts';
import { describeRefund } from './states.ts';
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

/**
 * Records a refund of the merchant and commits before it returns; one by hand is done then, any other goes out after.
 * @throws Problem not_found, payment_not_paid, nothing_to_refund, refund_unsupported, refund_in_progress, cashier_limit;
 * 400 for amounts and transactions that cannot be; idempotency_key_reused, idempotency_in_progress
 */
export async function requestRefund(core: Core, asked: RefundAsked): Promise<Made & { answer: Answer }> {
  let made: Made = { refund: null, order: null };
  const answer = await runKeyed(core, asked, async (db) => {
    const recorded = await recordRequest(core, db, asked);
    made = recorded;
    const { id } = recorded.refund;
    return { status: 201, body: viewRefund(recorded.refund), headers: { Location: `/api/refunds/${id}` } };
  });
  if (made.refund) core.changes.publish(`payment:${made.refund.paymentId}`);
  return { answer, ...made };
}

async function recordRequest(
  core: Core,
  db: Db,
  { merchantId, paymentId, request, actor }: RefundAsked,
): Promise<Made & { refund: Refund }> {
  const locked = await lockWithCaptures.all(db, { id: paymentId, merchantId });
  const asked = locked.find(({ id }) => id === paymentId);
  if (!asked) throw new Problem('not_found');
  const money = await chooseMoney(db, asked, locked, request);
  const payment = locked.find(({ id }) => id === money.paymentId) as Payment;
  const amountMinor = readAmount(request, money);
  const rail = request.method === 'manual' ? null : await findRefunder(core, db, money, amountMinor);
  await refuseAboveLimit(core, db, { merchantId, actor, amountMinor, currency: money.currency });
  // Every refund of this money waits for the payment's lock; that no more is given back than was taken, this statement decides.
  if (!(await holdMoney.first(db, { id: money.id, amountMinor }))) throw new Problem('nothing_to_refund');
  const at = core.clock.now();
  const { currency, id: transactionId } = money;
  const by = { requestedByKind: actor.kind as Refund['requestedByKind'], requestedById: actor.id };
  const said = { reason: request.reason ?? null, reference: request.reference ?? null, proof: request.proof ?? null };
  const way = rail ? { method: 'rail' as const, rail: rail.id } : { method: 'manual' as const, rail: null };
  const about = { merchantId, paymentId: payment.id, transactionId, amountMinor, currency };
  const begun = { id: uuid(), status: 'Pending', revision: 1, createdAt: at, details: {} } as const;
  const refund = await writeRefund(db, { ...begun, ...about, ...way, ...said, ...by });
  await audit(db, refund, actor);
  if (!rail) return { refund: await completeRefund(db, { refund, payment, given: BY_HAND, at }), order: null };
  return { refund, order: { payment, ...(await writeAttempt(core, db, refund, rail)) } };
}

const BY_HAND = { providerRef: null, details: {} };

async function writeRefund(db: Db, row: Parameters<typeof insertRefund.one>[1]['row']): Promise<Refund> {
  const refund = (await insertRefund.one(db, { row })) as Refund;
  const { merchantId, paymentId, status, createdAt: occurredAt } = refund;
  const details = describeRefund(refund);
  await recordEvent(db, { merchantId, paymentId, type: 'refund.created', status, occurredAt, details });
  return refund;
}

function audit(db: Db, refund: Refund, actor: Actor): Promise<void> {
  const { id: target, merchantId, paymentId, amountMinor, currency, method, createdAt: at } = refund;
  const amount = toDecimal(amountMinor, currency);
  const changes = { paymentId, amount, currency, method, ...(refund.proof && { proof: refund.proof }) };
  return recordAudit(db, { merchantId, actor, action: 'refund.requested', target, changes, at });
}

/** The intent, before the rail is asked: by the account that took the money, under the refund's id. */
async function writeAttempt(core: Core, db: Db, { id, paymentId, createdAt: at }: Refund, rail: Rail) {
  const dueAt = new Date(at.getTime() + leaseMs(core.config));
  const named = { id, rail: rail.id, railKey: rail.connector.keyOf?.(id) ?? null };
  const times = { createdAt: at, sentAt: at, dueAt };
  const attempt = await insertAttempt.one(db, {
    row: { ...named, paymentId, kind: 'refund', status: 'Unsent', ...times },
  });
  return { attempt, written: attempt };
}
