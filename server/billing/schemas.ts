// What the billing API takes: a plan, a span of days, an invoice's id, pages.
import { z } from 'zod';
import { pageQuery, UUID } from '../http/fields.ts';
import { invalid } from '../http/problem.ts';
import { fault } from '../http/body.ts';
import { countDays, isDay } from '../../shared/luanda.ts';
import type { Span } from './usage.ts';

/** Body of `PUT /api/billing/subscription`. */
export const subscriptionRequest = z.object({
  planId: z
    .string()
    .refine((id) => UUID.test(id), fault('unknown_plan'))
    .describe('One of GET /api/billing/plans'),
});

/** Days in an answer at most. */
const MAX_DAYS = 366;

const day = z.string().refine(isDay, fault('invalid_day')).optional();

/** Query of `GET /api/billing/usage`. */
export const usageQuery = z.object({
  from: day.describe('First day in Luanda, such as 2026-11-01; absent: the first of the month of `to`'),
  to: day.describe(`Last day, at most ${MAX_DAYS} with \`from\`; absent: today`),
});

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

export const listQuery = z.object(pageQuery);

/** The path of one invoice: what is no id is nothing of ours. */
export const byInvoice = z.object({ invoiceId: z.string().regex(UUID).describe('`id` of an invoice in the list') });
