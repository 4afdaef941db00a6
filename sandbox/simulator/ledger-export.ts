// The PPR rail's records: references with their payments (published or not), and totals.
import type { Pool } from 'pg';
import { addMinor, toDecimal } from '../../shared/money.ts';
import { listReferences, viewReference } from './references.ts';
import { query, type Payment } from './schema.ts';
import type { PaymentRow } from './reference-payments.ts';
import { readMinor } from './view.ts';

type CashRow = PaymentRow & { notifications: number; notified: number };

/** Reads all references, or those with these digits, oldest first. */
export async function readPprRecords(pool: Pool, reference: string | null, now: Date) {
  const rows = await listPayments(reference).all(pool);
  const payments = rows.map(viewCash);
  const own = Map.groupBy(payments, ({ referenceId }) => referenceId);
  const references = await listReferences(pool, reference);
  return {
    references: references.map((row) => ({
      ...viewReference(row, now, 'taken'),
      calls: row.calls,
      payments: own.get(row.id) ?? [],
    })),
    referencePayments: payments,
    referenceTotals: sumPayments(payments),
  };
}

function listPayments(reference: string | null) {
  return query((tables) => {
    const payments = tables
      .selectFrom('ppr_payments as p')
      .leftJoin('notifications as n', 'n.purchaseId', 'p.transactionId')
      .selectAll('p')
      .select((eb) => [
        eb.fn.coalesce(eb.fn.sum<number>('n.attempts'), eb.lit(0)).as('notifications'),
        eb.fn.count<number>('n.deliveredAt').as('notified'),
      ])
      .groupBy('p.transactionId')
      .orderBy('p.seq');
    if (reference === null) return payments;
    return payments.where((eb) => eb(eb.ref('p.payment', '->>').key('reference'), '=', reference));
  });
}

function viewCash({ payment, referenceId, position, notifications, notified }: CashRow) {
  return { ...payment, referenceId, isPublic: position !== null, notifications, notified };
}

function sumPayments(payments: Payment[]) {
  return [...Map.groupBy(payments, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    count: own.length,
    amount: toDecimal(addMinor(...own.map(({ amount }) => readMinor(amount, currency))), currency),
  }));
}
