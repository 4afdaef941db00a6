// Tables of SMS: account and ledger of units, contacts, lists, opt-outs, templates, batches and messages.
import { defineEntity, p } from '@mikro-orm/core';

/** How an SMS explains the opt-out: not at all, by a reply, by the URL of a page, or by a phone number. */
export const OPT_OUT_TEXTS = ['none', 'reply', 'link', 'number'] as const;
export type OptOutText = (typeof OPT_OUT_TEXTS)[number];

export const SmsAccountSchema = defineEntity({
  name: 'SmsAccount',
  tableName: 'sms_accounts',
  properties: {
    merchantId: p.uuid().primary(),
    /** `balance`: the units left, always equal to the sum of the ledger. */
    balance: p.integer(),
    /** `sender`: the merchant's default sender. Null: the rail account's sender, or SMS_SENDER. */
    sender: p.text().nullable(),
    optOutText: p.text().$type<OptOutText>().default('none'),
    /** `optOutNumber`: nine digits of the number that people call to refuse SMS. */
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
    /** `quantity`: the number of units that were moved, at least 1. */
    quantity: p.integer(),
    balanceAfter: p.integer(),
    description: p.text(),
    /** `batchId`: the batch of a debit or refund. Null for a credit. */
    batchId: p.uuid().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'sms_ledger_merchant', properties: ['merchantId', 'kind', 'seq'] }],
});

/** A movement of SMS units in the ledger, which is append-only. */
export class SmsLedgerEntry extends SmsLedgerSchema.class {}
SmsLedgerSchema.setClass(SmsLedgerEntry);

export const SmsContactSchema = defineEntity({
  name: 'SmsContact',
  tableName: 'sms_contacts',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    name: p.text(),
    /** The contact's phone in E.164. Several contacts may share one phone. */
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

/** A named list of contacts. */
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

/** An entry of a contact list, which is one contact. */
export class SmsListContact extends SmsListContactSchema.class {}
SmsListContactSchema.setClass(SmsListContact);

/** Source of an opt-out: the person's reply, the person's opt-out page, or an entry by the merchant. */
export const OPT_OUT_SOURCES = ['reply', 'page', 'merchant'] as const;
export type OptOutSource = (typeof OPT_OUT_SOURCES)[number];

export const SmsOptOutSchema = defineEntity({
  name: 'SmsOptOut',
  tableName: 'sms_opt_outs',
  properties: {
    merchantId: p.uuid().primary(),
    /** The person's phone in E.164, or the keyed digest of an erased number (opt-outs/refusals.ts). */
    phone: p.text().primary(),
    /** The opt-out's id in API paths, so that no URL contains a phone number. */
    id: p.uuid().defaultRaw('gen_random_uuid()'),
    /** `source`: null for an opt-out by the person that is older than this column. */
    source: p.text().$type<OptOutSource>().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'sms_opt_outs_list', properties: ['merchantId', 'createdAt', 'id'] }],
});

/** An opt-out: a person's refusal of a merchant's SMS. It stays when the contact is deleted. */
export class SmsOptOut extends SmsOptOutSchema.class {}
SmsOptOutSchema.setClass(SmsOptOut);

export const SmsOptOutCodeSchema = defineEntity({
  name: 'SmsOptOutCode',
  tableName: 'sms_opt_out_codes',
  properties: {
    /** `code`: the random characters at the end of the opt-out page's URL. */
    code: p.text().primary(),
    merchantId: p.uuid(),
    /** The recipient's phone in E.164. */
    phone: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'sms_opt_out_codes_phone', properties: ['merchantId', 'phone'] }],
});

/** The permanent code of an opt-out page. Each pair of merchant and phone has one. */
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

/** The encrypted key that computes the digests of erased numbers (opt-outs/refusals.ts). */
export class DigestKey extends DigestKeySchema.class {}
DigestKeySchema.setClass(DigestKey);

export const SmsTemplateSchema = defineEntity({
  name: 'SmsTemplate',
  tableName: 'sms_templates',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    name: p.text(),
    /** The template's text with placeholders such as `{{nome}}`. */
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
    /** The rail account that sends the batch: its id, or `sms` for the node's own rail. */
    rail: p.text().default('sms'),
    sender: p.text(),
    /** The text of the batch, or a copy of the template at the time of the request. */
    content: p.text(),
    /** Number of messages when the batch was accepted. */
    recipients: p.integer(),
    /** `units`: the debited units. */
    units: p.integer(),
    status: p.text().$type<BatchStatus>(),
    /** `runAt`: the scheduled minute. Null: the batch is sent immediately. */
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

/** The messages of one send request, debited together. */
export class SmsBatch extends SmsBatchSchema.class {}
SmsBatchSchema.setClass(SmsBatch);

export const MESSAGE_STATUSES = ['Pending', 'Sent', 'Delivered', 'Failed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const SmsMessageSchema = defineEntity({
  name: 'SmsMessage',
  tableName: 'sms_messages',
  properties: {
    /** The message's id, which is also the rail's idempotency key. */
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    batchId: p.uuid(),
    /** The recipient's phone in E.164. */
    phone: p.text(),
    /** The message's own text. Null: the text of the batch. */
    content: p.text().nullable(),
    /** Number of SMS parts, which is also the price in units. */
    parts: p.smallint(),
    status: p.text().$type<MessageStatus>(),
    /** The reason of a failed message: a code of the rail, or `opted_out`, `expired` or `erased`. */
    failure: p.text().nullable(),
    /** The rail's id of the message. */
    railMessageId: p.text().nullable(),
    /** `railAskedAt`: start of the last call. Stored only for rails without idempotency. */
    railAskedAt: p.datetime(3).nullable(),
    /** Position in the history: the time of sending, before it the time of acceptance. Null while scheduled. */
    listedAt: p.datetime(3).nullable(),
    sentAt: p.datetime(3).nullable(),
    deliveredAt: p.datetime(3).nullable(),
    dueAt: p.datetime(3).nullable(),
    /** Number of claims of the message. From the second claim on, the node queries the rail before it sends. */
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
    // Index for claims of due messages, which take merchants in turn.
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
