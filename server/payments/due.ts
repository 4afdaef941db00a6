// What a payment's time brings: pushes without an outcome are asked about, payments nobody paid expire.
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import { findRow, updateRows } from '../database/rows.ts';
import { reschedule, type Claim, type DueWork } from '../due/work.ts';
import type { GpoRail } from '../providers/provider.ts';
import { claimSend, sendPush } from './charge.ts';
import { Attempt, Payment } from './entities.ts';
import { leaseMs } from './polling.ts';
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
  const attempt = await findRow(core, Attempt, 'id = $1', [claim.id]);
  if (!attempt || attempt.resolvedAt) return reschedule(core, 'attempts', claim, null);
  const outcome = await rail.query(attempt.id);
  const isMissing = outcome.result === 'not_found' && attempt.status === 'Unsent';
  const push = isMissing ? await claimSend(core, attempt.id, attempt.sentAt) : null;
  if (push) await sendPush(core, rail, push);
  else await settleAttempt(core, attempt.id, outcome, 'poll');
}

async function expirePayment(core: Core, claim: Claim): Promise<void> {
  const hasExpired = await inTransaction(core, async (db) => {
    const payment = await findRow(db, Payment, 'id = $1 for update', [claim.id]);
    const at = core.clock.now();
    if (payment?.status === 'Pending' && payment.expiresAt && payment.expiresAt <= at)
      return transition(db, payment, 'expire', { set: { dueAt: null }, at });
    // Never while Processing: a push that fails later sets the time again, under the same lock.
    const dueAt = payment?.status === 'Pending' ? (payment.expiresAt ?? null) : null;
    await updateRows(db, Payment, { set: { dueAt } }, 'id = $1', [claim.id]);
    return false;
  });
  if (hasExpired) core.changes.publish(`payment:${claim.id}`);
}
