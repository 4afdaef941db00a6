// Query schemas, sums and API views of billing.
import { z } from 'zod';
import { countDays } from '../../shared/luanda.ts';
import { addMinor, multiplyMinor, shareMinor, toMajor } from '../../shared/money.ts';
import { fault } from '../http/validate.ts';
import { day as isoDay, UUID } from '../http/fields.ts';
import { invalidFields } from '../http/problem.ts';
import type { Invoice, InvoiceLine, Plan } from './entities.ts';
import type { SubscribedPlans } from './plans.ts';

export type Sums = Pick<Invoice, 'lines' | 'subtotalMinor' | 'taxBps' | 'taxMinor' | 'totalMinor'>;

/** Computes the lines and sums of a month's invoice. The tax is rounded once, on the subtotal. */
export function sumInvoice(plan: Plan, payments: number, taxBps: number): Sums {
  const lines = linesOf(plan, payments);
  const subtotalMinor = addMinor(...lines.map(({ amountMinor }) => amountMinor));
  const taxMinor = shareMinor(subtotalMinor, taxBps);
  return { lines, subtotalMinor, taxBps, taxMinor, totalMinor: addMinor(subtotalMinor, taxMinor) };
}

/** Returns the invoice lines: the monthly fee, and the payments that the fee does not include. */
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
    .describe('Code of a plan in GET /api/billing/plans'),
});

/** The most days that one usage response covers. */
const MAX_DAYS = 366;

const day = isoDay.optional();

/** Query of `GET /api/billing/usage`. */
export const usageQuery = z.object({
  from: day.describe('First day in Luanda, such as 2026-11-01. Default: the first of the month of `to`'),
  to: day.describe(`Last day, at most ${MAX_DAYS} days with \`from\`. Default: today`),
});

export type Span = { from: string; to: string };

/**
 * Returns the requested days. Default: the current month so far. @param today the current day in Luanda
 * @throws Problem validation_failed for too many days, or for a `from` after `to`
 */
export function readSpan({ from, to }: z.output<typeof usageQuery>, today: string): Span {
  const last = to ?? (from && from > today ? from : today);
  const span = { from: from ?? `${last.slice(0, 7)}-01`, to: last };
  if (span.from > span.to) throw invalidFields([{ pointer: '/query/to', code: 'date_range' }]);
  const days = MAX_DAYS - 1;
  if (countDays(span.from, span.to) > days)
    throw invalidFields([{ pointer: '/query/to', code: 'date_span', params: { days } }]);
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
    monthlyFee: z.number().describe('Fee of a calendar month in Luanda, without IVA'),
    includedPayments: z.int().describe('Payments in a month that the fee covers'),
    paymentFee: z.number().describe('Fee of each further payment, without IVA'),
  })
  .meta({ id: 'Plan' });

export function viewSubscription({ plan: current, since, next }: SubscribedPlans) {
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
  payments: z.int().describe('Payments received. Each transaction of a reference or QR code counts'),
  gpo: z.int(),
  ppr: z.int(),
  amounts,
  refunds: z
    .object({ count: z.int(), amounts })
    .describe('Refunds made, through the provider or by hand. They do not reduce the payments'),
};

export const usage = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    data: z.array(z.object({ day: z.iso.date(), ...counted })).describe('Days with payments or refunds, oldest first'),
    totals: z.object(counted),
  })
  .meta({ id: 'Usage' });
