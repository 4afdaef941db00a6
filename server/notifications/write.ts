// Writes notifications without a single event as their cause, in the transaction of their change.
// The database trigger `fan_out_events` writes all other notifications.
import type { Insertable } from 'kysely';
import { v4 as uuid } from 'uuid';
import type { NoticeType } from '../../shared/notices.ts';
import type { Actor } from '../audit/record.ts';
import { prepared, type Db, type Tables } from '../database/db.ts';

export type Notice = {
  merchantId: string;
  type: NoticeType;
  details: Record<string, unknown>;
  /** `actor`: who made the change. The notice names the actor, and a person gets no mail about their own change. */
  actor?: Actor;
  at: Date;
};

/** Writes one notification. A repeated call writes another notification. */
export async function writeNotice(db: Db, { merchantId, type, details, actor, at }: Notice): Promise<void> {
  const id = uuid();
  const by = actor && { actor: { kind: actor.kind, id: actor.id } };
  const about = { paymentId: null, details: { ...details, ...by }, subject: `${type} ${id}` };
  await insertNotice.run(db, { row: { id, merchantId, type, ...about, createdAt: at, dueAt: at } });
}

const insertNotice = prepared((tables, { row }: { row: Insertable<Tables['notifications']> }) =>
  tables.insertInto('notifications').values(row),
);
