// Query schemas and API views of settlements.
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
import { account, movement, givenName, type Accounts } from './schemas.ts';

/** Query of `GET /api/settlements`. */
export const settlementQuery = z
  .object({
    ...cursorQuery(100, 20, 'Settlements at most'),
    from: day.optional().describe('First day, such as 2026-11-01'),
    to: day.optional().describe('Last day'),
    account: givenName.describe('`account.id`'),
    period: givenName.describe('The rail’s name of the period'),
    status: oneOf(SETTLEMENT_STATUSES).meta({ override: { type: 'string', enum: [...SETTLEMENT_STATUSES] } }),
  })
  .refine(({ from, to }) => !from || !to || from <= to, { path: ['to'], ...fault('date_range') });

export type SettlementQuery = z.output<typeof settlementQuery>;

/** The path of one settlement. A text that is not an id returns 404. */
export const bySettlement = z.object({
  settlementId: z.string().regex(UUID).describe('`id` of a settlement in the list'),
});

/** Query of `GET /api/settlements/{settlementId}`. One page can hold the whole day of a large shop. */
export const lineQuery = z.object(cursorQuery(100_000, 100, 'Movements at most'));

/** Builds the API view of a settlement in a list. */
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

/** Returns the movements that were recorded after the close. Null without such movements. */
function viewChange({ closedCount, closedMinor, movementCount, currency }: Settlement, expectedMinor: number) {
  if (closedCount == null || closedMinor == null) return null;
  const isSame = closedCount === movementCount && closedMinor === expectedMinor;
  return isSame ? null : { count: movementCount - closedCount, expectedCreditAtClose: toMajor(closedMinor, currency) };
}

export const listedSettlement = z
  .object({
    id: z.uuid(),
    account,
    clearingPeriod: z.string().describe('The rail’s name of the period, else its day'),
    day: z.iso.date().describe('Clearing day of its first movement. A clearing day ends at 20:00 in Luanda'),
    currency: z.string(),
    status: z
      .enum(SETTLEMENT_STATUSES)
      .describe('`open`: no credit was entered. Then `balanced`, or `differs` by `difference`'),
    closedAt: z.iso.datetime().nullable().describe('Null until the period closes'),
    taken: z.number(),
    fees: z.number().describe('Fees that the rail reports'),
    refunded: z.number().describe('Refunds by the rail'),
    refundedByHand: z.number().describe('Refunds outside of the rail. They do not change the credit'),
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
      .describe('Last comparison with the rail’s books. Null before it, or if this rail has no list'),
    differenceCount: z.int().describe('Movements that differ between the rail and the gateway'),
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
    amount: z.number().describe('Negative if the bank took money'),
    currency: z.string(),
    date: z.iso.date(),
    bankReference: z.string().nullable(),
    source: z.enum(['hand', 'file']),
    enteredAt: z.iso.datetime(),
  })
  .meta({ id: 'Credit' });

/** Builds the API view of one difference between the rail and the gateway. */
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
        '`missing_here`: the rail lists it in this period and the gateway does not. ' +
          '`missing_there`: the gateway has it and the rail does not list it. ' +
          '`amount`: both have it, with different amounts. `unreadable`: the rail’s entry cannot be read',
      ),
    providerRef: z.string().nullable().describe('The rail’s id of the transaction'),
    amount: z.number().nullable().describe('The rail’s amount'),
    ourAmount: z.number().nullable(),
    transactionId: z.uuid().nullable().describe('The gateway’s transaction, also of another period'),
    refundId: z.uuid().nullable(),
    paymentId: z.uuid().nullable(),
  })
  .meta({ id: 'SettlementDifference' });

/** Builds the API view of a settlement: its credits, the reasons for a difference, and the comparison with the rail. */
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
      '`next_period`: the bank credited it with another period. `refund`: only one side counts the refund. ' +
        '`fee`: the difference is so small that it may be a fee. ' +
        '`not_at_rail`: the rail may not have this movement. ' +
        '`not_here`: the gateway knows no movement of that amount, so the rail has money that the gateway lacks',
    ),
  movementId: z.uuid().nullable().describe('Movement with the amount of the difference'),
  paymentId: z.uuid().nullable(),
  clearingPeriod: z.string().nullable(),
});

export const settlementSummary = listedSettlement
  .extend({
    credits: z.array(credit),
    reasons: z.array(reason).describe('Reasons for a difference, most likely first'),
    differences: z.array(difference).describe('Differences from the rail’s books, at most the first hundred'),
  })
  .meta({ id: 'SettlementSummary' });

export const settlementDetails = settlementSummary
  .extend({ movements: z.object({ data: z.array(movement), next: nextPage }) })
  .meta({ id: 'Settlement' });

export const settlementPage = z.object({ data: z.array(listedSettlement), next: nextPage });
