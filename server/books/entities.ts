// Settlements: what the bank is to credit for one clearing period of one rail account, and what it did credit.
import { defineEntity, p } from '@mikro-orm/core';
import type { SettlementStatus } from '../../shared/books.ts';

export const SettlementSchema = defineEntity({
  name: 'Settlement',
  tableName: 'settlements',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** The account, as its movements name it. */
    rail: p.text(),
    period: p.text(),
    currency: p.text(),
    /** The day of clearing of the first movement that was recorded of it. */
    day: p.text(),
    /** Written by close.ts only. */
    status: p.text().$type<SettlementStatus>().default('open'),
    /** From here on as last summed: once it is closed, and at each change after that (close.ts). */
    movementCount: p.integer().default(0),
    takenMinor: p.bigint('number').default(0),
    feesMinor: p.bigint('number').default(0),
    refundedMinor: p.bigint('number').default(0),
    /** Given back by hand, which is no part of the credit; nor of the count. */
    manualMinor: p.bigint('number').default(0),
    manualCount: p.integer().default(0),
    creditedMinor: p.bigint('number').default(0),
    closedAt: p.datetime(3).nullable(),
    /** As it was closed, for ever: how many movements, and what credit they came to. */
    closedCount: p.integer().nullable(),
    closedMinor: p.bigint('number').nullable(),
    createdAt: p.datetime(3),
    /** When it is closed, or summed again since something of it changed; null: nothing to do. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [
    { name: 'settlements_list', properties: ['merchantId', 'day', 'id'] },
    { name: 'settlements_due', properties: ['dueAt'], where: 'due_at is not null' },
  ],
  uniques: [{ name: 'settlements_period', properties: ['merchantId', 'rail', 'period', 'currency'] }],
});

/** Made by the database with the first money of its period (trigger `settle`), so that there is no money without one. */
export class Settlement extends SettlementSchema.class {}
SettlementSchema.setClass(Settlement);

export const CreditSchema = defineEntity({
  name: 'SettlementCredit',
  tableName: 'settlement_credits',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    settlementId: () => p.manyToOne(Settlement).mapToPk().fieldName('settlement_id').deleteRule('restrict'),
    /** Below zero: what the bank took. */
    amountMinor: p.bigint('number'),
    currency: p.text(),
    /** The bank's day of it. */
    date: p.text(),
    bankReference: p.text().nullable(),
    /** Of the bank's file, where it came from one; and of its line there, by which it is known whenever it comes again. */
    fileHash: p.text().nullable(),
    lineHash: p.text().nullable(),
    enteredByKind: p.text().$type<'user' | 'client'>(),
    enteredById: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'settlement_credits_settlement', properties: ['settlementId', 'createdAt', 'id'] }],
  uniques: [{ name: 'settlement_credits_line', properties: ['merchantId', 'lineHash'] }],
});

/** What the bank credited for a settlement, as somebody entered it. */
export class SettlementCredit extends CreditSchema.class {}
CreditSchema.setClass(SettlementCredit);

/**
 * `missing_here`: the rail has money that we do not have in this period; `missing_there`: the other way round; `amount`: both have
 * it, and not as much; `unreadable`: what the rail says of one cannot be read, so that it may be any of ours.
 */
export const DIFFERENCE_KINDS = ['missing_here', 'missing_there', 'amount', 'unreadable'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** Something that the rail's books and ours do not both have as it is. */
export type Difference = {
  kind: DifferenceKind;
  /** The rail's id of the money; null where it cannot be read. */
  providerRef: string | null;
  /** At the rail, and here. */
  amountMinor: number | null;
  ourAmountMinor: number | null;
  /** Ours, where there is one, if only in another period; `paymentId` also where the rail names our order. */
  transactionId: string | null;
  refundId: string | null;
  paymentId: string | null;
  /** Of an unreadable one, for a person: the rail's words. */
  said: string | null;
};

/** All of them, counted; of many the first ones alone are kept. */
export type Differences = { counts: Record<DifferenceKind, number>; kept: Difference[] };

export const ReconciliationSchema = defineEntity({
  name: 'Reconciliation',
  tableName: 'reconciliations',
  properties: {
    /** The settlement's. */
    id: p.uuid().primary(),
    /** The settlement's too. */
    rail: p.text(),
    /** Grows with each change of the settlement: what was compared before is compared again. */
    revision: p.integer().default(1),
    /** When it became due: the rail is asked ever more rarely from then on. */
    since: p.datetime(3),
    /** When it was last compared; null: never, since the rail cannot tell or has not answered yet. */
    reconciledAt: p.datetime(3).nullable(),
    found: p.json().$type<Differences>().nullable(),
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [
    { name: 'reconciliations_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'reconciliations_turn', properties: ['rail', 'dueAt'], where: 'due_at is not null' },
  ],
});

/** How a closed settlement compares with the rail's own books. */
export class Reconciliation extends ReconciliationSchema.class {}
ReconciliationSchema.setClass(Reconciliation);

export const BankMappingSchema = defineEntity({
  name: 'BankMappingRow',
  tableName: 'bank_mappings',
  properties: {
    merchantId: p.uuid().primary(),
    /** As bank-file.ts reads it. */
    mapping: p.json().$type<unknown>(),
  },
});

/** Where in the file of a merchant's bank is what, as it was last said. */
export class BankMappingRow extends BankMappingSchema.class {}
BankMappingSchema.setClass(BankMappingRow);

/** Their tables, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<
    typeof SettlementSchema | typeof CreditSchema | typeof ReconciliationSchema | typeof BankMappingSchema
  > {}
}
