// The rail's books of references: each with what was paid to it, known to everybody or not, and what it all comes to.
import type { Pool } from 'pg';
import { addMinor, toDecimal } from '../../shared/money.ts';
import { listReferences, viewReference } from './references.ts';
import type { Payment, PaymentRow } from './takings.ts';
import { readMinor } from './view.ts';

type CashRow = PaymentRow & { notifications: number; notified: number };

/** Everything, or what has these digits, oldest first. */
export async function readCashbook(pool: Pool, reference: string | null, now: Date) {
  const { rows } = await pool.query<CashRow>(
    `select p.*, coalesce(sum(n.attempts), 0)::int as notifications, count(n.delivered_at)::int as notified
     from simulator.ppr_payments p left join simulator.notifications n on n.purchase_id = p.transaction_id
     where $1::text is null or p.payment ->> 'reference' = $1
     group by p.transaction_id order by p.seq`,
    [reference],
  );
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

function viewCash({ payment, reference_id: referenceId, position, notifications, notified }: CashRow) {
  return { ...payment, referenceId, isPublic: position !== null, notifications, notified };
}

function sumPayments(payments: Payment[]) {
  return [...Map.groupBy(payments, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    count: own.length,
    amount: toDecimal(addMinor(...own.map(({ amount }) => readMinor(amount, currency))), currency),
  }));
}
