// What a payment's time brings: pushes without an outcome are asked about, payments nobody paid expire.
import { LockMode } from '@mikro-orm/postgresql';
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import { reschedule, type Claim, type DueWork } from '../due/work.ts';
import type { GpoRail } from '../providers/provider.ts';
import { leaseMs, sendPush } from './charge.ts';
import { Attempt, Payment } from './entities.ts';
import { NOT_FOUND_IS_SURE_MS } from './polling.ts';
import { settleAttempt } from './settle.ts';
import { transition } from './states.ts';

/** The kinds of due work that payments have. */
export function paymentDueWork(core: Core, rail: GpoRail): DueWork[] {
  return [
    { table: 'attempts', leaseMs: leaseMs(core.config), run: (claim) => resolveAttempt(core, rail, claim) },
    { table: 'payments', leaseMs: 30_000, run: (claim) => expirePayment(core, claim) },
  ];
}

/**
 * Asks the rail by attempt id first. Only an attempt whose call was never answered, which the rail does not know
 * and whose time has not passed, is sent (again): the rail takes one id once.
 */
async function resolveAttempt(core: Core, rail: GpoRail, claim: Claim): Promise<void> {
  const attempt = await core.orm.em.fork().findOne(Attempt, claim.id, { populate: ['payment'] });
  if (!attempt || attempt.resolvedAt) return reschedule(core, 'attempts', claim, null);
  const outcome = await rail.query(attempt.id);
  const ageMs = core.clock.now().getTime() - attempt.createdAt.getTime();
  const isStillWanted = attempt.payment.status === 'Processing' && ageMs < NOT_FOUND_IS_SURE_MS;
  if (outcome.result === 'not_found' && attempt.status === 'Unsent' && isStillWanted) {
    return sendPush(core, rail, { payment: attempt.payment, attempt });
  }
  await settleAttempt(core, attempt.id, outcome, 'poll');
}

async function expirePayment(core: Core, claim: Claim): Promise<void> {
  const hasExpired = await inTransaction(core.orm, async (em) => {
    const payment = await em.findOneOrFail(Payment, claim.id, {
      lockMode: LockMode.PESSIMISTIC_WRITE,
      disableIdentityMap: true,
    });
    const at = core.clock.now();
    if (payment.status !== 'Pending' || !payment.expiresAt || payment.expiresAt > at) return false;
    return transition(em, payment, 'expire', { set: { dueAt: null }, at });
  });
  if (hasExpired) core.changes.publish(`payment:${claim.id}`);
  // Expiry is never while Processing; a push that fails later sets the time again.
  else await reschedule(core, 'payments', claim, null);
}
