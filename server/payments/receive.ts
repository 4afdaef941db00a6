// Received money is never hidden: what was really taken is recorded once, whatever the payment's status (decisions §3).
import type { Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import { addMinor, compareMinor } from '../../shared/money.ts';
import { isFinal } from '../../shared/status.ts';
import { isAny, prepared, type Db, type Tables } from '../database/db.ts';
import { recordEvent } from '../events/record.ts';
import type { QrScan } from '../providers/provider.ts';
import type { Payment, Transaction } from './entities.ts';
import { subjectOf, type Subject, type Via } from './outcome.ts';
import { changePayment, type PaymentChange } from './rows.ts';
import { transition } from './states.ts';

/** Money as a rail tells of it; a scan of a QR code is nothing else. */
export type Money = QrScan;

/** A payment whose money this is; of a reference's there is no attempt of ours. */
export type Receiver = Omit<Subject, 'attemptId'> & { attemptId: string | null };

/** The transaction of this money, if it was recorded before; the payment's row lock makes the look sure. */
export function findMoney(
  { db, payment }: Pick<Receiver, 'db' | 'payment'>,
  { providerRef }: Pick<Money, 'providerRef'>,
): Promise<Transaction | null> {
  return findTransaction.first(db, { rail: railOf(payment), providerRef });
}

/** Of what a rail lists, the money that is not recorded yet: each time it tells all it has, and mostly that is known. */
export async function findNewMoney<T extends { providerRef: string }>(
  db: Db,
  rail: 'gpo' | 'ppr',
  listed: T[],
): Promise<T[]> {
  if (listed.length === 0) return [];
  const refs = listed.map(({ providerRef }) => providerRef);
  const known = await findKnown.all(db, { rail, refs });
  const isKnown = new Set(known.map(({ providerRef }) => providerRef));
  return listed.filter(({ providerRef }) => !isKnown.has(providerRef));
}

const findTransaction = prepared((tables, { rail, providerRef }: { rail: string; providerRef: string }) =>
  tables.selectFrom('transactions').selectAll().where('rail', '=', rail).where('providerRef', '=', providerRef),
);

const findKnown = prepared((tables, { rail, refs }: { rail: string; refs: string[] }) =>
  tables
    .selectFrom('transactions')
    .select('providerRef')
    .where('rail', '=', rail)
    .where('providerRef', ...isAny(refs)),
);

const insertTransaction = prepared((tables, { row }: { row: Insertable<Tables['transactions']> }) =>
  tables.insertInto('transactions').values(row),
);

function railOf({ paymentType }: Payment): string {
  return paymentType.toLowerCase();
}

/** Records what a purchase, a capture or a Dynamic reference brought, and moves the payment as the amount says. Answers what the events say of it. */
export async function receivePayment(subject: Receiver, money: Money): Promise<MoneyDetails> {
  const { db, payment, at } = subject;
  const late = isFinal(payment.status) && payment.status !== 'Paid';
  const details = await insertMoney(subject, money, late);
  const amountPaidMinor = sumOf(payment, money);
  const compared = compareMinor(amountPaidMinor, payment.amountMinor);
  // Once paid, any more money is too much, in whatever currency.
  const isMore = compared === 'more' || payment.status === 'Paid';
  const flag = isMore ? 'overpaid' : compared === 'less' ? 'amount_mismatch' : null;
  const set: PaymentChange = { amountPaidMinor, flags: withFlag(payment, flag), late: payment.late || late };
  if (compared === 'less' || payment.status === 'Paid') {
    await changePayment.run(db, { id: payment.id, set });
  } else {
    await transition(db, payment, 'approve', { set: { ...set, failureCode: null, dueAt: null }, details, at });
  }
  const status = compared === 'less' ? payment.status : 'Paid';
  const event = { ...subjectOf(payment), status, occurredAt: at, details };
  if (flag) await recordEvent(db, { ...event, type: `payment.${flag}` });
  // Less than asked leaves the status (decisions §3), and nothing more is to come: only a person can go on.
  if (status === 'Processing') await recordEvent(db, { ...event, type: 'payment.stuck' });
  return details;
}

/**
 * Records one payment of a QR code. The code closes as `Paid` with its last one; whole payments count, others are
 * flagged.
 */
export async function receiveScan(subject: Subject, money: Money): Promise<void> {
  const { db, payment, at } = subject;
  const max = payment.maxTransactions ?? 1;
  const late = isFinal(payment.status) && (payment.status !== 'Paid' || payment.acceptedCount < max);
  const details = await insertMoney(subject, money, late);
  const compared = money.currency === payment.currency ? compareMinor(money.amountMinor, payment.amountMinor) : 'less';
  const acceptedCount = payment.acceptedCount + (compared === 'less' ? 0 : 1);
  const isMore = compared === 'more' || acceptedCount > max;
  const flag = isMore ? 'overpaid' : compared === 'less' ? 'amount_mismatch' : null;
  const set: PaymentChange = {
    amountPaidMinor: sumOf(payment, money),
    acceptedCount,
    flags: withFlag(payment, flag),
    late: payment.late || late,
  };
  const isOpen = payment.status === 'Pending' && acceptedCount < max;
  if (isOpen || payment.status === 'Paid' || compared === 'less') {
    await changePayment.run(db, { id: payment.id, set });
    await recordEvent(db, { ...subjectOf(payment), type: 'payment.transaction_accepted', occurredAt: at, details });
  } else {
    await transition(db, payment, 'approve', { set: { ...set, failureCode: null, dueAt: null }, details, at });
  }
  if (flag) await recordEvent(db, { ...subjectOf(payment), type: `payment.${flag}`, occurredAt: at, details });
}

type MoneyDetails = { attemptId?: string; transactionId: string; via: Via };

/** Writes the money's row; answers what the events say of it. */
export async function insertMoney(
  { db, payment, attemptId, at, via }: Receiver,
  money: Money,
  late: boolean,
): Promise<MoneyDetails> {
  const id = uuid();
  const row = {
    id,
    paymentId: payment.id,
    rail: railOf(payment),
    providerRef: money.providerRef,
    attemptId,
    amountMinor: money.amountMinor,
    currency: money.currency,
    status: 'Accepted',
    late,
    occurredAt: money.occurredAt ?? at,
    createdAt: at,
    details: money.details,
  } as const;
  await insertTransaction.run(db, { row });
  return { ...(attemptId && { attemptId }), transactionId: id, via, ...(late && { late }) };
}

/** Of other currencies nothing is added: they are recorded and flagged. */
export function sumOf(payment: Payment, { amountMinor, currency }: Money): number {
  return currency === payment.currency ? addMinor(payment.amountPaidMinor, amountMinor) : payment.amountPaidMinor;
}

/** A payment's flags with one more, once. */
export function withFlag({ flags }: Pick<Payment, 'flags'>, flag: string | null): string[] {
  return flag ? [...new Set([...flags, flag])] : flags;
}
