// A payment reference (PPR): what a payer types at an ATM, and what the rail knows of it. The other face of one payment.
import { defineEntity, p } from '@mikro-orm/core';
import type { ReferenceStatus, ReferenceType } from '../../shared/reference.ts';
import { Payment } from '../payments/entities.ts';

/** `legacy`: made through the legacy endpoint; its payments bring no callback (decisions §4). */
export type ReferenceContract = 'current' | 'legacy';

export const ReferenceSchema = defineEntity({
  name: 'Reference',
  // "references" is a word of SQL's own.
  tableName: 'payment_references',
  properties: {
    /** Also the rail's idempotency key: one id is registered once, and once withdrawn never again. */
    id: p.uuid().primary(),
    paymentId: () => p.manyToOne(Payment).mapToPk().fieldName('payment_id').deleteRule('restrict'),
    merchantId: p.uuid(),
    /** Five digits, given by the operator. */
    entity: p.text(),
    /** 9 to 15 digits; a string for ever, leading zeros are part of it. */
    reference: p.text(),
    type: p.text().$type<ReferenceType>(),
    contract: p.text().$type<ReferenceContract>(),
    /** Written by states.ts only: whether it can be paid, which for Charging is not what became of its payment. */
    status: p.text().$type<ReferenceStatus>(),
    customerEmail: p.text().nullable(),
    customerName: p.text().nullable(),
    customerTelephone: p.text().nullable(),
    documentNumber: p.text().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /** When it stopped being payable: its digits may be used again from then on. */
    closedAt: p.datetime(3).nullable(),
    /** When the rail took it; until then nobody can pay it. */
    registeredAt: p.datetime(3).nullable(),
    /** When the rail let go of it, after it was closed. */
    withdrawnAt: p.datetime(3).nullable(),
    /** Why the rail last did not take it; null once it did. */
    railFault: p.text().nullable(),
    /** When the rail is told (again), or it expires; null = nothing left to do. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  indexes: [
    // Filters are part of it, so that a page and its count read nothing else.
    { name: 'payment_references_list', properties: ['merchantId', 'createdAt', 'id', 'type', 'status'] },
    { name: 'payment_references_digits', properties: ['entity', 'reference', 'createdAt'] },
    { name: 'payment_references_own', properties: ['merchantId', 'reference', 'createdAt'] },
    { name: 'payment_references_due', properties: ['dueAt'], where: 'due_at is not null' },
  ],
  uniques: [
    { name: 'payment_references_payment', properties: ['paymentId'] },
    {
      // Of one entity's live references no two have the same digits, whoever's they are (decisions §4).
      name: 'payment_references_live',
      properties: ['entity', 'reference'],
      where: "status = 'Pending'",
    },
  ],
});

export class Reference extends ReferenceSchema.class {}
ReferenceSchema.setClass(Reference);

/** Their tables, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof ReferenceSchema> {}
}
