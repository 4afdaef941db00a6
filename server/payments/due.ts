// What a payment's time brings: pushes without an outcome are asked about, payments nobody paid expire.
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import type { Db } from '../database/db.ts';
import { leaseMs } from '../jobs/schedule.ts';
import { dueQueue, reschedule, type Claim, type DueQueue } from '../jobs/due.ts';
import type { GpoRail } from '../providers/provider.ts';
import { insertVoid } from './attempts.ts';
import { closePending, isUnmade } from './cancel.ts';
import { claimSend, sendAttempt } from './charge.ts';
import type { Payment } from './entities.ts';
import { claimHold } from './hold.ts';
import { NOTHING_HEARD } from './outcome.ts';
import { givenUpAt } from './polling.ts';
import { settleCode } from './scan.ts';
import { settleAttempt } from './settle.ts';
import { findAttempt, lockPayment, setPaymentDue } from './rows.ts';

/** What of payments comes due. */
export function paymentQueues(core: Core, rail: GpoRail): DueQueue[] {
  return [
    dueQueue(core, {
      table: 'attempts',
      leaseMs: leaseMs(core.config),
      run: (claim) => resolveAttempt(core, rail, claim),
    }),
    dueQueue(core, { table: 'payments', leaseMs: 30_000, run: (claim) => expirePayment(core, claim) }),
  ];
}

/**
 * Asks the rail by attempt id first. Only an order whose call was never answered, which the rail does not know
 * and whose time has not passed, is sent (again): the rail takes one id once. One that reached nobody until then is closed
 * without asking, so that its payer need not wait for the rail to be back.
 */
async function resolveAttempt(core: Core, rail: GpoRail, claim: Claim): Promise<void> {
  const attempt = await findAttempt.first(core, { id: claim.id });
  if (!attempt || attempt.resolvedAt) return reschedule(core, 'attempts', claim, null);
  if (attempt.kind === 'qrcode')
    return void (await settleCode(core, attempt.id, await rail.queryQrCode(attempt.id), 'poll'));
  const isGivenUp = attempt.status === 'Unreached' && givenUpAt(attempt) <= core.clock.now();
  const outcome = isGivenUp ? NOTHING_HEARD : await rail.query(attempt.kind, attempt.id);
  const mayGoOut = ['Unsent', 'Unreached'].includes(attempt.status) || attempt.kind === 'void';
  const isMissing = outcome.result === 'not_found' && mayGoOut;
  const order = isMissing ? await claimSend(core, attempt.id, attempt.sentAt) : null;
  if (order) await sendAttempt(core, rail, order);
  else await settleAttempt(core, attempt.id, outcome, 'poll', attempt);
}

async function expirePayment(core: Core, claim: Claim): Promise<void> {
  const hasChanged = await inTransaction(core, async (db) => {
    const payment = await lockPayment.first(db, { id: claim.id });
    const at = core.clock.now();
    const isWaiting = payment?.status === 'Pending' || (payment?.status === 'Authorized' && !payment.operation);
    // While the rail is making a code, only that call, or its lease, ends the payment.
    const isMaking = isWaiting && isUnmade(payment);
    const isOver = isWaiting && !isMaking && payment.expiresAt && payment.expiresAt <= at;
    if (isOver) return EXPIRE[payment.status as keyof typeof EXPIRE](db, payment, at);
    // Never while Processing, or while an authorization is claimed: who ends that sets the time again, under the same lock.
    const laterAt = isMaking ? new Date(at.getTime() + leaseMs(core.config)) : (payment?.expiresAt ?? null);
    const dueAt = isWaiting ? laterAt : null;
    await setPaymentDue.run(db, { id: claim.id, dueAt });
    return false;
  });
  if (hasChanged) core.changes.publish(`payment:${claim.id}`);
}

/** What the end of its time does to a payment. */
const EXPIRE = {
  async Pending(db: Db, payment: Payment, at: Date): Promise<boolean> {
    await closePending(db, payment, 'expire', at);
    return true;
  },
  /** The hold is claimed first; it is `Expired` when the rail has let go. */
  async Authorized(db: Db, payment: Payment, at: Date): Promise<boolean> {
    const { id } = await insertVoid(db, payment.id, at, at);
    await claimHold(db, payment.id, 'voiding', id);
    return true;
  },
};
