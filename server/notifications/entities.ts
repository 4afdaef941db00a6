// What a merchant's people should know of, read through the API (decisions §7): nothing is pushed.
import { defineEntity, p } from '@mikro-orm/core';

export const NotificationSchema = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  properties: {
    seq: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    merchantId: p.uuid(),
    /** The type of the event it was made from. */
    type: p.text(),
    paymentId: p.uuid().nullable(),
    /** The event's, from which its words are made when it is read. */
    details: p.json().$type<Record<string, unknown>>(),
    /** What it is about, where several events tell of the same: told once. */
    subject: p.text(),
    createdAt: p.datetime(3),
    readAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'notifications_list', properties: ['merchantId', 'seq'] },
    { name: 'notifications_payment', properties: ['paymentId'], where: 'payment_id is not null' },
    { name: 'notifications_read', properties: ['merchantId', 'seq'], where: 'read_at is not null' },
    { name: 'notifications_unread', properties: ['merchantId', 'seq'], where: 'read_at is null' },
  ],
  uniques: [
    { name: 'notifications_id', properties: ['id'] },
    { name: 'notifications_subject', properties: ['merchantId', 'subject'] },
  ],
});

export class Notification extends NotificationSchema.class {}
NotificationSchema.setClass(Notification);

/** Their tables, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof NotificationSchema> {}
}
