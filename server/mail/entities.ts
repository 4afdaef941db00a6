// Mail to people: written in the transaction of what it tells, sent after it.
import { defineEntity, p } from '@mikro-orm/core';

export const MailSchema = defineEntity({
  name: 'Mail',
  tableName: 'mails',
  properties: {
    id: p.uuid().primary(),
    to: p.text(),
    subject: p.text(),
    /** Sealed, since links in it open accounts; empty once it was sent. */
    sealedText: p.text(),
    sealedHtml: p.text(),
    createdAt: p.datetime(3),
    sentAt: p.datetime(3).nullable(),
    /** When it is tried next; null: sent, or given up. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
    /** Why the last attempt failed, in a line. */
    error: p.text().nullable(),
  },
  indexes: [{ name: 'mails_due', properties: ['dueAt'], where: 'due_at is not null' }],
});

export class Mail extends MailSchema.class {}
MailSchema.setClass(Mail);

/** Their tables, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof MailSchema> {}
}
