// A void at the rail. It releases an authorization's hold, or withdraws a QR code.
import { v7 as uuid } from 'uuid';
import type { Db } from '../../database/db.ts';
import { recordEvent } from '../../events/record.ts';
import type { Attempt, Payment } from './entities.ts';
import { gpoOrder } from './gpo-order.ts';
import { methodOf, type Order } from './method.ts';
import { subjectOf } from './record-transaction.ts';
import { changeAttempt, findCreatingAttempt, insertAttempt } from './rows.ts';

/** Inserts the attempt of a void. At `dueAt`, the due-row job sends it. */
export async function insertVoid(
  db: Db,
  payment: Pick<Payment, 'id' | 'paymentMethod'>,
  at: Date,
  dueAt: Date,
): Promise<Attempt> {
  const { rail } = await findCreatingAttempt(db, payment.id, voidedBy(payment));
  const about = { id: uuid(), paymentId: payment.id, kind: 'void', rail } as const;
  const row = { ...about, status: 'Unsent', createdAt: at, sentAt: at, dueAt } as const;
  return insertAttempt.one(db, { row });
}

function voidedBy({ paymentMethod }: Pick<Payment, 'paymentMethod'>): 'qrcode' | 'authorization' {
  return paymentMethod === 'authorization' ? 'authorization' : 'qrcode';
}

export const voidOrder: Order = gpoOrder({
  async build(core, { payment }, { attemptId, gpoMerchantId }) {
    const target = voidedBy(payment);
    const { id: targetId } = await findCreatingAttempt(core, payment.id, target);
    return { attemptId, gpoMerchantId, kind: 'void', target, targetId };
  },
  async approved(_core, context) {
    const { db, payment, attempt, at } = context;
    if (attempt.status === 'Approved') return 'unchanged';
    const set = { status: 'Approved', failureCode: null, resolvedAt: at, dueAt: null } as const;
    await changeAttempt.run(db, { id: attempt.id, set });
    return (await methodOf(payment).voided?.(context)) ? 'changed' : 'unchanged';
  },
  async refused(_core, context, _failureCode, details) {
    const { db, payment, at } = context;
    const isStuck = await methodOf(payment).voidRefused?.(context);
    const event = { ...subjectOf(payment), occurredAt: at, details };
    await recordEvent(db, { ...event, type: 'payment.attempt_failed' });
    if (isStuck) await recordEvent(db, { ...event, type: 'payment.stuck' });
    return 'changed';
  },
});
