// Notifications for a merchant's people. The API and the console show them, and no push notification is sent.
import { defineEntity, p } from '@mikro-orm/core';

export const NotificationSchema = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  properties: {
    seq: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    merchantId: p.uuid(),
    /** `type`: the type of the event that caused the notification. */
    type: p.text(),
    paymentId: p.uuid().nullable(),
    /** `details`: the details of the event. A read composes the notification's text from these. */
    details: p.json().$type<Record<string, unknown>>(),
    /** `subject`: events with the same subject cause one notification. */
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

/** Adds the table of merchants' notifications to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof NotificationSchema> {}
}
