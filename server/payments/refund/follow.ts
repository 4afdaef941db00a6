// Cancels a refund that the rail has not received, and queries the rail about a refund.
import type { Core } from '../../core.ts';
import { repeatLost } from '../../database/unavailable.ts';
import type { Db } from '../../database/db.ts';
import { inTransaction } from '../../database/orm.ts';
import { recordAudit, type Actor } from '../../audit/record.ts';
import { Problem, tryLater } from '../../http/problem.ts';
import { orderOf } from '../core/method.ts';
import { changeAttempt, findAttempt, lockPaymentOf } from '../core/rows.ts';
import type { Refund } from './entities.ts';
import { findOwnRefund, findRefund } from './rows.ts';
import { releaseMoney } from './settle.ts';
import { moveRefund } from './states.ts';

type Own = { merchantId: string; refundId: string };

/** Finds a merchant's refund. @throws Problem not_found, also for another merchant's refund */
export async function findOwn(db: Db, { merchantId, refundId: id }: Own): Promise<Refund> {
  const refund = await findOwnRefund.first(db, { id: id.toLowerCase(), merchantId });
  if (!refund) throw new Problem('not_found');
  return refund;
}

/**
 * Cancels a refund that no rail received. A repeat changes nothing.
 * @throws Problem not_found, refund_not_cancelable
 */
export async function cancelRefund(core: Core, own: Own, actor: Actor): Promise<Refund> {
  const { id } = await findOwn(core, own);
  const refund = await repeatLost(() => inTransaction(core, (db) => withdraw(core, db, id, actor)));
  core.changes.publish(`payment:${refund.paymentId}`);
  return refund;
}

async function withdraw(core: Core, db: Db, id: string, actor: Actor): Promise<Refund> {
  // A node that sends the refund takes the same lock first.
  await lockPaymentOf.first(db, { attemptId: id });
  const refund = await findRefund.one(db, { id });
  if (refund.status === 'Canceled') return refund;
  const attempt = await findAttempt.first(db, { id });
  // A call without a response may have arrived at the rail, so the refund cannot be canceled.
  if (refund.status !== 'Pending' || attempt?.status !== 'Unreached') throw new Problem('refund_not_cancelable');
  const at = core.clock.now();
  await changeAttempt.run(db, { id, set: { status: 'Declined', resolvedAt: at, dueAt: null } });
  await releaseMoney(db, refund);
  const details = actor.kind === 'user' ? { canceledBy: actor.id } : {};
  await moveRefund(db, refund, 'cancel', { details, at });
  await recordAudit(db, { merchantId: refund.merchantId, actor, action: 'refund.canceled', target: id, at });
  return findRefund.one(db, { id });
}

/** Queries the rail about a refund that has not succeeded. @throws Problem not_found, rail_unavailable */
export async function syncRefund(core: Core, own: Own): Promise<Refund> {
  const refund = await findOwn(core, own);
  const attempt = await findAttempt.first(core, { id: refund.id });
  if (attempt && refund.status !== 'Succeeded' && !(await orderOf('refund').query(core, attempt, 'sync')))
    throw tryLater('rail_unavailable', 5);
  return findOwn(core, own);
}
