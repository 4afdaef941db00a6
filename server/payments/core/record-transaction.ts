// Records received money once, with the amount that the rail took, in every status of its payment.
// The gateway records all received money, even money that it did not expect.
import type { Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import { periodOf } from '../../../shared/clearing.ts';
import { addMinor, compareMinor, toReceivedMinor } from '../../../shared/money.ts';
import { isFinal } from '../../../shared/status.ts';
import { isAny, prepared, type Db, type Tables } from '../../database/db.ts';
import { recordEvent } from '../../events/record.ts';
import type { QrScan, RailOutcome } from '../../providers/provider.ts';
import { findCountingShift } from '../../shifts/counting.ts';
import { oddColumns } from './attention.ts';
import type { Attempt, AttemptKind, AttemptSnapshot, Payment } from './entities.ts';
import { changePayment, type PaymentChange } from './rows.ts';
import { paymentAfter, transition } from './states.ts';

/** The source of an outcome: the response to a call, a rail notification, a poll or a sync. */
export type Via = 'answer' | 'notification' | 'poll' | 'sync';

/** `unmatched`: the gateway has no such attempt. `changed`: a row changed, so subscribers are notified. */
export type Settled = 'changed' | 'unchanged' | 'unmatched';

/** The source of a report. A rail notification may report only on orders of its own account and kind. */
export type Source = { via: Via; rail: string; kind?: AttemptKind };

/** A payment whose row is locked in the transaction `db`, and the account that reports on the payment. */
export type Subject = { db: Db; payment: Payment; attemptId: string; rail: string; via: Via; at: Date };

/** A locked payment with its attempt. A capture also has its authorization, which is locked too. */
export type AttemptSubject = Subject & { attempt: Attempt; authorization: Payment | null };

export type OutcomeContext = Omit<AttemptSubject, 'attempt'> & {
  attempt: Attempt & Pick<AttemptSnapshot, 'wasUnreached'>;
  outcome: RailOutcome;
};

/** True if this source may report on the attempt. */
export function mayReport(attempt: Pick<Attempt, 'rail' | 'kind'>, from: Via | Source): boolean {
  if (typeof from === 'string') return true;
  return attempt.rail === from.rail && (from.kind ?? attempt.kind) === attempt.kind;
}

export function viaOf(from: Via | Source): Via {
  return typeof from === 'string' ? from : from.via;
}

export function isResolved(attempt: Pick<Attempt, 'status'>): boolean {
  return attempt.status === 'Approved' || attempt.status === 'Declined';
}

export function subjectOf(payment: Payment): { merchantId: string; paymentId: string; status: string } {
  return { merchantId: payment.merchantId, paymentId: payment.id, status: payment.status };
}

export type ReceivedFunds = QrScan;

/** The payment that receives money. `attemptId`: null for money paid to a reference. */
export type Receiver = Omit<Subject, 'attemptId'> & { attemptId: string | null };

/** Finds the transaction of this money, if it is recorded. The result is final while the payment's row is locked. */
export const findTransaction = prepared((tables, { rail, providerRef }: { rail: string; providerRef: string }) =>
  tables
    .selectFrom('transactions')
    .select(['id', 'attemptId'])
    .where('rail', '=', rail)
    .where('providerRef', '=', providerRef),
);

/** Finds the recorded transactions of a rail's list, by the rail's ids. */
export async function findRecorded(db: Db, rail: string, listed: { providerRef: string }[]) {
  const refs = listed.map(({ providerRef }) => providerRef);
  const known = refs.length > 0 ? await findKnown.all(db, { rail, refs }) : [];
  return new Map(known.map((one) => [one.providerRef, one]));
}

/** Filters a rail's list to money that is not recorded yet. */
export async function filterUnrecorded<T extends { providerRef: string }>(
  db: Db,
  rail: string,
  listed: T[],
): Promise<T[]> {
  const known = await findRecorded(db, rail, listed);
  return listed.filter(({ providerRef }) => !known.has(providerRef));
}

const findKnown = prepared((tables, { rail, refs }: { rail: string; refs: string[] }) =>
  tables
    .selectFrom('transactions')
    .select(['id', 'providerRef', 'attemptId'])
    .where('rail', '=', rail)
    .where('providerRef', ...isAny(refs)),
);

const insertTransaction = prepared((tables, { row }: { row: Insertable<Tables['transactions']> }) =>
  tables.insertInto('transactions').values(row),
);

type FundsVerdict = {
  /** True if the payment had ended before this money arrived. */
  late: boolean;
  flag: 'overpaid' | 'amount_mismatch' | null;
  /** True if this money pays the payment. */
  approves: boolean;
  /** The number of complete payments so far, for methods that count them. */
  acceptedCount?: number;
};

/** How often a payment may be paid. `hasEventEach`: each transaction gets an event, even without a new status. */
type Policy = { hasEventEach: boolean; judge(payment: Payment, money: ReceivedFunds): FundsVerdict };

/** Accepts money once: a purchase, a capture or a Dynamic reference. Partial amounts add up. */
export const acceptOnce: Policy = {
  hasEventEach: false,
  judge(payment, money) {
    const compared = compareMinor(sumOf(payment, money), payment.amountMinor);
    // Money for a payment that is already paid is too much in every currency.
    const isMore = compared === 'more' || payment.status === 'Paid';
    return {
      late: isFinal(payment.status) && payment.status !== 'Paid',
      flag: isMore ? 'overpaid' : compared === 'less' ? 'amount_mismatch' : null,
      approves: compared !== 'less' && payment.status !== 'Paid',
    };
  },
};

/**
 * Accepts up to `maxTransactions` payments of a QR code. The last one makes it `Paid`.
 * Only complete payments count.
 */
export const acceptUpToMax: Policy = {
  hasEventEach: true,
  judge(payment, money) {
    const max = payment.maxTransactions ?? 1;
    const { compared, acceptedCount } = compareWhole(payment, money);
    const isMore = compared === 'more' || acceptedCount > max;
    const isOpen = payment.status === 'Pending' && acceptedCount < max;
    return {
      late: isFinal(payment.status) && (payment.status !== 'Paid' || payment.acceptedCount < max),
      flag: isMore ? 'overpaid' : compared === 'less' ? 'amount_mismatch' : null,
      approves: !isOpen && payment.status !== 'Paid' && compared !== 'less',
      acceptedCount,
    };
  },
};

/** Accepts any number of payments of a Charging reference. @param late true if the reference was closed before */
export function acceptAny(late: boolean): Policy {
  return {
    hasEventEach: true,
    judge(payment, money) {
      const { compared, acceptedCount } = compareWhole(payment, money);
      const flag = compared === 'less' ? 'amount_mismatch' : compared === 'more' ? 'overpaid' : null;
      return { late, flag, approves: compared !== 'less' && payment.status !== 'Paid', acceptedCount };
    },
  };
}

/**
 * Compares one transaction with the amount. Another currency counts as `less`. An open amount accepts any sum above 0.
 */
function compareWhole(payment: Payment, { amountMinor, currency }: ReceivedFunds) {
  const { amountMinor: requested } = payment;
  const inOwn = requested > 0 ? compareMinor(amountMinor, requested) : amountMinor > 0 ? 'exact' : 'less';
  const compared = currency === payment.currency ? inOwn : 'less';
  return { compared, acceptedCount: payment.acceptedCount + (compared === 'less' ? 0 : 1) };
}

/** Records money, and moves its payment as the policy says. */
export async function recordTransaction(
  receiver: Receiver,
  money: ReceivedFunds,
  policy: Policy,
): Promise<RecordedFunds> {
  const { db, payment, at } = receiver;
  const { late, flag, approves, acceptedCount } = policy.judge(payment, money);
  const details = await insertMoney(receiver, money, late);
  const set = {
    amountPaidMinor: sumOf(payment, money),
    ...oddColumns(payment, { flag, late }),
    ...(acceptedCount !== undefined && { acceptedCount }),
  } satisfies PaymentChange;
  const about = { ...subjectOf(payment), occurredAt: at, details };
  const approved = { ...set, failureCode: null, dueAt: null };
  if (approves) {
    await transition(db, payment, 'approve', { set: approved, details, at });
  } else {
    await changePayment.run(db, { id: payment.id, set });
    if (policy.hasEventEach) await recordEvent(db, { ...about, type: 'payment.transaction_accepted' });
  }
  const status = approves && !policy.hasEventEach ? 'Paid' : payment.status;
  if (flag) await recordEvent(db, { ...about, status, type: `payment.${flag}` });
  // Too little money does not change the status, and the rail sends no more, so a person must decide.
  if (status === 'Processing') await recordEvent(db, { ...about, type: 'payment.stuck' });
  const left = approves
    ? paymentAfter(payment, 'approve', { ...approved, completedAt: at })
    : { ...payment, ...set, revision: payment.revision + 1 };
  return { details, payment: left };
}

/** The event details of recorded money, and the payment after the change. */
type RecordedFunds = { details: MoneyDetails; payment: Payment };

type MoneyDetails = { attemptId?: string; transactionId: string; via: Via };

/** Inserts the transaction. @returns its details for events */
async function insertMoney(
  { db, payment, attemptId, rail, at, via }: Receiver,
  money: ReceivedFunds,
  late: boolean,
): Promise<MoneyDetails> {
  const id = uuid();
  const occurredAt = money.occurredAt ?? at;
  const row = {
    id,
    merchantId: payment.merchantId,
    paymentId: payment.id,
    rail,
    providerRef: money.providerRef,
    attemptId,
    amountMinor: money.amountMinor,
    currency: money.currency,
    status: 'Accepted',
    late,
    createdAt: at,
    occurredAt,
    period: periodOf(money.details, occurredAt),
    feeMinor: feeOf(money),
    shiftId: await findCountingShift(db, payment.shiftId),
    details: money.details,
  } as const;
  await insertTransaction.run(db, { row });
  return { ...(attemptId && { attemptId }), transactionId: id, via, ...(late && { late }) };
}

/** Returns the fee of the received money. Null if the rail reports no fee. */
function feeOf({ details, currency }: ReceivedFunds): number | null {
  const fee = toReceivedMinor(details['fee'] ?? '', currency);
  return 'minor' in fee ? fee.minor : null;
}

/** Returns the payment's sum with this money. Money in another currency is recorded and flagged, but not added. */
function sumOf(payment: Payment, { amountMinor, currency }: ReceivedFunds): number {
  return currency === payment.currency ? addMinor(payment.amountPaidMinor, amountMinor) : payment.amountPaidMinor;
}
