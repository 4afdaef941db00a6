// Plans, subscriptions, usage and invoices as the API shows them.
import { z } from 'zod';
import { toMajor } from '../../shared/money.ts';
import type { Invoice, InvoiceLine, Plan } from './entities.ts';
import { numberOf } from './invoice.ts';
import type { Chosen } from './subscription.ts';

export function viewPlan({ id, name, currency, monthlyFeeMinor, includedPayments, paymentFeeMinor }: Plan) {
  const monthlyFee = toMajor(monthlyFeeMinor, currency);
  return { id, name, currency, monthlyFee, includedPayments, paymentFee: toMajor(paymentFeeMinor, currency) };
}

export const plan = z
  .object({
    id: z.uuid(),
    name: z.string(),
    currency: z.string(),
    monthlyFee: z.number().describe('Of a calendar month in Luanda, without IVA'),
    includedPayments: z.int().describe('Payments received in a month that the fee covers'),
    paymentFee: z.number().describe('Of each payment beyond them, without IVA'),
  })
  .meta({ id: 'Plan' });

export function viewSubscription({ plan: current, since, next }: Chosen) {
  return { plan: viewPlan(current), since, next: next && { plan: viewPlan(next.plan), from: next.from } };
}

const month = (description: string) => z.string().meta({ description, example: '2026-11' });

export const subscription = z
  .object({
    plan: plan.describe('In force'),
    since: month('The first month in Luanda of it'),
    next: z.object({ plan, from: month('The month in which it comes into force') }).nullable(),
  })
  .meta({ id: 'Subscription' });

const counted = {
  payments: z.int().describe('Payments received; of a reference or QR code each one that came'),
  gpo: z.int(),
  ppr: z.int(),
  amounts: z.array(z.object({ currency: z.string(), amount: z.number() })),
};

export const usage = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    data: z.array(z.object({ day: z.iso.date(), ...counted })).describe('Days with something, the oldest first'),
    totals: z.object(counted),
  })
  .meta({ id: 'Usage' });

export function viewInvoice(invoice: Invoice) {
  const { id, month: ofMonth, issuedAt, currency, subtotalMinor, taxMinor, totalMinor } = invoice;
  return {
    id,
    number: numberOf(invoice),
    month: ofMonth,
    issuedAt,
    currency,
    subtotal: toMajor(subtotalMinor, currency),
    tax: toMajor(taxMinor, currency),
    total: toMajor(totalMinor, currency),
  };
}

export const listedInvoice = z
  .object({
    id: z.uuid(),
    number: z.string().meta({ description: 'One after the other without a gap, each year', example: 'FT 2026/000001' }),
    month: month('What it is for'),
    issuedAt: z.iso.datetime(),
    currency: z.string(),
    subtotal: z.number(),
    tax: z.number().describe('IVA, rounded once, on the subtotal'),
    total: z.number(),
  })
  .meta({ id: 'ListedInvoice' });

/** An invoice by itself. */
export function viewInvoiceDetails(invoice: Invoice) {
  const { issuerName, issuerTaxId, merchantName, planName, taxBps, paymentCount, currency, lines } = invoice;
  return {
    ...viewInvoice(invoice),
    issuer: { name: issuerName, taxId: issuerTaxId || null },
    merchantName,
    plan: planName,
    taxPercent: taxBps / 100,
    payments: paymentCount,
    lines: lines.map((line) => viewLine(line, currency)),
  };
}

function viewLine({ kind, description, quantity, unitMinor, amountMinor }: InvoiceLine, currency: string) {
  return {
    kind,
    description,
    quantity,
    unitPrice: toMajor(unitMinor, currency),
    amount: toMajor(amountMinor, currency),
  };
}

export const invoiceDetails = listedInvoice
  .extend({
    issuer: z.object({ name: z.string(), taxId: z.string().nullable() }),
    merchantName: z.string(),
    plan: z.string(),
    taxPercent: z.number(),
    payments: z.int().describe('Received, those that the fee covers included'),
    lines: z.array(
      z.object({
        kind: z.enum(['subscription', 'payments']),
        description: z.string(),
        quantity: z.int(),
        unitPrice: z.number(),
        amount: z.number(),
      }),
    ),
  })
  .meta({ id: 'Invoice' });
