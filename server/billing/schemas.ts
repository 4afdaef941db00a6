// What of billing may be asked, and how it is shown.
import { z } from 'zod';
import { countDays } from '../../shared/luanda.ts';
import { addMinor, multiplyMinor, shareMinor, toMajor } from '../../shared/money.ts';
import { fault } from '../http/validate.ts';
import { day as isoDay, UUID } from '../http/fields.ts';
import { invalid } from '../http/problem.ts';
import type { Invoice, InvoiceLine, Plan } from './entities.ts';
import type { Chosen } from './plans.ts';

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

/** Body of `PUT /api/billing/subscription`. */
export const subscriptionRequest = z.object({
  planId: z
    .string()
    .refine((id) => UUID.test(id), fault('unknown_plan'))
    .describe('One of GET /api/billing/plans'),
});

/** Days in an answer at most. */
const MAX_DAYS = 366;

const day = isoDay.optional();

/** Query of `GET /api/billing/usage`. */
export const usageQuery = z.object({
  from: day.describe('First day in Luanda, such as 2026-11-01; absent: the first of the month of `to`'),
  to: day.describe(`Last day, at most ${MAX_DAYS} with \`from\`; absent: today`),
});

export type Span = { from: string; to: string };

/**
 * The days that are asked for; without any those of the current month so far. @param today in Luanda
 * @throws Problem validation_failed when they are too many, or the wrong way round
 */
export function readSpan({ from, to }: z.output<typeof usageQuery>, today: string): Span {
  const last = to ?? (from && from > today ? from : today);
  const span = { from: from ?? `${last.slice(0, 7)}-01`, to: last };
  if (span.from > span.to) throw invalid([{ pointer: '/query/to', code: 'date_range' }]);
  const days = MAX_DAYS - 1;
  if (countDays(span.from, span.to) > days)
    throw invalid([{ pointer: '/query/to', code: 'date_span', params: { days } }]);
  return span;
}

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

export const month = (description: string) => z.string().meta({ description, example: '2026-11' });

export const subscription = z
  .object({
    plan,
    since: month('The first month in Luanda of it'),
    next: z.object({ plan, from: month('The month in which it comes into force') }).nullable(),
  })
  .meta({ id: 'Subscription' });

const amounts = z.array(z.object({ currency: z.string(), amount: z.number() }));

const counted = {
  payments: z.int().describe('Payments received; of a reference or QR code each one that came'),
  gpo: z.int(),
  ppr: z.int(),
  amounts,
  refunds: z
    .object({ count: z.int(), amounts })
    .describe('Refunds made, through the provider or by hand; they take nothing from the payments'),
};

export const usage = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    data: z.array(z.object({ day: z.iso.date(), ...counted })).describe('Days with something, the oldest first'),
    totals: z.object(counted),
  })
  .meta({ id: 'Usage' });
