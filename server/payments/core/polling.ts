// Polls rails: due attempts, expiry of payments, a merchant's sync, and unverified notifications.
import type { Core } from '../../core.ts';
import { prepared } from '../../database/db.ts';
import { inTransaction } from '../../database/orm.ts';
import { tryLater } from '../../http/problem.ts';
import { dueQueue, preloadingQueue, reschedule, type Claim, type DueQueue } from '../../jobs/due.ts';
import { leaseMs } from '../../jobs/schedule.ts';
import type { AttemptIds } from '../../providers/connector.ts';
import type { Attempt, Payment } from './entities.ts';
import { methodOf, orderOf } from './method.ts';
import { changeAttempt, findAttempt, findAttempts, lockPayment, setPaymentDue } from './rows.ts';
import { closePending } from './states.ts';

/** The queues of due attempts and due payments. */
export function paymentQueues(core: Core): DueQueue[] {
  return [
    preloadingQueue(
      core,
      {
        table: 'attempts',
        ...core.rails.watches.turns,
        leaseMs: leaseMs(core.config),
        run: (attempt: Attempt) => resolveAttempt(core, attempt),
      },
      (claims) => findAttempts.all(core, { ids: claims.map(({ id }) => id) }),
    ),
    dueQueue(core, { table: 'payments', leaseMs: 30_000, run: (claim) => expirePayment(core, claim) }),
  ];
}

function resolveAttempt(core: Core, attempt: Attempt): Promise<void> {
  if (attempt.resolvedAt) return reschedule(core, 'attempts', attempt, null);
  return orderOf(attempt.kind).resolve(core, attempt);
}

async function expirePayment(core: Core, claim: Claim): Promise<void> {
  const hasChanged = await inTransaction(core, async (db) => {
    const payment = await lockPayment.first(db, { id: claim.id });
    const at = core.clock.now();
    const isWaiting = payment?.status === 'Pending' || (payment?.status === 'Authorized' && !payment.operation);
    if (!isWaiting) {
      // When the push or the authorization's operation ends, it sets `dueAt` again under the same lock.
      await setPaymentDue.run(db, { id: claim.id, dueAt: null });
      return false;
    }
    const { isUnmade, expire } = methodOf(payment);
    const isMaking = isUnmade?.(payment) ?? false;
    if (!isMaking && payment.expiresAt && payment.expiresAt <= at) {
      await (expire ? expire(db, payment, at) : closePending(db, payment, 'expire', at));
      return true;
    }
    const dueAt = isMaking ? new Date(at.getTime() + leaseMs(core.config)) : (payment.expiresAt ?? null);
    await setPaymentDue.run(db, { id: claim.id, dueAt });
    return false;
  });
  if (hasChanged) core.changes.publish(`payment:${claim.id}`);
}

/**
 * Queries the rail about orders without an outcome, and about money for the QR code or the reference.
 * Refused pushes are queried too, because a refusal is not final while the payer can try again.
 * Concurrent callers share one round of queries.
 * @throws Problem rail_unavailable if the rail did not answer
 */
export function syncPayment(core: Core, payment: Payment): Promise<void> {
  return core.rails.share(`sync ${payment.id}`, () => queryRail(core, payment));
}

async function queryRail(core: Core, payment: Payment): Promise<void> {
  const isAnswered = (await methodOf(payment).sync?.(core, payment)) ?? true;
  // The only attempts of a payment by reference are refunds.
  if (!(await queryAttempts(core, payment.id)) || !isAnswered) throw tryLater('rail_unavailable', 5);
}

/** Queries a payment's attempts. False if the rail left a query without a response. */
async function queryAttempts(core: Core, paymentId: string): Promise<boolean> {
  let isAway = false;
  for (const attempt of await findOpenAttempts.all(core, { paymentId }))
    isAway = !(await orderOf(attempt.kind).query(core, attempt, 'sync')) || isAway;
  return !isAway;
}

/**
 * Queries the rail after an unproven rail notification.
 * False if the attempt is unknown or the rail does not respond.
 */
export async function queryUnprovenNotification(
  core: Core,
  rail: string,
  { attemptId, railKey, railOrderId }: AttemptIds,
): Promise<boolean> {
  const attempt =
    (attemptId && (await findAttempt.first(core, { id: attemptId }))) ||
    (railKey && (await findByKey.first(core, { rail, railKey }))) ||
    (railOrderId && (await findByOrder.first(core, { rail, railOrderId }))) ||
    null;
  if (attempt?.rail !== rail) return false;
  // Only the rail knows the notification URL of the attempt.
  // If the rail's response was lost, its notification names the rail's id of the order.
  const isUnnamed = attemptId && railOrderId && !attempt.railOrderId;
  const isLearned = isUnnamed && !(await findByOrder.first(core, { rail, railOrderId }));
  if (isLearned) await changeAttempt.run(core, { id: attempt.id, set: { railOrderId } });
  return orderOf(attempt.kind).query(core, isLearned ? { ...attempt, railOrderId } : attempt, 'notification');
}

const findByKey = prepared((tables, { rail, railKey }: { rail: string; railKey: string }) =>
  tables.selectFrom('attempts').selectAll().where('rail', '=', rail).where('railKey', '=', railKey),
);

const findByOrder = prepared((tables, { rail, railOrderId }: { rail: string; railOrderId: string }) =>
  tables.selectFrom('attempts').selectAll().where('rail', '=', rail).where('railOrderId', '=', railOrderId),
);

/** Finds open attempts of a payment and its captures. A capture is a separate payment with an `authorizationId`. */
const findOpenAttempts = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables
    .selectFrom('attempts')
    .select(['id', 'kind', 'rail', 'railOrderId', 'sentAt', 'resolvedAt'])
    .where('paymentId', 'in', (eb) =>
      eb
        .selectFrom('payments')
        .select('payments.id')
        .where((of) => of.or([of('payments.id', '=', paymentId), of('authorizationId', '=', paymentId)])),
    )
    .where((eb) => eb.or([eb('status', '<>', 'Approved'), eb('kind', '=', 'qrcode')]))
    .orderBy('createdAt'),
);
