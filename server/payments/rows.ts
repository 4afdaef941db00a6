// Payments and attempts by their ids, and a payment's reference: read, locked, changed. Whatever changes a payment counts its revision.
import type { Updateable } from 'kysely';
import { isAny, prepared, type Db, type Tables } from '../database/db.ts';
import type { Payment, Reference } from './entities.ts';

type ById = { id: string };

/** Columns of a payment that may be set; its status is states.ts's. */
export type PaymentChange = Omit<Updateable<Tables['payments']>, 'id' | 'status' | 'revision'>;

export const findPayment = prepared((tables, { id }: ById) =>
  tables.selectFrom('payments').selectAll().where('id', '=', id),
);

export const findPayments = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('payments')
    .selectAll()
    .where('id', ...isAny(ids)),
);

/** As it is once the lock is won; until the transaction ends nobody else changes it. */
export const lockPayment = prepared((tables, { id }: ById) =>
  tables.selectFrom('payments').selectAll().where('id', '=', id).forUpdate(),
);

export const changePayment = prepared((tables, { id, set }: ById & { set: PaymentChange }) =>
  tables
    .updateTable('payments')
    .set(set)
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', id),
);

/** A merchant's own, locked. */
export const lockOwn = prepared((tables, { id, merchantId }: ById & { merchantId: string }) =>
  tables.selectFrom('payments').selectAll().where('id', '=', id).where('merchantId', '=', merchantId).forUpdate(),
);

/** When its time is looked at next, which is no change that anybody is shown. */
export const setPaymentDue = prepared((tables, { id, dueAt }: ById & { dueAt: Date | null }) =>
  tables.updateTable('payments').set({ dueAt }).where('id', '=', id),
);

/** An authorization, while it is claimed by this attempt. */
export const changeClaimed = prepared(
  (tables, { id, operationId, set }: ById & { operationId: string; set: PaymentChange }) =>
    tables
      .updateTable('payments')
      .set(set)
      .set((eb) => ({ revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .where('operationId', '=', operationId),
);

/** The payment an attempt is of, locked. */
export const lockPaymentOf = prepared((tables, { attemptId }: { attemptId: string }) =>
  tables
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', (eb) => eb.selectFrom('attempts').select('paymentId').where('attempts.id', '=', attemptId))
    .forUpdate(),
);

export const findAttempt = prepared((tables, { id }: ById) =>
  tables.selectFrom('attempts').selectAll().where('id', '=', id),
);

export const changeAttempt = prepared((tables, { id, set }: ById & { set: Updateable<Tables['attempts']> }) =>
  tables.updateTable('attempts').set(set).where('id', '=', id),
);

/** Each payment has one at most. */
export const findByPayment = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables.selectFrom('payment_references').selectAll().where('paymentId', '=', paymentId),
);

/** A payment's reference; null for a payment by other means. */
export function findReferenceOf(db: Db, payment: Pick<Payment, 'id' | 'paymentType'>): Promise<Reference | null> {
  if (payment.paymentType !== 'PPR') return Promise.resolve(null);
  return findByPayment.first(db, { paymentId: payment.id });
}
