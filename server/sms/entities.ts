// A merchant's SMS: units and every movement of them, contacts, lists, templates, and what was sent or is to be.
import { defineEntity, p } from '@mikro-orm/core';

/** How messages say that one can refuse them: not at all, by an answer, by the address of a page, or by a number to call. */
export const OPT_OUT_TEXTS = ['none', 'reply', 'link', 'number'] as const;
export type OptOutText = (typeof OPT_OUT_TEXTS)[number];

export const SmsAccountSchema = defineEntity({
  name: 'SmsAccount',
  tableName: 'sms_accounts',
  properties: {
    merchantId: p.uuid().primary(),
    /** Units; always the sum of the ledger. */
    balance: p.integer(),
    /** Whom messages come from, unless a sending says otherwise; null: SMS_SENDER. */
    sender: p.text().nullable(),
    optOutText: p.text().$type<OptOutText>().default('none'),
    /** Nine digits: whom people call who refuse. */
    optOutNumber: p.text().nullable(),
    updatedAt: p.datetime(3),
  },
  checks: [{ name: 'sms_accounts_balance', expression: 'balance >= 0' }],
});

export class SmsAccount extends SmsAccountSchema.class {}
SmsAccountSchema.setClass(SmsAccount);

export const LEDGER_KINDS = ['credit', 'debit', 'refund'] as const;

export const SmsLedgerSchema = defineEntity({
  name: 'SmsLedgerEntry',
  tableName: 'sms_ledger',
  properties: {
    seq: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    merchantId: p.uuid(),
    kind: p.text().$type<(typeof LEDGER_KINDS)[number]>(),
    /** Above zero. */
    quantity: p.integer(),
    balanceAfter: p.integer(),
    description: p.text(),
    /** The sending that used units or got them back. */
    batchId: p.uuid().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'sms_ledger_merchant', properties: ['merchantId', 'kind', 'seq'] }],
});

/** A movement of units. Never changed. */
export class SmsLedgerEntry extends SmsLedgerSchema.class {}
SmsLedgerSchema.setClass(SmsLedgerEntry);

export const SmsContactSchema = defineEntity({
  name: 'SmsContact',
  tableName: 'sms_contacts',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    name: p.text(),
    /** E.164. Several contacts may share one. */
    phone: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { name: 'sms_contacts_list', properties: ['merchantId', 'createdAt', 'id'] },
    { name: 'sms_contacts_phone', properties: ['merchantId', 'phone'] },
  ],
});

export class SmsContact extends SmsContactSchema.class {}
SmsContactSchema.setClass(SmsContact);

export const SmsListSchema = defineEntity({
  name: 'SmsList',
  tableName: 'sms_lists',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    name: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'sms_lists_list', properties: ['merchantId', 'createdAt', 'id'] }],
});

/** Contacts under one name. */
export class SmsList extends SmsListSchema.class {}
SmsListSchema.setClass(SmsList);

export const SmsListContactSchema = defineEntity({
  name: 'SmsListContact',
  tableName: 'sms_list_contacts',
  properties: {
    listId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    addedAt: p.datetime(3),
  },
  indexes: [{ name: 'sms_list_contacts_contact', properties: ['contactId'] }],
});

/** A contact's place on a list. */
export class SmsListContact extends SmsListContactSchema.class {}
SmsListContactSchema.setClass(SmsListContact);

/** Who wrote a refusal down: the person by an answer or on their page, or the merchant, to whom they said so. */
export const OPT_OUT_SOURCES = ['reply', 'page', 'merchant'] as const;
export type OptOutSource = (typeof OPT_OUT_SOURCES)[number];

export const SmsOptOutSchema = defineEntity({
  name: 'SmsOptOut',
  tableName: 'sms_opt_outs',
  properties: {
    merchantId: p.uuid().primary(),
    /** E.164; once it was erased a keyed digest (opt-outs/refusals.ts). */
    phone: p.text().primary(),
    /** What the API calls it by: no address holds a phone. */
    id: p.uuid().defaultRaw('gen_random_uuid()'),
    /** Null: the person, before it was written down how. */
    source: p.text().$type<OptOutSource>().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'sms_opt_outs_list', properties: ['merchantId', 'createdAt', 'id'] }],
});

/** Who answered a merchant's message with PARAR or STOP, or said so on their page or to the merchant, gets no more of them, whatever becomes of the contact. */
export class SmsOptOut extends SmsOptOutSchema.class {}
SmsOptOutSchema.setClass(SmsOptOut);

export const SmsOptOutCodeSchema = defineEntity({
  name: 'SmsOptOutCode',
  tableName: 'sms_opt_out_codes',
  properties: {
    /** Drawn by chance; it stands in the address. */
    code: p.text().primary(),
    merchantId: p.uuid(),
    /** E.164. */
    phone: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'sms_opt_out_codes_phone', properties: ['merchantId', 'phone'] }],
});

/** The page on which somebody refuses a merchant's messages: one for each merchant and phone, for good. */
export class SmsOptOutCode extends SmsOptOutCodeSchema.class {}
SmsOptOutCodeSchema.setClass(SmsOptOutCode);

export const DigestKeySchema = defineEntity({
  name: 'DigestKey',
  tableName: 'digest_keys',
  properties: {
    id: p.text().primary(),
    sealedKey: p.text(),
  },
});

/** What numbers are digested with that were erased (opt-outs/refusals.ts). */
export class DigestKey extends DigestKeySchema.class {}
DigestKeySchema.setClass(DigestKey);

export const SmsTemplateSchema = defineEntity({
  name: 'SmsTemplate',
  tableName: 'sms_templates',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    name: p.text(),
    /** With `{{chave}}` where a value goes. */
    content: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'sms_templates_list', properties: ['merchantId', 'createdAt', 'id'] }],
});

export class SmsTemplate extends SmsTemplateSchema.class {}
SmsTemplateSchema.setClass(SmsTemplate);

export const BATCH_STATUSES = ['Scheduled', 'Released', 'Canceled'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

export const SmsBatchSchema = defineEntity({
  name: 'SmsBatch',
  tableName: 'sms_batches',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** The rail account that sends it: its id, or `sms` for the node's own. */
    rail: p.text().default('sms'),
    sender: p.text(),
    /** The text, or the template as it was then. */
    content: p.text(),
    /** Messages, as they were accepted. */
    recipients: p.integer(),
    /** As many as were debited. */
    units: p.integer(),
    status: p.text().$type<BatchStatus>(),
    /** The minute it is to be sent; null: at once. */
    runAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    releasedAt: p.datetime(3).nullable(),
    canceledAt: p.datetime(3).nullable(),
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [
    { name: 'sms_batches_merchant', properties: ['merchantId', 'id'] },
    { name: 'sms_batches_due', properties: ['dueAt'], where: 'due_at is not null' },
    {
      name: 'sms_batches_scheduled',
      properties: ['merchantId', 'status', 'createdAt', 'id'],
      where: 'run_at is not null',
    },
  ],
});

/** One sending: what was asked for in one request, paid for as a whole. */
export class SmsBatch extends SmsBatchSchema.class {}
SmsBatchSchema.setClass(SmsBatch);

export const MESSAGE_STATUSES = ['Pending', 'Sent', 'Delivered', 'Failed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const SmsMessageSchema = defineEntity({
  name: 'SmsMessage',
  tableName: 'sms_messages',
  properties: {
    /** The rail's idempotency key too. */
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    batchId: p.uuid(),
    /** E.164. */
    phone: p.text(),
    /** Null: the sending's own text. */
    content: p.text().nullable(),
    /** Units, too. */
    parts: p.smallint(),
    status: p.text().$type<MessageStatus>(),
    /** Why it failed: the rail's reason or ours, as states.ts lists them. */
    failure: p.text().nullable(),
    /** The rail's own id of it. */
    railMessageId: p.text().nullable(),
    /** When its last call began, where the rail might send a repeated one twice. */
    railAskedAt: p.datetime(3).nullable(),
    /** When it was sent, before that when it was accepted for sending: its place in the history. Null: not yet to be sent. */
    listedAt: p.datetime(3).nullable(),
    sentAt: p.datetime(3).nullable(),
    deliveredAt: p.datetime(3).nullable(),
    dueAt: p.datetime(3).nullable(),
    /** Claims so far: from the second on the rail is asked what became of the first. */
    dueCount: p.integer().default(0),
  },
  indexes: [
    { name: 'sms_messages_history', properties: ['merchantId', 'listedAt', 'id'], where: 'listed_at is not null' },
    {
      name: 'sms_messages_status',
      properties: ['merchantId', 'status', 'listedAt', 'id'],
      where: 'listed_at is not null',
    },
    { name: 'sms_messages_merchant', properties: ['merchantId', 'id'] },
    { name: 'sms_messages_batch', properties: ['batchId'] },
    { name: 'sms_messages_phone', properties: ['phone'] },
    { name: 'sms_messages_due', properties: ['dueAt'], where: "status = 'Pending' and due_at is not null" },
    // Each merchant in turn.
    {
      name: 'sms_messages_turn',
      properties: ['merchantId', 'dueAt'],
      where: "status = 'Pending' and due_at is not null",
    },
    { name: 'sms_messages_rail', properties: ['railMessageId'], where: 'rail_message_id is not null' },
    { name: 'sms_messages_follow', properties: ['dueAt'], where: "status = 'Sent' and due_at is not null" },
    {
      name: 'sms_messages_follow_turn',
      properties: ['merchantId', 'dueAt'],
      where: "status = 'Sent' and due_at is not null",
    },
  ],
});

/** One message to one phone. */
export class SmsMessage extends SmsMessageSchema.class {}
SmsMessageSchema.setClass(SmsMessage);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<
    | typeof SmsAccountSchema
    | typeof SmsLedgerSchema
    | typeof SmsContactSchema
    | typeof SmsListSchema
    | typeof SmsListContactSchema
    | typeof SmsOptOutSchema
    | typeof SmsOptOutCodeSchema
    | typeof DigestKeySchema
    | typeof SmsTemplateSchema
    | typeof SmsBatchSchema
    | typeof SmsMessageSchema
  > {}
}
