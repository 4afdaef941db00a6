// Records a push that a payer requests on the hosted page: locks the payment, checks the limits, inserts the attempt.
import { MINUTE_MS } from '../../shared/durations.ts';
import type { Core } from '../core.ts';
import { repeatLost } from '../database/unavailable.ts';
import { prepared, takeLock, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Problem, tryLater } from '../http/problem.ts';
import { leaseMs } from '../jobs/schedule.ts';
import { accountsFor, nameAttempt } from '../payments/core/account.ts';
import { publishCheckoutPayment, type CheckoutPayment } from './payment.ts';
import type { RecordedAttempt } from '../payments/core/entities.ts';
import { listRetryAccounts } from '../payments/core/failover.ts';
import { methodOf, withdrawOffers } from '../payments/core/method.ts';
import { insertAttempt } from '../payments/core/rows.ts';
import { paymentAfter, transition } from '../payments/core/states.ts';

/** Maximum number of pushes that payers can request for one payment. */
export const MAX_PUSHES = 5;
const PHONE_WINDOW_MS = 10 * MINUTE_MS;

/** The recorded push, and the payment for the page. `shown` is null if the page must read the payment. */
type Submitted = { push: RecordedAttempt; shown: CheckoutPayment | null };

/**
 * Records a push that a payer requests. Null if another push to the same phone is in progress.
 * @throws Problem payment_in_progress (another phone), payment_not_payable, attempts_exhausted, too_many_pushes,
 * reference_in_flight, terminal_closed
 */
export async function submitPhone(core: Core, paymentId: string, phone: string): Promise<Submitted | null> {
  try {
    // After a lost commit, the repeat finds the recorded push in progress and does not send a second push.
    const submitted = await repeatLost(() => inTransaction(core, (db) => recordPush(core, db, paymentId, phone)));
    if (submitted?.shown) publishCheckoutPayment(core, submitted.shown);
    else if (submitted) core.changes.publish(`payment:${paymentId}`);
    return submitted;
  } catch (error) {
    if ((error as { constraint?: string }).constraint === 'payments_in_flight')
      throw new Problem('reference_in_flight');
    throw error;
  }
}

async function recordPush(core: Core, db: Db, paymentId: string, phone: string): Promise<Submitted | null> {
  const locked = await lockForPush.first(db, { paymentId });
  if (!locked) throw new Problem('not_found');
  const { isTerminalClosed, ...payment } = locked;
  const now = core.clock.now();
  if (payment.status === 'Processing') {
    if (payment.phone === phone) return null;
    throw new Problem('payment_in_progress');
  }
  const isOver = payment.expiresAt && payment.expiresAt <= now;
  if (payment.status !== 'Pending' || isOver || methodOf(payment).start !== 'checkout')
    throw new Problem('payment_not_payable');
  if (payment.attemptsMade >= MAX_PUSHES) throw new Problem('attempts_exhausted');
  await limitPushesPerPhone(core, db, phone, now);
  if (isTerminalClosed) throw new Problem('terminal_closed');
  const dueAt = new Date(now.getTime() + leaseMs(core.config));
  const times = { createdAt: now, sentAt: now, dueAt };
  const [account] = payment.attemptsMade > 0 ? await listRetryAccounts(core, db, payment) : accountsFor(core, payment);
  if (!account) throw tryLater('rail_unavailable', 60);
  const attempt = { ...nameAttempt(core, account), kind: 'purchase', phone, status: 'Unsent', ...times } as const;
  const set = { phone, failureCode: null, attemptsMade: payment.attemptsMade + 1, dueAt: null };
  await withdrawOffers(core, db, payment, now);
  await transition(db, payment, 'submit', { at: now, set, details: { attemptId: attempt.id } });
  await insertAttempt.run(db, { row: { ...attempt, paymentId: payment.id } });
  const moved = paymentAfter(payment, 'submit', set);
  // A payment with money needs a read of its transactions.
  const shown = payment.amountPaidMinor === 0 ? { ...moved, ...NO_DETAILS, pushedAt: now } : null;
  return { push: { payment: moved, attempt, written: attempt }, shown };
}

const NO_DETAILS = { ppr: null, money: null, insteadId: null, thanks: null, endedAt: null };

const lockForPush = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables
    .selectFrom('payments')
    .selectAll()
    .select((eb) =>
      // Terminals that have no row in our database are left to the rail's decision.
      eb
        .exists(
          eb
            .selectFrom('terminals as t')
            .select('t.id')
            .whereRef('t.merchantId', '=', 'payments.merchantId')
            .whereRef('t.posId', '=', 'payments.gpoPosId')
            .where('t.status', '=', 'Closed'),
        )
        .as('isTerminalClosed'),
    )
    .where('id', '=', paymentId)
    .forUpdate(),
);

/** Limits the pushes to one phone (PUSHES_PER_PHONE), so that people cannot annoy others. Off in the sandbox. */
async function limitPushesPerPhone(core: Core, db: Db, phone: string, now: Date): Promise<void> {
  const limit = core.config.PUSHES_PER_PHONE;
  if (core.config.isSandbox || limit === 0) return;
  // The lock prevents concurrent checkouts from exceeding the phone's limit together.
  await takeLock(db, `phone ${phone}`);
  const since = new Date(now.getTime() - PHONE_WINDOW_MS);
  const pushes = await findCheckoutPushes.all(db, { phone, since, limit });
  const oldest = pushes[0];
  if (!oldest || pushes.length < limit) return;
  const waitMs = oldest.createdAt.getTime() + PHONE_WINDOW_MS - now.getTime();
  throw tryLater('too_many_pushes', waitMs / 1000);
}

/** Finds recent pushes to a phone from web frames. The limit does not count pushes that merchants' servers request. */
const findCheckoutPushes = prepared((tables, { phone, since, limit }: { phone: string; since: Date; limit: number }) =>
  tables
    .selectFrom('attempts')
    .select('createdAt')
    .where('phone', '=', phone)
    .where('createdAt', '>', since)
    .where('paymentId', 'in', (eb) => eb.selectFrom('payments').select('id').where('paymentMethod', '=', 'webframe'))
    .orderBy('createdAt')
    .limit(limit),
);
