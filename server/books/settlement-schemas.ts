// Query schemas and API views of settlements.
import { z } from 'zod';
import { EXPLANATION_REASONS, SETTLEMENT_STATUSES, type EntryKind } from '../../shared/books.ts';
import { addMinor, toMajor } from '../../shared/money.ts';
import { fault } from '../http/validate.ts';
import { cursorQuery, nextPage } from '../http/cursor.ts';
import { day, oneOf, uuidText } from '../http/fields.ts';
import { changeAfterClose, differenceOf, expectedOf } from './close.ts';
import {
  DIFFERENCE_KINDS,
  type Difference,
  type Settlement,
  type SettlementCredit,
  type SettlementExplanation,
} from './entities.ts';
import type { Names } from '../audit/names.ts';
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
  settlementId: uuidText.describe('`id` of a settlement in the list'),
});

/** Query of `GET /api/settlements/{settlementId}`. One page can hold the whole day of a large shop. */
export const lineQuery = z.object(cursorQuery(100_000, 100, 'Movements at most'));

/** The comparison of a settlement with the rail's list, and the explanation of its difference. */
type Compared = { reconciled?: Reconciled | undefined; explained: z.input<typeof explanation> | null };

/** Builds the API view of a settlement in a list. */
export function viewSettlement(
  settlement: Settlement,
  accounts: Accounts,
  { reconciled = NOT_RECONCILED, explained }: Compared,
) {
  const { id, rail, period, currency, day: ofDay, status, closedAt } = settlement;
  const { movementCount, manualCount, takenMinor, feesMinor, refundedMinor, manualMinor } = settlement;
  const { creditedMinor, bankFeesMinor } = settlement;
  const major = (minor: number) => toMajor(minor, currency);
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
    bankFees: major(bankFeesMinor),
    expectedCredit: major(expectedOf(settlement)),
    count: addMinor(movementCount, manualCount),
    credited: major(creditedMinor),
    difference: major(differenceOf(settlement)),
    explanation: explained,
    changedAfterClose: viewChange(settlement),
    reconciledAt: reconciled.reconciledAt,
    differenceCount: reconciled.count,
  };
}

/** Returns the movements that were recorded after the close. Null without such movements. */
function viewChange(settlement: Settlement) {
  const change = changeAfterClose(settlement);
  return change && { count: change.count, expectedCreditAtClose: toMajor(change.closedMinor, settlement.currency) };
}

/** Builds the API view of an explanation. `holds` is false once the difference has changed. */
export function viewExplanation(explained: SettlementExplanation | null, settlement: Settlement, people: Names) {
  if (!explained) return null;
  const { reason, note = null, differenceMinor, explainedById, createdAt } = explained;
  return {
    reason,
    note,
    difference: toMajor(differenceMinor, settlement.currency),
    holds: settlement.status === 'explained',
    explainedBy: people.get(explainedById) ?? null,
    explainedAt: createdAt.toISOString(),
  };
}

const explanation = z
  .object({
    reason: z.enum(EXPLANATION_REASONS),
    note: z.string().nullable(),
    difference: z.number().describe('The explained difference'),
    holds: z.boolean().describe('False: the difference has changed, and needs a person again'),
    explainedBy: z.string().nullable().describe('Name of the person or of the API client'),
    explainedAt: z.iso.datetime(),
  })
  .meta({ id: 'Explanation' });

export const listedSettlement = z
  .object({
    id: z.uuid(),
    account,
    clearingPeriod: z.string().describe('The rail’s name of the period, else its day'),
    day: z.iso.date().describe('Clearing day of its first movement. A clearing day ends at 20:00 in Luanda'),
    currency: z.string(),
    status: z
      .enum(SETTLEMENT_STATUSES)
      .describe(
        '`open`: no credit was entered. Then `balanced`, or `differs` by `difference`. ' +
          '`explained`: it differs, and exactly this difference has an explanation',
      ),
    closedAt: z.iso.datetime().nullable().describe('Null until the period closes'),
    taken: z.number(),
    fees: z.number().describe('Fees that the rail reports'),
    refunded: z.number().describe('Refunds by the rail'),
    refundedByHand: z.number().describe('Refunds outside of the rail. They do not change the credit'),
    bankFees: z.number().describe('Fees of the bank, entered as such. They reduce the expected credit'),
    expectedCredit: z.number().describe('Taken less fees, refunded and bank fees'),
    count: z.int().describe('Movements'),
    credited: z.number(),
    difference: z.number().describe('Credited less expected'),
    explanation: explanation.nullable(),
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

function viewCredit(credit: SettlementCredit, entries: SettlementCredit[]) {
  const { id, amountMinor, currency, date, bankReference, fileHash, createdAt, reversesId } = credit;
  const amount = toMajor(amountMinor, currency);
  const source = fileHash ? 'file' : 'hand';
  const reversedBy = entries.find((each) => each.reversesId === id)?.id ?? null;
  return { id, amount, currency, date, bankReference, source, enteredAt: createdAt, reverses: reversesId, reversedBy };
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
    reverses: z.uuid().nullable().describe('The wrong entry that this one takes back'),
    reversedBy: z.uuid().nullable().describe('The entry that takes this one back'),
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
  entries: SettlementCredit[],
  { reasons, accounts, ...compared }: Compared & { reconciled: Reconciled; reasons: Reason[]; accounts: Accounts },
) {
  const differences = compared.reconciled.kept.map((each) => viewDifference(each, settlement.currency));
  const summary = viewSettlement(settlement, accounts, compared);
  const viewEntries = (kind: EntryKind) =>
    entries.filter((each) => each.kind === kind).map((each) => viewCredit(each, entries));
  return { ...summary, credits: viewEntries('credit'), bankFeeEntries: viewEntries('fee'), reasons, differences };
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
    bankFeeEntries: z.array(credit).describe('The fees of the bank, which are no credits'),
    reasons: z.array(reason).describe('Reasons for a difference, most likely first'),
    differences: z.array(difference).describe('Differences from the rail’s books, at most the first hundred'),
  })
  .meta({ id: 'SettlementSummary' });

export const settlementDetails = settlementSummary
  .extend({ movements: z.object({ data: z.array(movement), next: nextPage }) })
  .meta({ id: 'Settlement' });

export const settlementPage = z.object({ data: z.array(listedSettlement), next: nextPage });
