// What the rail was asked for: finding whose it is, and asking that something be let go.
import { v7 as uuid } from 'uuid';
import { findRow, insertRow, type Db } from '../database/rows.ts';
import { Attempt, Payment } from './entities.ts';

/** The payment of an attempt, locked: as it is once the lock is won. */
export function lockPaymentOf(db: Db, attemptId: string): Promise<Payment | null> {
  return findRow(db, Payment, 'id = (select payment_id from attempts where id = $1) for update', [attemptId]);
}

/** Records that the rail must let go of what it made for the payment; `dueAt` is when the due rows take it up. */
export async function insertVoid(db: Db, paymentId: string, at: Date, dueAt: Date): Promise<Attempt> {
  const id = uuid();
  const row = { id, paymentId, kind: 'void', status: 'Unsent', createdAt: at, sentAt: at, dueAt } as const;
  await insertRow(db, Attempt, row);
  return (await findRow(db, Attempt, 'id = $1', [id])) as Attempt;
}
