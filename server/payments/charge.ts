// Asking the rail: the intent is committed first, the order goes out after, its outcome enters by settle.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import { findRow, findRows, insertRow, updateRows, type Db } from '../database/rows.ts';
import { leaseMs } from '../due/schedule.ts';
import { Problem } from '../http/problem.ts';
import type { GpoRail } from '../providers/provider.ts';
import { isTerminalClosed } from '../terminals/find.ts';
import { Attempt, Payment } from './entities.ts';
import { methodOf } from './methods/registry.ts';
import { orderOf, type RecordedAttempt } from './orders.ts';
import { NOT_FOUND_IS_SURE_MS } from './polling.ts';
import { settleAttempt } from './settle.ts';
import { transition } from './states.ts';

/** Checkout pushes one payment may use (decisions §3). */
export const MAX_PUSHES = 5;
const PHONE_WINDOW_MS = 10 * 60_000;

/**
 * A payer asks for a push from the checkout. Answers the attempt to send, or null when the same phone is being asked
 * already (two tabs, a double tap: one push).
 * @throws Problem payment_in_progress (another phone), payment_not_payable, attempts_exhausted, too_many_pushes,
 * reference_in_flight, terminal_closed
 */
export async function submitPhone(core: Core, paymentId: string, phone: string): Promise<RecordedAttempt | null> {
  try {
    const push = await inTransaction(core, (db) => recordPush(core, db, paymentId, phone));
    if (push) core.changes.publish(`payment:${paymentId}`);
    return push;
  } catch (error) {
    if ((error as { constraint?: string }).constraint === 'payments_in_flight')
      throw new Problem('reference_in_flight');
    throw error;
  }
}

async function recordPush(core: Core, db: Db, paymentId: string, phone: string): Promise<RecordedAttempt | null> {
  const payment = await findRow(db, Payment, 'id = $1 for update', [paymentId]);
  if (!payment) throw new Problem('not_found');
  const now = core.clock.now();
  if (payment.status === 'Processing') {
    if (payment.phone === phone) return null;
    throw new Problem('payment_in_progress');
  }
  const isOver = payment.expiresAt && payment.expiresAt <= now;
  if (payment.status !== 'Pending' || isOver || methodOf(payment).start !== 'checkout')
    throw new Problem('payment_not_payable');
  if (payment.attemptsMade >= MAX_PUSHES) throw new Problem('attempts_exhausted');
  await refuseOftenAskedPhone(core, db, phone, now);
  if (await isTerminalClosed(db, payment.merchantId, payment.gpoPosId)) throw new Problem('terminal_closed');
  const attempt = { id: uuid(), kind: 'purchase' as const, phone, createdAt: now };
  await transition(db, payment, 'submit', {
    at: now,
    set: { phone, failureCode: null, attemptsMade: payment.attemptsMade + 1, dueAt: null },
    details: { attemptId: attempt.id },
  });
  const dueAt = new Date(now.getTime() + leaseMs(core.config));
  await insertRow(db, Attempt, { ...attempt, payment: payment.id, status: 'Unsent', sentAt: now, dueAt });
  return { payment: { ...payment, phone } as Payment, attempt };
}

/** Nobody's phone may be made to ring by strangers' checkouts (decisions §3, PUSHES_PER_PHONE; off in the sandbox). */
async function refuseOftenAskedPhone(core: Core, db: Db, phone: string, now: Date): Promise<void> {
  const limit = core.config.PUSHES_PER_PHONE;
  if (core.config.isSandbox || limit === 0) return;
  // Checkouts of one phone take turns, so that two at once cannot both see room.
  await db.pool.query('select pg_advisory_xact_lock(hashtext($1))', [`phone ${phone}`]);
  const since = new Date(now.getTime() - PHONE_WINDOW_MS);
  // A merchant's own pushes are its own affair.
  const fromCheckout = `payment_id in (select id from payments where payment_method = 'webframe')`;
  const where = `phone = $1 and created_at > $2 and ${fromCheckout} order by created_at limit $3`;
  const asked = await findRows(db, Attempt, where, [phone, since, limit]);
  const oldest = asked[0];
  if (!oldest || asked.length < limit) return;
  const waitMs = oldest.createdAt.getTime() + PHONE_WINDOW_MS - now.getTime();
  throw new Problem('too_many_pushes', { headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) } });
}

/**
 * Sends a recorded order and settles what the rail says. Never throws: whatever goes wrong, the attempt's due row
 * finds out the truth later.
 */
export async function sendAttempt(core: Core, rail: GpoRail, recorded: RecordedAttempt): Promise<void> {
  const { attempt } = recorded;
  try {
    const outcome = await rail.send(await orderOf(core, recorded));
    await settleAttempt(core, attempt.id, outcome, 'answer');
  } catch (error) {
    core.log.error(
      { err: error, attemptId: attempt.id },
      'the outcome of an order could not be recorded; polling will',
    );
  }
}

/**
 * A recorded order may go out (again) under its id: nobody else is sending it, it is still wanted and still unsent, or
 * it is a void, which the rail must get at last. Answers it with its new time, or null.
 */
export function claimSend(core: Core, attemptId: string, lastSentAt: Date): Promise<RecordedAttempt | null> {
  return inTransaction(core, async (db) => {
    const ofAttempt = 'id = (select payment_id from attempts where id = $1) for update';
    const payment = await findRow(db, Payment, ofAttempt, [attemptId]);
    if (!payment) return null;
    const now = core.clock.now();
    const set = { sentAt: now, dueAt: new Date(now.getTime() + leaseMs(core.config)) };
    const isWanted = `id = $1 and sent_at = $2 and resolved_at is null
      and (kind = 'void' or (status = 'Unsent' and created_at > $3 and $4 = 'Processing'))`;
    const since = new Date(now.getTime() - NOT_FOUND_IS_SURE_MS);
    const claimed = await updateRows(db, Attempt, { set }, isWanted, [attemptId, lastSentAt, since, payment.status]);
    const attempt = claimed ? await findRow(db, Attempt, 'id = $1', [attemptId]) : null;
    return attempt && { payment, attempt };
  });
}
