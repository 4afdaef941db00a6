// What the rail was asked for: recorded before it is asked.
import type { Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import { prepared, type Db, type Tables } from '../database/db.ts';
import type { Attempt } from './entities.ts';

/** Records that the rail must let go of what it made for the payment; `dueAt` is when the due rows take it up. */
export function insertVoid(db: Db, paymentId: string, at: Date, dueAt: Date): Promise<Attempt> {
  const row = { id: uuid(), paymentId, kind: 'void', status: 'Unsent', createdAt: at, sentAt: at, dueAt } as const;
  return insertAttempt.one(db, { row });
}

export const insertAttempt = prepared((tables, { row }: { row: Insertable<Tables['attempts']> }) =>
  tables.insertInto('attempts').values(row).returningAll(),
);
