// Writes notifications without a single event as their cause, in the transaction of their change.
// The database trigger `fan_out_events` writes all other notifications.
import type { Insertable } from 'kysely';
import { v4 as uuid } from 'uuid';
import { prepared, type Db, type Tables } from '../database/db.ts';
import type { NoticeType } from '../events/notified.ts';

export type Notice = { merchantId: string; type: NoticeType; details: Record<string, unknown>; at: Date };

/** Writes one notification. A repeated call writes another notification. */
export async function writeNotice(db: Db, { merchantId, type, details, at }: Notice): Promise<void> {
  const id = uuid();
  const row = { id, merchantId, type, paymentId: null, details, subject: `${type} ${id}`, createdAt: at };
  await insertNotice.run(db, { row });
}

const insertNotice = prepared((tables, { row }: { row: Insertable<Tables['notifications']> }) =>
  tables.insertInto('notifications').values(row),
);
