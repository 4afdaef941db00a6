// Refunds of transactions to payers, through the rail that took the money or by hand (`manual`).
import { defineEntity, p } from '@mikro-orm/core';
import type { RefundMethod, RefundStatus } from '../../../shared/refund.ts';
import type { FailureCode } from '../../../shared/status.ts';
import { Payment, Transaction } from '../core/entities.ts';

export const RefundSchema = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    /** The refund's id is also the id of its attempt, so that the rail never refunds twice. */
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** The payment that received the money. For an authorization, this is the capture. */
    paymentId: () => p.manyToOne(Payment).mapToPk().fieldName('payment_id').deleteRule('restrict'),
    transactionId: () => p.manyToOne(Transaction).mapToPk().fieldName('transaction_id').deleteRule('restrict'),
    amountMinor: p.bigint('number'),
    currency: p.text(),
    /** The refund's status. Only refund/states.ts writes it. */
    status: p.text().$type<RefundStatus>(),
    revision: p.integer(),
    method: p.text().$type<RefundMethod>(),
    /** The rail account that took the money. Null for a manual refund. */
    rail: p.text().nullable(),
    reason: p.text().nullable(),
    reference: p.text().nullable(),
    proof: p.text().nullable(),
    /** Manual refunds only: the day in Luanda on which the merchant returned the money. */
    refundedOn: p.text().nullable(),
    failureCode: p.text().$type<FailureCode>().nullable(),
    providerRef: p.text().nullable(),
    /** The clearing period of a successful refund (periodOfRefund). */
    period: p.text().nullable(),
    /** True if the rail made the refund after it had failed or had been canceled in the gateway. */
    late: p.boolean().default(false),
    requestedByKind: p.text().$type<'user' | 'client'>(),
    requestedById: p.text(),
    /** The open shift of the person who requested the refund, and the shift that counts it (shifts/counting.ts). */
    shiftId: p.uuid().nullable(),
    countedShiftId: p.uuid().nullable(),
    details: p.json().$type<Record<string, string>>(),
    createdAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
  },
  checks: [{ name: 'refunds_amount', expression: 'amount_minor > 0' }],
  indexes: [
    { name: 'refunds_list', properties: ['merchantId', 'createdAt', 'id'] },
    { name: 'refunds_status', properties: ['merchantId', 'status', 'method', 'createdAt', 'id'] },
    { name: 'refunds_payment', properties: ['paymentId', 'createdAt', 'id'] },
    { name: 'refunds_transaction', properties: ['transactionId'] },
    {
      name: 'refunds_movements',
      properties: ['merchantId', 'completedAt', 'id'],
      where: "status = 'Succeeded'",
    },
    { name: 'refunds_shift', properties: ['countedShiftId'], where: 'counted_shift_id is not null' },
    {
      name: 'refunds_period',
      properties: ['merchantId', 'period', 'completedAt', 'id'],
      where: "status = 'Succeeded'",
    },
  ],
  uniques: [{ name: 'refunds_rail_ref', properties: ['rail', 'providerRef'], where: 'provider_ref is not null' }],
});

export class Refund extends RefundSchema.class {}
RefundSchema.setClass(Refund);

/** Adds the table of refunds to the typed queries. */
declare module '../../database/db.ts' {
  interface Tables extends TablesOf<typeof RefundSchema> {}
}
