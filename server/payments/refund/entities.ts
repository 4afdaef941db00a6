// Money given back to a payer, of one transaction: through the rail that took it, or by hand.
import { defineEntity, p } from '@mikro-orm/core';
import type { RefundMethod, RefundStatus } from '../../../shared/refund.ts';
import type { FailureCode } from '../../../shared/status.ts';
import { Payment, Transaction } from '../core/entities.ts';

export const RefundSchema = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    /** Also the id of its attempt, so that the rail never refunds twice. */
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** The payment that has the money: never an authorization, but its capture. */
    paymentId: () => p.manyToOne(Payment).mapToPk().fieldName('payment_id').deleteRule('restrict'),
    transactionId: () => p.manyToOne(Transaction).mapToPk().fieldName('transaction_id').deleteRule('restrict'),
    amountMinor: p.bigint('number'),
    currency: p.text(),
    /** Written by refunds/states.ts only. */
    status: p.text().$type<RefundStatus>(),
    revision: p.integer(),
    method: p.text().$type<RefundMethod>(),
    /** The rail account that took the money; null: a refund by hand. */
    rail: p.text().nullable(),
    reason: p.text().nullable(),
    reference: p.text().nullable(),
    proof: p.text().nullable(),
    failureCode: p.text().$type<FailureCode>().nullable(),
    providerRef: p.text().nullable(),
    /** The clearing period of a refund that succeeded (periodOfRefund). */
    period: p.text().nullable(),
    /** The rail made it after it had failed or was canceled here. */
    late: p.boolean().default(false),
    requestedByKind: p.text().$type<'user' | 'client'>(),
    requestedById: p.text(),
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

/** Their table, to the typed queries. */
declare module '../../database/db.ts' {
  interface Tables extends TablesOf<typeof RefundSchema> {}
}
