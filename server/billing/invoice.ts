// What a month costs: its lines, the tax, and the number an invoice goes by.
import { addMinor, multiplyMinor, shareMinor } from '../../shared/money.ts';
import type { Invoice, InvoiceLine, Plan } from './entities.ts';

export type Sums = Pick<Invoice, 'lines' | 'subtotalMinor' | 'taxBps' | 'taxMinor' | 'totalMinor'>;

/** The lines of a month with so many payments, and their sums; the tax is rounded once, on the subtotal. */
export function sumInvoice(plan: Plan, payments: number, taxBps: number): Sums {
  const lines = linesOf(plan, payments);
  const subtotalMinor = addMinor(...lines.map(({ amountMinor }) => amountMinor));
  const taxMinor = shareMinor(subtotalMinor, taxBps);
  return { lines, subtotalMinor, taxBps, taxMinor, totalMinor: addMinor(subtotalMinor, taxMinor) };
}

/** The fee in any case; payments where there were more than it includes. */
function linesOf({ name, monthlyFeeMinor, includedPayments, paymentFeeMinor }: Plan, payments: number): InvoiceLine[] {
  const beyond = payments - includedPayments;
  const fee = lineOf('subscription', `Plano ${name}, mensalidade`, 1, monthlyFeeMinor);
  if (beyond <= 0) return [fee];
  return [fee, lineOf('payments', `Pagamentos além dos ${includedPayments} incluídos`, beyond, paymentFeeMinor)];
}

function lineOf(kind: InvoiceLine['kind'], description: string, quantity: number, unitMinor: number): InvoiceLine {
  return { kind, description, quantity, unitMinor, amountMinor: multiplyMinor(unitMinor, quantity) };
}

/** `FT 2026/000001`. */
export function numberOf({ year, serial }: Pick<Invoice, 'year' | 'serial'>): string {
  return `FT ${year}/${String(serial).padStart(6, '0')}`;
}
