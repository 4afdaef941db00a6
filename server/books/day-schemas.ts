// Query schemas and API views of clearing days.
import { z } from 'zod';
import { DAY_STATUSES } from '../../shared/books.ts';
import { toMajor } from '../../shared/money.ts';
import { afterSeqQuery, nextPage } from '../http/cursor.ts';
import { day, oneOf, wholeNumber } from '../http/fields.ts';
import { fault } from '../http/validate.ts';
import type { DaySums, MovementSums } from './day-sums.ts';
import { listedSettlement } from './settlement-schemas.ts';

/** Query of `GET /api/days`. */
export const dayQuery = z
  .object({
    after: afterSeqQuery.after.describe('`next` of the previous page. Absent: the newest days'),
    limit: wholeNumber(100, 30, 'Days at most'),
    from: day.optional().describe('First day, such as 2026-11-01'),
    to: day.optional().describe('Last day'),
    status: oneOf(DAY_STATUSES).meta({ override: { type: 'string', enum: [...DAY_STATUSES] } }),
  })
  .refine(({ from, to }) => !from || !to || from <= to, { path: ['to'], ...fault('date_range') });

export type DayQuery = z.output<typeof dayQuery>;

export const byDay = z.object({ day: day.describe('Clearing day, such as 2026-11-30') });

/** Builds the API view of some movements' sums. */
export function viewMovementSums(sums: MovementSums, currency: string) {
  const major = (minor: number) => toMajor(minor, currency);
  const { count, takenMinor, feesMinor, refundedMinor, manualMinor } = sums;
  return {
    currency,
    count,
    taken: major(takenMinor),
    fees: major(feesMinor),
    refunded: major(refundedMinor),
    refundedByHand: major(manualMinor),
  };
}

const movementSums = z.object({
  currency: z.string(),
  count: z.int().describe('Movements'),
  taken: z.number(),
  fees: z.number().describe('Fees that the rail reports'),
  refunded: z.number().describe('Refunds by the rail'),
  refundedByHand: z.number().describe('Refunds outside of the rail'),
});

/** Builds the API view of a day's sums in one currency. */
export function viewDaySums(sums: DaySums) {
  const major = (minor: number) => toMajor(minor, sums.currency);
  return {
    ...viewMovementSums(sums, sums.currency),
    bankFees: major(sums.bankFeesMinor),
    expectedCredit: major(sums.expectedMinor),
    credited: major(sums.creditedMinor),
    awaitedCredit: major(sums.awaitedMinor),
    difference: major(sums.differenceMinor),
    explainedDifference: major(sums.explainedMinor),
    unexplainedDifference: major(sums.unexplainedMinor),
  };
}

const daySums = movementSums
  .extend({
    bankFees: z.number().describe('Fees of the bank, entered as such'),
    expectedCredit: z.number().describe('Taken less fees, refunded and bank fees'),
    credited: z.number(),
    awaitedCredit: z.number().describe('The expected credit of the settlements without a credit'),
    difference: z.number().describe('Credited less expected, of the settlements with a credit'),
    explainedDifference: z.number().describe('The part with an explanation'),
    unexplainedDifference: z.number().describe('The part that needs a person'),
  })
  .meta({ id: 'DaySums' });

export const listedDay = z
  .object({
    day: z.iso.date().describe('A clearing day ends at 20:00 in Luanda'),
    status: z
      .enum(DAY_STATUSES)
      .describe(
        'The first that holds: `differs`: a difference has no explanation. `open`: a period is not closed. ' +
          '`waiting`: a settlement has no credit. `explained`: each difference has an explanation. `balanced`',
      ),
    closedAt: z.iso.datetime().nullable().describe('Close of the last period. Null until all are closed'),
    accounts: z.int().describe('Settlements of the day'),
    sums: z.array(daySums).describe('All accounts together, by currency'),
  })
  .meta({ id: 'ListedDay' });

export const dayPage = z.object({ data: z.array(listedDay), next: nextPage });

/** The relation of movements to shifts. */
export const SHIFT_TIMINGS = ['in_shift', 'after_close', 'no_shift'] as const;

const cashier = z
  .object({
    kind: z.enum(['user', 'client', 'payer']).describe('`payer`: a link, or the page of a shop'),
    id: z.string().nullable(),
    name: z.string().nullable().describe('Null for payers, and for a removed person'),
  })
  .describe('A payment counts for the creator, a refund for the person who refunded');

export const dayDetails = listedDay
  .extend({
    settlements: z.array(listedSettlement).describe('By account'),
    methods: z.array(movementSums.extend({ method: z.string().describe('The payment’s method') })),
    cashiers: z.array(movementSums.extend({ cashier })),
    shifts: z.array(
      movementSums.extend({
        cashier,
        shift: z
          .object({
            id: z.uuid(),
            openedAt: z.iso.datetime(),
            closedAt: z.iso.datetime().nullable(),
            isPartial: z
              .boolean()
              .describe('True if the shift also has movements of other days, which are not in this row'),
          })
          .nullable()
          .describe('The shift that counts these movements'),
        timing: z
          .enum(SHIFT_TIMINGS)
          .describe('`after_close`: the money arrived after the close of its shift, and counts in no shift'),
      }),
    ),
  })
  .meta({ id: 'Day' });
