// A settlement compares the expected with the actual credit of the bank, for one clearing period of a rail account.
import { defineEntity, p } from '@mikro-orm/core';
import type { EntryKind, ExplanationReason, SettlementStatus } from '../../shared/books.ts';

export const SettlementSchema = defineEntity({
  name: 'Settlement',
  tableName: 'settlements',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** The rail account of the settlement's movements. */
    rail: p.text(),
    period: p.text(),
    currency: p.text(),
    /** The clearing day of the settlement's first recorded movement. */
    day: p.text(),
    /** The settlement's status. Only close.ts writes it. */
    status: p.text().$type<SettlementStatus>().default('open'),
    /** The sums below are written at the close and after each later change (close.ts). */
    movementCount: p.integer().default(0),
    takenMinor: p.bigint('number').default(0),
    feesMinor: p.bigint('number').default(0),
    refundedMinor: p.bigint('number').default(0),
    /** The sum of manual refunds. The credit and `movementCount` do not include them. */
    manualMinor: p.bigint('number').default(0),
    manualCount: p.integer().default(0),
    creditedMinor: p.bigint('number').default(0),
    /** The sum of the bank's fees. It reduces the expected credit. */
    bankFeesMinor: p.bigint('number').default(0),
    closedAt: p.datetime(3).nullable(),
    /** The number of movements at the close. The next column has the expected credit. Both never change. */
    closedCount: p.integer().nullable(),
    closedMinor: p.bigint('number').nullable(),
    createdAt: p.datetime(3),
    /** The time at which the node closes the settlement or sums it again. Null if no work is left. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [
    { name: 'settlements_list', properties: ['merchantId', 'day', 'id'] },
    { name: 'settlements_due', properties: ['dueAt'], where: 'due_at is not null' },
  ],
  uniques: [{ name: 'settlements_period', properties: ['merchantId', 'rail', 'period', 'currency'] }],
});

/** The trigger `settle` inserts the row with the first movement of a period, so no movement lacks a settlement. */
export class Settlement extends SettlementSchema.class {}
SettlementSchema.setClass(Settlement);

export const CreditSchema = defineEntity({
  name: 'SettlementCredit',
  tableName: 'settlement_credits',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    settlementId: () => p.manyToOne(Settlement).mapToPk().fieldName('settlement_id').deleteRule('restrict'),
    kind: p.text().$type<EntryKind>().default('credit'),
    /** The credited amount, negative if the bank debited money. The amount of a fee is positive. */
    amountMinor: p.bigint('number'),
    currency: p.text(),
    /** The date in the bank's statement, for example 2026-11-30. */
    date: p.text(),
    bankReference: p.text().nullable(),
    /**
     * Hash of the bank's file. The next column has the line's hash, which prevents a second entry.
     * Null: entered by hand.
     */
    fileHash: p.text().nullable(),
    lineHash: p.text().nullable(),
    /** The wrong entry that this one takes back. An entry has at most one reversal. */
    reversesId: p.uuid().nullable(),
    enteredByKind: p.text().$type<'user' | 'client'>(),
    enteredById: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'settlement_credits_settlement', properties: ['settlementId', 'createdAt', 'id'] }],
  uniques: [
    { name: 'settlement_credits_line', properties: ['merchantId', 'lineHash'] },
    { name: 'settlement_credits_reverses', properties: ['reversesId'], where: 'reverses_id is not null' },
  ],
});

/** One credit or fee of the bank, entered by a person or a program. */
export class SettlementCredit extends CreditSchema.class {}
CreditSchema.setClass(SettlementCredit);

export const ExplanationSchema = defineEntity({
  name: 'SettlementExplanation',
  tableName: 'settlement_explanations',
  properties: {
    /** The settlement's id, which is also the id of its explanation. */
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** The explained difference. The explanation holds while the settlement's difference equals it. */
    differenceMinor: p.bigint('number'),
    reason: p.text().$type<ExplanationReason>(),
    note: p.text().nullable(),
    explainedByKind: p.text().$type<'user' | 'client'>(),
    explainedById: p.text(),
    createdAt: p.datetime(3),
  },
});

/** The explanation of a settlement's difference, by a person or a program. */
export class SettlementExplanation extends ExplanationSchema.class {}
ExplanationSchema.setClass(SettlementExplanation);

/**
 * - `missing_here`: the rail lists a movement that the gateway does not have in this period.
 * - `missing_there`: the gateway has a movement that the rail does not list.
 * - `amount`: the rail and the gateway have different amounts.
 * - `unreadable`: the gateway cannot parse the rail's entry, so it may be any movement.
 */
export const DIFFERENCE_KINDS = ['missing_here', 'missing_there', 'amount', 'unreadable'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** One difference between the rail's list and the gateway's movements. */
export type Difference = {
  kind: DifferenceKind;
  /** The rail's id of the transaction. Null if the rail's entry is unreadable. */
  providerRef: string | null;
  /** The amount in the rail's list. */
  amountMinor: number | null;
  ourAmountMinor: number | null;
  /**
   * The gateway's transaction, also of another period.
   * `paymentId` is set if the rail names an order of the gateway.
   */
  transactionId: string | null;
  refundId: string | null;
  paymentId: string | null;
  /** The rail's text of an unreadable entry, for manual review. */
  said: string | null;
};

/** The number of all differences by kind, and the first differences themselves. */
export type Differences = { counts: Record<DifferenceKind, number>; kept: Difference[] };

export const ReconciliationSchema = defineEntity({
  name: 'Reconciliation',
  tableName: 'reconciliations',
  properties: {
    /** The settlement's id, which is also the id of its comparison. */
    id: p.uuid().primary(),
    /** The rail account of the settlement. */
    rail: p.text(),
    /** The settlement's revision. Each change increments it, so that the node compares again. */
    revision: p.integer().default(1),
    /** The time at which the comparison became due. Intervals between attempts grow from then on. */
    since: p.datetime(3),
    /** The time of the last comparison. Null if the rail cannot list transactions or has not responded yet. */
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

/** The comparison of a closed settlement with the rail's list. */
export class Reconciliation extends ReconciliationSchema.class {}
ReconciliationSchema.setClass(Reconciliation);

export const BankMappingSchema = defineEntity({
  name: 'BankMappingRow',
  tableName: 'bank_mappings',
  properties: {
    merchantId: p.uuid().primary(),
    /** The columns of the bank's file, as a `BankMapping` (statements/mapping.ts). */
    mapping: p.json().$type<unknown>(),
  },
});

/** The last column mapping that a merchant used for its bank's files. */
export class BankMappingRow extends BankMappingSchema.class {}
BankMappingSchema.setClass(BankMappingRow);

/** Adds the tables of settlements to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<
    | typeof SettlementSchema
    | typeof CreditSchema
    | typeof ExplanationSchema
    | typeof ReconciliationSchema
    | typeof BankMappingSchema
  > {}
}
