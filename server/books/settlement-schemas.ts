// How settlements may be asked for, and how they are shown.
import { z } from 'zod';
import { SETTLEMENT_STATUSES } from '../../shared/books.ts';
import { addMinor, toMajor } from '../../shared/money.ts';
import { fault } from '../http/validate.ts';
import { cursorQuery, nextPage } from '../http/cursor.ts';
import { day, oneOf, UUID } from '../http/fields.ts';
import { expectedOf } from './close.ts';
import { DIFFERENCE_KINDS, type Difference, type Settlement, type SettlementCredit } from './entities.ts';
import { NOT_RECONCILED, type Reconciled } from './reconciled.ts';
import { REASONS, type Reason } from './reasons.ts';
import { account, movement, name, type Accounts } from './schemas.ts';

/** Query of `GET /api/settlements`. */
export const settlementQuery = z
  .object({
    ...cursorQuery(100, 20, 'Settlements at most'),
    from: day.optional().describe('First day, such as 2026-11-01'),
    to: day.optional().describe('Last day'),
    account: name.describe('`account.id`'),
    period: name.describe('As the rail calls it'),
    status: oneOf(SETTLEMENT_STATUSES).meta({ override: { type: 'string', enum: [...SETTLEMENT_STATUSES] } }),
  })
  .refine(({ from, to }) => !from || !to || from <= to, { path: ['to'], ...fault('date_range') });

export type SettlementQuery = z.output<typeof settlementQuery>;

/** The path of one: what is no id is nothing of ours. */
export const bySettlement = z.object({
  settlementId: z.string().regex(UUID).describe('`id` of a settlement in the list'),
});

/** Query of `GET /api/settlements/{settlementId}`: a whole day of a large shop is one page where that is asked for. */
export const lineQuery = z.object(cursorQuery(100_000, 100, 'Movements at most'));

/** A settlement in the list. */
export function viewSettlement(settlement: Settlement, accounts: Accounts, reconciled: Reconciled = NOT_RECONCILED) {
  const { id, rail, period, currency, day: ofDay, status, closedAt } = settlement;
  const { movementCount, manualCount, takenMinor, feesMinor, refundedMinor, manualMinor, creditedMinor } = settlement;
  const major = (minor: number) => toMajor(minor, currency);
  const expectedMinor = expectedOf(settlement);
  return {
    id,
    account: accounts.get(rail) ?? { id: rail, label: rail },
    clearingPeriod: period,
    day: ofDay,
    currency,
    status,
    closedAt,
    taken: major(takenMinor),
    fees: major(feesMinor),
    refunded: major(refundedMinor),
    refundedByHand: major(manualMinor),
    expectedCredit: major(expectedMinor),
    count: addMinor(movementCount, manualCount),
    credited: major(creditedMinor),
    difference: major(addMinor(creditedMinor, -expectedMinor)),
    changedAfterClose: viewChange(settlement, expectedMinor),
    reconciledAt: reconciled.reconciledAt,
    differenceCount: reconciled.count,
  };
}

/** What came after it was closed; null: nothing. */
function viewChange({ closedCount, closedMinor, movementCount, currency }: Settlement, expectedMinor: number) {
  if (closedCount == null || closedMinor == null) return null;
  const isSame = closedCount === movementCount && closedMinor === expectedMinor;
  return isSame ? null : { count: movementCount - closedCount, expectedCreditAtClose: toMajor(closedMinor, currency) };
}

export const listedSettlement = z
  .object({
    id: z.uuid(),
    account,
    clearingPeriod: z.string().describe('As the rail calls it; else its day'),
    day: z.iso.date().describe('The day of clearing on which its first movement occurred; it ends at 20:00 in Luanda'),
    currency: z.string(),
    status: z
      .enum(SETTLEMENT_STATUSES)
      .describe('`open`: nobody said what the bank credited; then `balanced`, or `differs` by `difference`'),
    closedAt: z.iso.datetime().nullable().describe('Null: its day is not over'),
    taken: z.number(),
    fees: z.number().describe('Where the rail tells them'),
    refunded: z.number().describe('Given back by the rail'),
    refundedByHand: z.number().describe('Of its movements, outside of the rail: no part of the credit'),
    expectedCredit: z.number().describe('Taken less fees and refunded'),
    count: z.int().describe('Movements'),
    credited: z.number(),
    difference: z.number().describe('Credited less expected'),
    changedAfterClose: z
      .object({ count: z.int().describe('Movements recorded since'), expectedCreditAtClose: z.number() })
      .nullable(),
    reconciledAt: z.iso
      .datetime()
      .nullable()
      .describe('When it was last compared with the rail’s own books; null: not yet, or this rail lists none'),
    differenceCount: z.int().describe('Movements that were not the same there and here'),
  })
  .meta({ id: 'ListedSettlement' });

export function viewCredit(credit: SettlementCredit) {
  const { id, amountMinor, currency, date, bankReference, lineHash, createdAt } = credit;
  const amount = toMajor(amountMinor, currency);
  return { id, amount, currency, date, bankReference, source: lineHash ? 'file' : 'hand', enteredAt: createdAt };
}

export const credit = z
  .object({
    id: z.uuid(),
    amount: z.number().describe('Below zero: what the bank took'),
    currency: z.string(),
    date: z.iso.date(),
    bankReference: z.string().nullable(),
    source: z.enum(['hand', 'file']),
    enteredAt: z.iso.datetime(),
  })
  .meta({ id: 'Credit' });

/** How far a closed period is not the same at the rail and here. */
function viewDifference({ kind, providerRef, ...difference }: Difference, currency: string) {
  const { amountMinor, ourAmountMinor, transactionId, refundId, paymentId } = difference;
  const major = (minor: number | null) => (minor === null ? null : toMajor(minor, currency));
  const amounts = { amount: major(amountMinor), ourAmount: major(ourAmountMinor) };
  return { kind, providerRef, ...amounts, transactionId, refundId, paymentId };
}

const difference = z
  .object({
    kind: z
      .enum(DIFFERENCE_KINDS)
      .describe(
        '`missing_here`: the rail has it in this period, we do not; `missing_there`: the other way round; `amount`: both have it, and not as much; `unreadable`: what the rail says of it cannot be read',
      ),
    providerRef: z.string().nullable().describe('The rail’s id of the money'),
    amount: z.number().nullable().describe('At the rail'),
    ourAmount: z.number().nullable(),
    transactionId: z.uuid().nullable().describe('Ours, also where we have it in another period'),
    refundId: z.uuid().nullable(),
    paymentId: z.uuid().nullable(),
  })
  .meta({ id: 'SettlementDifference' });

/** @param reasons why it differs */
export function viewSettlementDetails(
  settlement: Settlement,
  credits: SettlementCredit[],
  reasons: Reason[],
  accounts: Accounts,
  reconciled: Reconciled,
) {
  const differences = reconciled.kept.map((each) => viewDifference(each, settlement.currency));
  const summary = viewSettlement(settlement, accounts, reconciled);
  return { ...summary, credits: credits.map(viewCredit), reasons, differences };
}

const reason = z.object({
  code: z
    .enum(REASONS)
    .describe(
      '`next_period`: money that the bank credited with another period; `refund`: one that only one side has counted; `fee`: so little that it may be what the rail keeps; `not_at_rail`: a movement that the rail may not have; `not_here`: nothing of that amount is known here, so the rail has money that we do not',
    ),
  movementId: z.uuid().nullable().describe('What has the amount of the difference'),
  paymentId: z.uuid().nullable(),
  clearingPeriod: z.string().nullable(),
});

export const settlementSummary = listedSettlement
  .extend({
    credits: z.array(credit),
    reasons: z.array(reason).describe('Where it differs: the likeliest first'),
    differences: z.array(difference).describe('From the rail’s own books; of many the first hundred'),
  })
  .meta({ id: 'SettlementSummary' });

export const settlementDetails = settlementSummary
  .extend({ movements: z.object({ data: z.array(movement), next: nextPage }) })
  .meta({ id: 'Settlement' });

export const settlementPage = z.object({ data: z.array(listedSettlement), next: nextPage });
