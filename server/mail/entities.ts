// Mail to people. The transaction of the change writes it, and a job sends it after the commit.
import { defineEntity, p } from '@mikro-orm/core';

export const MailSchema = defineEntity({
  name: 'Mail',
  tableName: 'mails',
  properties: {
    id: p.uuid().primary(),
    /** The merchant that mails its customer. Null for mails to people of the console. */
    merchantId: p.uuid().nullable(),
    /** The recipient's address. Empty after a mail to a customer was sent or given up. */
    to: p.text(),
    subject: p.text(),
    /** The encrypted text of the mail, whose links open accounts. Empty after the mail was sent. */
    sealedText: p.text(),
    sealedHtml: p.text(),
    createdAt: p.datetime(3),
    sentAt: p.datetime(3).nullable(),
    /** `dueAt`: time of the next attempt to send the mail. Null after success or the last attempt. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
    /** `error`: the reason of the last failed attempt, in one line. */
    error: p.text().nullable(),
  },
  indexes: [
    { name: 'mails_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'mails_customers', properties: ['merchantId', 'id'], where: 'merchant_id is not null' },
  ],
});

export class Mail extends MailSchema.class {}
MailSchema.setClass(Mail);

/** Adds the table of mail to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof MailSchema> {}
}
