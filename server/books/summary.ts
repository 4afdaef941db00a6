// GET /api/summary, a merchant's day: money taken, payments by result, reasons of failures,
// and cases that need manual review.
import { sql } from 'kysely';
import { z } from 'zod';
import { addDays, countDays, dayOf, startOf } from '../../shared/luanda.ts';
import { addMinor, toMajor } from '../../shared/money.ts';
import { PAYMENT_TYPES } from '../../shared/methods.ts';
import { ATTENTION_FLAGS, FAILURE_CODES, type AttentionFlag } from '../../shared/status.ts';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { inSnapshot } from '../database/orm.ts';
import { day } from '../http/fields.ts';
import { route, type Route } from '../http/route.ts';
import { readHours, type HourSum } from '../lists/fold.sql.ts';
import { needsAttention } from '../payments/core/attention.ts';
import { currency } from '../payments/core/fields.ts';
import { DAY_MS, HOUR_MS } from '../../shared/durations.ts';

const WEEK = 7;
/** The largest number that a count of cases returns. */
const MANY = 1_000;

/** Why a payment was not paid: the code of its failure, or its end without a payment. */
const FAILURE_REASONS = [...FAILURE_CODES, 'expired', 'canceled'] as const;
type FailureReason = (typeof FAILURE_REASONS)[number];

/** The cases that need manual review, by kind. */
const ATTENTION = {
  overpaid: 'Overpaid payments, until the excess is refunded',
  amount_mismatch: 'Payments with less money than requested, or another amount, until they are completed or refunded',
  late_money: 'Money or reservations that arrived after the end of their payment, until the money is refunded',
  canceled_with_money: 'Canceled payments with money, until it is refunded',
  settlement_differs: 'Settlements whose credit differs from the expected credit',
  payment_stuck: 'Payments without an outcome from the rail',
  endpoint_failing: 'Endpoints that do not accept their deliveries',
} as const;
type Attention = keyof typeof ATTENTION;

const summaryQuery = z.object({
  day: day.optional().describe('Day in Luanda, such as `2026-11-30`. Default: today'),
  currency: currency.default('AOA'),
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
      .array(z.object({ failureCode: z.enum(FAILURE_REASONS), count: z.int() }))
      .describe(
        'Why the other final payments of this day were not paid, most frequent reason first: the code of the ' +
          'failure, `expired` or `canceled`. The counts and `succeeded` add up to the final payments',
      ),
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
        'and cases that need a person. A payment also leaves this list once a person has resolved it with a note.',
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
  const takings = await readHours(db, 'takings', { merchantId, from: startOf(before), to: today.to });
  const payments = await readHours(db, 'payments', { merchantId, ...today });
  const within = (from: Date, to: Date) => takings.filter(({ at }) => at >= from && at < to);
  const fundsOf = (sums: HourSum[]) => ({
    amount: toMajor(sumOf(sums, 'taken', currency), currency),
    count: sumOf(sums, 'movements', currency),
  });
  const ofCurrency = payments.filter(({ keys }) => keys[2] === currency);
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
    payments: countPayments(ofCurrency),
    failures: countFailures(ofCurrency, await countFailureCodes.all(db, { merchantId, currency, ...today })),
    week: { from: monday, taken: fundsOf(within(startOf(monday), today.to)) },
    lastWeek: {
      from: before,
      taken: fundsOf(within(startOf(before), startOf(monday))),
      soFar: fundsOf(within(startOf(before), soFar)),
    },
    attention: await findAttention(db, merchantId),
  };
}

function sumOf(sums: HourSum[], kind: string, what: string): number {
  return addMinor(...sums.flatMap(({ keys, n }) => (keys[0] === kind && keys[1] === what ? [n] : [])));
}

const SUCCEEDED = ['Paid', 'Authorized', 'Captured'];
const OPEN = ['Pending', 'Processing'];

function countPayments(sums: HourSum[]) {
  const among = (statuses: string[]) => countAmong(sums, statuses);
  const [created, succeeded, open] = [countOf(sums), among(SUCCEEDED), among(OPEN)];
  return { created, succeeded, open, successRate: created > open ? succeeded / (created - open) : null };
}

function countAmong(sums: HourSum[], statuses: readonly string[]): number {
  return countOf(sums.filter(({ keys }) => statuses.includes(keys[0] as string)));
}

type FailureCount = { failureCode: FailureReason; count: number };

/** Lists why payments were not paid. Their sum and the successful payments are all final payments of the day. */
function countFailures(sums: HourSum[], failed: FailureCount[]): FailureCount[] {
  const ended: FailureCount[] = [
    { failureCode: 'expired', count: countAmong(sums, ['Expired']) },
    { failureCode: 'canceled', count: countAmong(sums, ['Canceled']) },
  ];
  return [...failed, ...ended].filter(({ count: n }) => n > 0).sort((a, b) => b.count - a.count);
}

/** Counts the failed payments of a day by their reason. The index `payments_status` leads to these rows only. */
const countFailureCodes = prepared((tables, { merchantId, currency, from, to }: FailedOfDay) =>
  tables
    .selectFrom('payments')
    .select((eb) => [eb.fn.coalesce('failureCode', sql<FailureReason>`'rail_unavailable'`).as('failureCode'), count])
    .where('merchantId', '=', merchantId)
    .where('status', '=', 'Failed')
    .where('paymentType', 'in', PAYMENT_TYPES)
    .where('createdAt', '>=', from)
    .where('createdAt', '<', to)
    .where('currency', '=', currency)
    .groupBy((eb) => eb.fn.coalesce('failureCode', sql<FailureReason>`'rail_unavailable'`)),
);

type FailedOfDay = { merchantId: string; currency: string; from: Date; to: Date };

/** Finds the cases that need manual review. */
async function findAttention(db: Db, merchantId: string) {
  return (await countAttention.all(db, { merchantId })).filter(({ count: n }) => n > 0);
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
  const [first, ...others] = ATTENTION_FLAGS.map((flag) => counted(flag, flagged(flag)));
  return others
    .reduce((all, each) => all.unionAll(each), first as ReturnType<typeof counted>)
    .unionAll(counted('settlement_differs', differs))
    .unionAll(counted('payment_stuck', undecided))
    .unionAll(counted('endpoint_failing', failing));
});
