// Asking a payer's phone: the intent is committed first, the push goes out after, its outcome enters by settle.
import { LockMode, UniqueConstraintViolationException, type EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import type { Config } from '../config.ts';
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import { Problem } from '../http/problem.ts';
import type { GpoRail, PurchaseOrder } from '../providers/provider.ts';
import type { PushedAttempt } from './create.ts';
import { Attempt, Payment } from './entities.ts';
import { methodOf } from './methods/registry.ts';
import { settleAttempt } from './settle.ts';
import { transition } from './states.ts';

/** Checkout pushes one payment may use (decisions §3). */
export const MAX_PUSHES = 5;
const PHONE_WINDOW_MS = 10 * 60_000;

/** How long a recorded intent waits for its call's answer before another run asks the rail about it. */
export function leaseMs(config: Pick<Config, 'GPO_TIMEOUT_S'>): number {
  return config.GPO_TIMEOUT_S * 1000 + 5_000;
}

/**
 * A payer asks for a push from the checkout. Answers the attempt to send, or null when the same phone is being asked
 * already (two tabs, a double tap: one push).
 * @throws Problem payment_in_progress (another phone), payment_not_payable, attempts_exhausted, too_many_pushes,
 * reference_in_flight
 */
export async function submitPhone(core: Core, paymentId: string, phone: string): Promise<PushedAttempt | null> {
  try {
    const push = await inTransaction(core.orm, (em) => recordPush(core, em, paymentId, phone));
    if (push) core.changes.publish(`payment:${paymentId}`);
    return push;
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) throw new Problem('reference_in_flight');
    throw error;
  }
}

async function recordPush(
  core: Core,
  em: EntityManager,
  paymentId: string,
  phone: string,
): Promise<PushedAttempt | null> {
  const payment = await em.findOne(Payment, paymentId, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    disableIdentityMap: true,
  });
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
  await refuseOftenAskedPhone(core, em, phone, now);
  const attempt = { id: uuid(), phone, createdAt: now };
  await transition(em, payment, 'submit', {
    at: now,
    set: { phone, failureCode: null, attemptsMade: payment.attemptsMade + 1, dueAt: null },
    details: { attemptId: attempt.id },
  });
  const dueAt = new Date(now.getTime() + leaseMs(core.config));
  await em.insert(Attempt, { ...attempt, payment: payment.id, status: 'Unsent', dueAt, dueCount: 0 });
  return { payment: { ...payment, phone } as Payment, attempt };
}

/** Nobody's phone may be made to ring by strangers' checkouts (decisions §3, PUSHES_PER_PHONE; off in the sandbox). */
async function refuseOftenAskedPhone(core: Core, em: EntityManager, phone: string, now: Date): Promise<void> {
  const limit = core.config.PUSHES_PER_PHONE;
  if (core.config.isSandbox || limit === 0) return;
  // Checkouts of one phone take turns, so that two at once cannot both see room.
  await em.execute('select pg_advisory_xact_lock(hashtext(?))', [`phone ${phone}`]);
  const since = new Date(now.getTime() - PHONE_WINDOW_MS);
  const asked = await em.find(
    Attempt,
    // A merchant's own pushes are its own affair.
    { phone, createdAt: { $gt: since }, payment: { paymentMethod: 'webframe' } },
    { orderBy: { createdAt: 'asc' }, limit, disableIdentityMap: true },
  );
  const oldest = asked[0];
  if (!oldest || asked.length < limit) return;
  const waitMs = oldest.createdAt.getTime() + PHONE_WINDOW_MS - now.getTime();
  throw new Problem('too_many_pushes', { headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) } });
}

/**
 * Sends a recorded push and settles what the rail says. Never throws: whatever goes wrong, the attempt's due row
 * finds out the truth later.
 */
export async function sendPush(core: Core, rail: GpoRail, { payment, attempt }: PushedAttempt): Promise<void> {
  try {
    const outcome = await rail.purchase(orderOf(payment, attempt));
    await settleAttempt(core, attempt.id, outcome, 'answer');
  } catch (error) {
    core.log.error({ err: error, attemptId: attempt.id }, 'the outcome of a push could not be recorded; polling will');
  }
}

/** What the rail is asked for: the same for every send of one attempt. */
export function orderOf(payment: Payment, attempt: PushedAttempt['attempt']): PurchaseOrder {
  if (!payment.gpoMerchantId || !payment.gpoPosId) throw new Error(`payment ${payment.id} has no GPO ids`);
  return {
    attemptId: attempt.id,
    gpoMerchantId: payment.gpoMerchantId,
    gpoPosId: payment.gpoPosId,
    reference: payment.reference,
    phone: attempt.phone,
    amountMinor: payment.amountMinor,
    currency: payment.currency,
    description: payment.description ?? null,
  };
}
