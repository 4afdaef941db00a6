// Notifications for a merchant's people. The API and the console show them, and a job mails them.
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
    /** `dueAt`: when the job looks for people who want the notification by mail. Null after that. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
    /** `mailedAt`: when the notification was mailed. Null if no person wanted it by mail. */
    mailedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'notifications_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'notifications_list', properties: ['merchantId', 'seq'] },
    { name: 'notifications_mailed', properties: ['merchantId', 'type', 'mailedAt'], where: 'mailed_at is not null' },
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
