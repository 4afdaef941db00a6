// Letting go of what the rail made for a payment: a hold, a merchant's code, or the code that a page showed.
import { v7 as uuid } from 'uuid';
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import type { Attempt, Payment } from '../core/entities.ts';
import { changePayment, findMaker, insertAttempt } from '../core/rows.ts';

/** Records that the rail must let go of what it made for the payment; `dueAt` is when the due rows take it up. */
export async function insertVoid(
  db: Db,
  payment: Pick<Payment, 'id' | 'paymentMethod'>,
  at: Date,
  dueAt: Date,
): Promise<Attempt> {
  const { rail } = await findMaker(db, payment.id, voidedBy(payment));
  const about = { id: uuid(), paymentId: payment.id, kind: 'void', rail } as const;
  const row = { ...about, status: 'Unsent', createdAt: at, sentAt: at, dueAt } as const;
  return insertAttempt.one(db, { row });
}

/** What a void of this payment ends. */
export function voidedBy({ paymentMethod }: Pick<Payment, 'paymentMethod'>): 'qrcode' | 'authorization' {
  return paymentMethod === 'authorization' ? 'authorization' : 'qrcode';
}

/**
 * The payer goes another way, or has paid: the code that a page showed is taken back, where its rail can. Where it cannot, it stays open
 * until its end, and what is paid through it is recorded and told.
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
