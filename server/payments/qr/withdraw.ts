// Takes back the QR code that a hosted page showed.
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import type { Payment } from '../core/entities.ts';
import { changePayment, findMaker } from '../core/rows.ts';
import { insertVoid } from '../core/void.ts';

/**
 * The payer chose another way, or has paid: withdraws the code of the page. A rail without withdrawal keeps the code open until its
 * end; money that comes by it is recorded and reported.
 */
export async function withdrawCode(core: Core, db: Db, payment: Payment, at: Date): Promise<void> {
  if (payment.paymentMethod !== 'webframe' || !payment.qrContent || !(await takeBack(core, db, payment, at))) return;
  await changePayment.run(db, { id: payment.id, set: { qrContent: null, qrDeeplink: null } });
}

/** Has the newest code of a page taken back; false where its rail cannot. */
export async function takeBack(core: Core, db: Db, payment: Payment, at: Date): Promise<boolean> {
  const { rail } = await findMaker(db, payment.id, 'qrcode');
  if (!(await core.rails.can(rail, 'gpo'))?.qrWithdraw) return false;
  await insertVoid(db, payment, at, at);
  db.afterCommit?.(() => core.jobs.wake('attempts'));
  return true;
}
