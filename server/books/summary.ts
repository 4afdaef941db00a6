// GET /api/summary, a merchant's day: money taken, payments by result, reasons of failures,
// and cases that need manual review.
import { sql } from 'kysely';
import { z } from 'zod';
import { addDays, countDays, dayOf, startOf } from '../../shared/luanda.ts';
import { addMinor, toMajor } from '../../shared/money.ts';
import { FAILURE_CODES, type AttentionFlag } from '../../shared/status.ts';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { inSnapshot } from '../database/orm.ts';
import { day } from '../http/fields.ts';
import { route, type Route } from '../http/route.ts';
import { readHours, type HourSum } from '../lists/fold.sql.ts';
import { needsAttention } from '../payments/core/attention.ts';
import { DAY_MS, HOUR_MS } from '../../shared/durations.ts';

const WEEK = 7;
/** The largest number that a count of cases returns. */
const MANY = 1_000;

/** The cases that need manual review, by kind. */
const ATTENTION = {
  late_money: 'Money of the last seven days that arrived after the end of its payment',
  settlement_differs: 'Settlements whose credit differs from the expected credit',
  overpaid: 'Overpaid payments, until the excess is refunded',
  amount_mismatch: 'Payments with less money than requested, or another amount, until they are completed or refunded',
  payment_stuck: 'Payments without an outcome from the rail',
  endpoint_failing: 'Endpoints that do not accept their deliveries',
} as const;
type Attention = keyof typeof ATTENTION;

const summaryQuery = z.object({
  day: day.optional().describe('Day in Luanda, such as `2026-11-30`. Default: today'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('AOA'),
});

const funds = z.object({
  amount: z.number().describe('Major units'),
  count: z.int().describe('Number of transactions'),
});
const span = z.object({ from: z.iso.date(), taken: funds });

const summary = z
  .object({
    day: z.iso.date(),
    currency: z.string(),
    asOf: z.iso.datetime(),
    taken: funds.describe(
      'Recorded on this day. Money in another currency than its payment is only in the list of movements',
    ),
    returned: z.object({ amount: z.number() }).describe('Refunded on this day, by the rail or by hand'),
    hours: z
      .array(z.object({ hour: z.int().describe('0 to 23, in Luanda'), ...funds.shape }))
      .describe('The 24 hours of the day'),
    payments: z
      .object({
        created: z.int(),
        succeeded: z.int().describe('Now `Paid`, `Authorized` or `Captured`'),
        open: z.int().describe('Not final yet'),
        successRate: z
          .number()
          .nullable()
          .describe('Succeeded divided by final payments, 0 to 1. `null` without final payments'),
      })
      .describe('Payments created on this day, by their current status'),
    failures: z
      .array(z.object({ failureCode: z.enum(FAILURE_CODES), count: z.int() }))
      .describe('Payments that failed on this day, most frequent reason first'),
    week: span.describe('From Monday to the end of this day'),
    lastWeek: span
      .extend({ soFar: funds.describe('Up to the same time of that week') })
      .describe('The seven days before'),
    attention: z.array(
      z.object({ kind: z.enum(Object.keys(ATTENTION) as [Attention, ...Attention[]]), count: z.int() }),
    ),
  })
  .meta({ id: 'Summary' });

export function summaryRoute(core: Core): Route {
  return route({
    method: 'GET',
    path: '/api/summary',
    operationId: 'readSummary',
    tag: 'Books',
    summary: 'A day at a glance',
    description: [
      'Money taken by the hour and compared with the week before, successful payments, reasons of failures, ' +
        'and cases that need a person:',
      ...Object.entries(ATTENTION).map(([kind, about]) => `- \`${kind}\`: ${about}.`),
    ].join('\n'),
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
    query: summaryQuery,
    answers: { 200: { description: 'The day', schema: summary } },
    async run({ caller: { merchantId }, query: { day, currency } }) {
      const now = core.clock.now();
      const request = { merchantId, currency, day: day ?? dayOf(now), now };
      return { status: 200, body: await inSnapshot(core, (db) => readSummary(db, request)) };
    },
  });
}

type SummaryRequest = { merchantId: string; currency: string; day: string; now: Date };

async function readSummary(
  db: Db,
  { merchantId, currency, day, now }: SummaryRequest,
): Promise<z.input<typeof summary>> {
  const monday = addDays(day, -((countDays('2024-01-01', day) + 70_000) % WEEK));
  const before = addDays(monday, -WEEK);
  const today = { from: startOf(day), to: startOf(addDays(day, 1)) };
  const late = { from: new Date(now.getTime() - WEEK * DAY_MS), to: new Date(now.getTime() + HOUR_MS) };
  const takings = await readHours(db, 'takings', {
    merchantId,
    from: new Date(Math.min(startOf(before).getTime(), late.from.getTime())),
    to: new Date(Math.max(today.to.getTime(), late.to.getTime())),
  });
  const payments = await readHours(db, 'payments', { merchantId, ...today });
  const within = (from: Date, to: Date) => takings.filter(({ at }) => at >= from && at < to);
  const fundsOf = (sums: HourSum[]) => ({
    amount: toMajor(sumOf(sums, 'taken', currency), currency),
    count: sumOf(sums, 'movements', currency),
  });
  const ofDay = within(today.from, today.to);
  // The sums have whole hours, so the running hour is compared with the whole hour of last week.
  const soFar = new Date(
    Math.min(today.to.getTime(), Math.ceil((now.getTime() + 1) / HOUR_MS) * HOUR_MS) - WEEK * DAY_MS,
  );
  return {
    day,
    currency,
    asOf: now.toISOString(),
    taken: fundsOf(ofDay),
    returned: { amount: toMajor(sumOf(ofDay, 'returned', currency), currency) },
    hours: Array.from({ length: 24 }, (_, hour) => {
      const from = new Date(today.from.getTime() + hour * HOUR_MS);
      return { hour, ...fundsOf(within(from, new Date(from.getTime() + HOUR_MS))) };
    }),
    payments: countPayments(payments.filter(({ keys }) => keys[2] === currency)),
    failures: countFailures(ofDay),
    week: { from: monday, taken: fundsOf(within(startOf(monday), today.to)) },
    lastWeek: {
      from: before,
      taken: fundsOf(within(startOf(before), startOf(monday))),
      soFar: fundsOf(within(startOf(before), soFar)),
    },
    attention: await findAttention(db, merchantId, within(late.from, late.to)),
  };
}

function sumOf(sums: HourSum[], kind: string, what: string): number {
  return addMinor(...sums.flatMap(({ keys, n }) => (keys[0] === kind && keys[1] === what ? [n] : [])));
}

const SUCCEEDED = ['Paid', 'Authorized', 'Captured'];
const OPEN = ['Pending', 'Processing'];

function countPayments(sums: HourSum[]) {
  const among = (statuses: string[]) => countOf(sums.filter(({ keys }) => statuses.includes(keys[0] as string)));
  const [created, succeeded, open] = [countOf(sums), among(SUCCEEDED), among(OPEN)];
  return { created, succeeded, open, successRate: created > open ? succeeded / (created - open) : null };
}

function countFailures(sums: HourSum[]) {
  return FAILURE_CODES.map((failureCode) => ({ failureCode, count: sumOf(sums, 'failed', failureCode) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}

/** Finds the cases that need manual review. @param sums the last seven days, with late money */
async function findAttention(db: Db, merchantId: string, sums: HourSum[]) {
  const late = { kind: 'late_money' as const, count: countOf(sums.filter(({ keys }) => keys[0] === 'late')) };
  const found = Map.groupBy([late, ...(await countAttention.all(db, { merchantId }))], ({ kind }) => kind);
  return [...found]
    .map(([kind, rows]) => ({ kind, count: rows.reduce((sum, { count: n }) => sum + n, 0) }))
    .filter(({ count: n }) => n > 0);
}

const countOf = (sums: HourSum[]) => sums.reduce((sum, { n }) => sum + n, 0);

const UNDECIDED = ['Unsent', 'Unreached', 'Sent'] as const;

const count = sql<number>`count(*)::integer`.as('count');

// Each count stops at MANY and reads a partial index with few rows.
const countAttention = prepared((tables, { merchantId }: { merchantId: string }) => {
  const differs = tables
    .selectFrom('settlements')
    .select('id')
    .where('merchantId', '=', merchantId)
    .where('status', '=', 'differs')
    .limit(MANY);
  const undecided = tables
    .selectFrom('attempts')
    .innerJoin('payments', 'payments.id', 'attempts.paymentId')
    .select('attempts.id')
    .where('payments.merchantId', '=', merchantId)
    .where('attempts.status', 'in', UNDECIDED)
    .where('attempts.dueAt', 'is', null)
    .limit(MANY);
  const flagged = (flag: AttentionFlag) =>
    tables
      .selectFrom('payments')
      .select('id')
      .where('merchantId', '=', merchantId)
      .where(needsAttention(flag))
      .limit(MANY);
  const failing = tables
    .selectFrom('endpoints')
    .select('id')
    .where('merchantId', '=', merchantId)
    .where('probeAt', 'is not', null)
    .where('deletedAt', 'is', null)
    .limit(MANY);
  const counted = (
    kind: Attention,
    rows: typeof differs | typeof undecided | ReturnType<typeof flagged> | typeof failing,
  ) =>
    tables
      .selectFrom((rows as typeof differs).as('found'))
      .select([sql.lit(kind).$castTo<Attention>().as('kind'), count]);
  return counted('settlement_differs', differs)
    .unionAll(counted('payment_stuck', undecided))
    .unionAll(counted('overpaid', flagged('overpaid')))
    .unionAll(counted('amount_mismatch', flagged('amount_mismatch')))
    .unionAll(counted('endpoint_failing', failing));
});
