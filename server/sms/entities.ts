// A merchant's SMS units and every movement of them.
import { defineEntity, p } from '@mikro-orm/core';

const SmsAccountSchema = defineEntity({
  name: 'SmsAccount',
  tableName: 'sms_accounts',
  properties: {
    merchantId: p.uuid().primary(),
    /** Units; always the sum of the ledger. */
    balance: p.integer(),
    updatedAt: p.datetime(3),
  },
  checks: [{ name: 'sms_accounts_balance', expression: 'balance >= 0' }],
});

export class SmsAccount extends SmsAccountSchema.class {}
SmsAccountSchema.setClass(SmsAccount);

const SmsLedgerSchema = defineEntity({
  name: 'SmsLedgerEntry',
  tableName: 'sms_ledger',
  properties: {
    seq: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    merchantId: p.uuid(),
    kind: p.text().$type<'credit' | 'debit' | 'refund'>(),
    /** Above zero. */
    quantity: p.integer(),
    balanceAfter: p.integer(),
    description: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'sms_ledger_merchant', properties: ['merchantId', 'seq'] }],
});

/** A movement of units. Never changed. */
export class SmsLedgerEntry extends SmsLedgerSchema.class {}
SmsLedgerSchema.setClass(SmsLedgerEntry);
